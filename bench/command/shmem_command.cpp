// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench shmem`: one standard OpenSHMEM program (shmem_program.c) with this library and with another one, by
// turns, each compiled and started by its own oshcc and oshrun.

#include <CLI/App.hpp>
#include <algorithm>
#include <map>
#include <sstream>

#include "base/failure.h"
#include "bench/command/commands.h"
#include "bench/command/run_bench.h"
#include "bench/measure/embedded_file.h"
#include "bench/measure/run_program.h"
#include "bench/measure/shmem_library.h"
#include "bench/report/log_bars.h"
#include "bench/report/progress.h"
#include "bench/report/results.h"
#include "bench/report/text.h"

// The program's source, as it is in this folder.
SYNCLINE_EMBED_FILE(shmem_program_source, SYNCLINE_SHMEM_PROGRAM)

namespace syncline::bench {
namespace {

struct Quantity {
    const char* name;
    const char* title;
    bool rate;  // operations per second; else ns
};

constexpr Quantity quantities[] = {
    {"fetch_add", "fetch_add", false},
    {"compare_swap", "compare_swap", false},
    {"p", "p (8 bytes)", false},
    {"g", "g (8 bytes)", false},
    {"get_8", "get 8 bytes", false},
    {"get_4k", "get 4 KiB", false},
    {"put_8_quiet", "put 8 bytes + quiet", false},
    {"put_1m_quiet", "put 1 MiB + quiet", false},
    {"barrier_all", "barrier_all", false},
    {"broadcast_8", "broadcast 8 bytes", false},
    {"broadcast_4k", "broadcast 4 KiB", false},
    {"broadcast_1m", "broadcast 1 MiB", false},
    {"reduce_8", "reduce 8 bytes", false},
    {"reduce_4k", "reduce 4 KiB", false},
    {"reduce_1m", "reduce 1 MiB", false},
    {"collect_8", "collect 8 bytes", false},
    {"collect_4k", "collect 4 KiB", false},
    {"collect_1m", "collect 1 MiB", false},
    {"fcollect_8", "fcollect 8 bytes", false},
    {"fcollect_4k", "fcollect 4 KiB", false},
    {"fcollect_1m", "fcollect 1 MiB", false},
    {"random_xor", "random 64-bit xor", true},
    {"contended_lock", "contended lock, a section", false},
    {"fetch_add_computing", "fetch_add, target computes", false},
};

struct Arguments {
    ShmemLayout layout;
    uint64_t samples = 2000;
    uint64_t repeats = 7;
    uint64_t time_limit_s = 120;
    std::string peer;
    OpenMpiOptions peer_options;
    ResultFiles files;
};

// What one library's runs have shown.
struct Contender {
    std::unique_ptr<ShmemLibrary> library;
    std::string program;
    std::map<std::string, std::vector<double>> medians, p99s;

    void run(uint64_t samples, uint64_t time_limit_s) {
        std::istringstream lines(output_of(library->start({program, std::to_string(samples)}), time_limit_s));
        std::map<std::string, std::pair<double, double>> read;
        std::string line;
        while (std::getline(lines, line)) {
            std::istringstream words(line);
            std::string name;
            double median = 0, p99 = 0, mean = 0;
            if (!(words >> name >> median >> p99 >> mean)) {
                fail(SYNCLINE_ERR_SYSTEM, "the program with {} says: {}", library->name(), line);
            }
            read[name] = {median, p99};
        }
        for (const Quantity& quantity : quantities) {
            if (!read.contains(quantity.name)) {
                fail(SYNCLINE_ERR_SYSTEM, "the program with {} did not measure {}", library->name(), quantity.title);
            }
            medians[quantity.name].push_back(read[quantity.name].first);
            p99s[quantity.name].push_back(read[quantity.name].second);
        }
    }
    double median(const Quantity& quantity) const { return quantile(medians.at(quantity.name), 0.5); }
    double p99(const Quantity& quantity) const { return quantile(p99s.at(quantity.name), 0.5); }
};

std::string amount(const Quantity& quantity, double value) {
    if (quantity.rate) {
        return fmt::format("{:.2f} M/s", value / 1e6);
    }
    return value < 1000 ? fmt::format("{:.1f} ns", value) : fmt::format("{:.2f} us", value / 1e3);
}

class ShmemBench {
  public:
    explicit ShmemBench(const Arguments& arguments);

    void run();
    std::string table(const Machine& machine) const;
    Json json(const Machine& machine) const;

  private:
    bool has_peer() const { return contenders_.size() > 1; }
    // How many times better than the peer this library is: more is better for rates, too.
    double ratio(const Quantity& quantity) const {
        const double own = contenders_[0].median(quantity);
        const double peer = contenders_[1].median(quantity);
        return quantity.rate ? own / peer : peer / own;
    }
    std::string place() const {
        return arguments_.layout.nodes == 1
                   ? fmt::format("{} PEs on one node", arguments_.layout.pes)
                   : fmt::format("{} PEs on {} nodes of a test bed, which share this machine's CPUs",
                                 arguments_.layout.pes, arguments_.layout.nodes);
    }

    const Arguments arguments_;
    const Folder folder_;
    std::vector<Contender> contenders_;
};

ShmemBench::ShmemBench(const Arguments& arguments) : arguments_(arguments) {
    const ShmemLayout& layout = arguments.layout;
    if (layout.pes < 2 || layout.pes % layout.nodes != 0) {
        fail(SYNCLINE_ERR_INVALID, "{} PEs cannot be spread evenly over {} nodes, or are fewer than 2", layout.pes,
             layout.nodes);
    }
    contenders_.push_back({make_own_library(layout), {}, {}, {}});
    if (!arguments.peer.empty()) {
        contenders_.push_back({make_open_mpi(layout, arguments.peer_options, folder_.name()), {}, {}, {}});
    }
    const std::string source = folder_.file("shmem_program.c");
    write_file(source, shmem_program_source());
    for (Contender& contender : contenders_) {
        contender.program = compile(*contender.library, folder_, source);
    }
}

void ShmemBench::run() {
    Progress progress(arguments_.repeats * contenders_.size());
    for (uint64_t i = 0; i < arguments_.repeats; i++) {
        for (Contender& contender : contenders_) {
            progress.step(contender.library->name());
            contender.run(arguments_.samples, arguments_.time_limit_s);
        }
    }
}

std::string ShmemBench::table(const Machine& machine) const {
    Text text;
    add(&text,
        "{}\n{}: median of the medians of {} runs by turns, then of their 99th percentiles (of rates: of 20 "
        "rounds)\n\n",
        machine.line(), place(), arguments_.repeats);
    add(&text, "{:<28}", "");
    for (const Contender& contender : contenders_) {
        add(&text, "{:>28}", contender.library->name());
    }
    add(&text, "{}\n", has_peer() ? "    better by" : "");
    for (const Quantity& quantity : quantities) {
        add(&text, "{:<28}", quantity.title);
        for (const Contender& contender : contenders_) {
            add(&text, "{:>28}",
                fmt::format("{} {:>12}", amount(quantity, contender.median(quantity)),
                            amount(quantity, contender.p99(quantity))));
        }
        if (has_peer()) {
            add(&text, "{:>13}", fmt::format("{:.2f}x", ratio(quantity)));
        }
        add(&text, "\n");
    }
    return fmt::to_string(text);
}

Json ShmemBench::json(const Machine& machine) const {
    Json json = new_result("syncline bench shmem", machine);
    json["place"] = place();
    json["samples"] = arguments_.samples;
    json["repeats"] = arguments_.repeats;
    json["units"] = "ns; random_xor: operations per second";
    for (const Contender& contender : contenders_) {
        for (const Quantity& quantity : quantities) {
            json["results"][contender.library->name()][quantity.name] = {
                {"median", contender.median(quantity)},
                {"p99", contender.p99(quantity)},
                {"run_medians", contender.medians.at(quantity.name)}};
        }
    }
    if (has_peer()) {
        for (const Quantity& quantity : quantities) {
            json["better_by"][quantity.name] = ratio(quantity);
        }
    }
    return json;
}

}  // namespace

// Bars from 1 on a logarithmic scale: how many times better than the peer, or without one, nanoseconds of one
// operation.
std::string picture_of_shmem(const Json& result) {
    const Json& libraries = result.at("results");
    const bool has_peer = result.contains("better_by");
    const std::string own = libraries.begin().key();
    const std::string peer = has_peer ? std::next(libraries.begin()).key() : "";
    std::vector<Bar> bars;
    for (const Quantity& quantity : quantities) {
        if (const auto found = libraries.front().find(quantity.name); found != libraries.front().end()) {
            const double median = found->at("median");
            const double value = has_peer        ? result.at("better_by").at(quantity.name).get<double>()
                                 : quantity.rate ? 1e9 / median
                                                 : median;
            bars.push_back(
                {quantity.title, value, has_peer ? fmt::format("{:.2f}x", value) : amount(quantity, median)});
        }
    }
    return picture_of_bars(
        bars,
        {has_peer ? fmt::format("{}: times better than {}", own, peer) : fmt::format("{}: one operation", own),
         result.at("place"), has_peer ? "times better (logarithmic scale)" : "time, ns (logarithmic scale)", ""},
        origin_of(result));
}

void add_bench_shmem_command(CLI::App* bench, int* exit_code) {
    auto arguments = std::make_shared<Arguments>();
    CLI::App* const command = bench->add_subcommand(
        "shmem",
        "One standard OpenSHMEM program with this library and, by turns, with another one, each compiled and started "
        "by "
        "its own oshcc and oshrun: atomics, puts, gets, barrier, collectives, random updates, a contended lock.");
    arguments->files.add_options(command);
    command->add_option("--peer", arguments->peer, "the other library: openmpi (OSHMEM over UCX)")
        ->check(CLI::IsMember({"openmpi"}));
    arguments->peer_options.add_to(command);
    command->add_option("-n,--pes", arguments->layout.pes, "PEs (2)")->check(CLI::Range(2u, 64u));
    command->add_option("-N,--nodes", arguments->layout.nodes, "nodes of a private test bed; 1: this one (1)")
        ->check(CLI::Range(1u, 16u));
    command
        ->add_option("-t,--transport", arguments->layout.transport, "of this library between nodes: xdp or udp (xdp)")
        ->check(CLI::IsMember({"xdp", "udp"}));
    command->add_flag("!--no-auth", arguments->layout.authenticate, "this library's packets are not authenticated");
    command->add_option("--samples", arguments->samples, "of each quantity in a run (2000)")
        ->check(CLI::Range(20, 1'000'000));
    command->add_option("--repeats", arguments->repeats, "runs of each library (7)")->check(CLI::Range(1, 1000));
    command->add_option("--time-limit", arguments->time_limit_s, "of one run, seconds (120)")
        ->check(CLI::Range(1, 3600));
    command->callback([arguments, exit_code] { *exit_code = run_bench<ShmemBench>(*arguments); });
}

}  // namespace syncline::bench
