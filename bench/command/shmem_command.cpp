// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench shmem` runs one standard OpenSHMEM program (shmem_program.c) alternately over Syncline and over
// another library; each library's own oshcc and oshrun compile and start it.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "base/counted.h"
#include "base/failure.h"
#include "bench/command/commands.h"
#include "bench/command/quick.h"
#include "bench/command/run_bench.h"
#include "bench/measure/embedded_files.h"
#include "bench/measure/run_program.h"
#include "bench/measure/shmem_library.h"
#include "bench/measure/statements.h"
#include "bench/report/progress.h"
#include "bench/report/results.h"
#include "bench/report/shmem_operations.h"
#include "bench/report/table.h"

namespace syncline::bench {
namespace {

struct ShmemArguments {
    ShmemLayout layout;
    bool quick = false;
    uint64_t samples = 0;
    uint64_t repeats = 0;
    uint64_t time_limit_s = 120;
    std::string peer;
    OpenMpiOptions peer_options;
    ResultFiles files;
};

// One library, and the output of its runs.
struct Contender {
    std::unique_ptr<ShmemLibrary> library;
    std::string program;
    std::map<std::string, std::vector<Statement>> statements;  // by operation, one for each run

    void run(uint64_t samples, uint64_t time_limit_s);
    Cell cell(const ShmemOperation& operation) const;
};

void Contender::run(uint64_t samples, uint64_t time_limit_s) {
    const std::string output = output_of(library->start({program, std::to_string(samples)}), time_limit_s);
    std::map<std::string, Statement> read = read_statements(output, library->name());
    for (const ShmemOperation& operation : shmem_operations) {
        if (!read.contains(operation.name)) {
            fail(SYNCLINE_ERR_SYSTEM, "the program with {} did not measure {}", library->name(), operation.title);
        }
        statements[operation.name].push_back(read[operation.name]);
    }
}

Cell Contender::cell(const ShmemOperation& operation) const {
    return cell_of(statements.at(operation.name));
}

class ShmemBench {
  public:
    explicit ShmemBench(const ShmemArguments& arguments);

    void run();
    std::string table(const Machine& machine) const;
    Json json(const Machine& machine) const;

  private:
    Row row_of(const ShmemOperation& operation, const char* name) const;

    const ShmemArguments arguments_;
    const Folder folder_;
    std::vector<Contender> contenders_;
};

ShmemBench::ShmemBench(const ShmemArguments& arguments) : arguments_(arguments) {
    const ShmemLayout& layout = arguments.layout;
    if (layout.pes < 2 || layout.pes % layout.nodes != 0) {
        fail(SYNCLINE_ERR_INVALID, "{} PEs cannot be spread evenly over {} nodes, or are fewer than 2", layout.pes,
             layout.nodes);
    }
    contenders_.push_back({make_own_library(layout), {}, {}});
    if (!arguments.peer.empty()) {
        contenders_.push_back({make_open_mpi(layout, arguments.peer_options, folder_.name()), {}, {}});
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

Row ShmemBench::row_of(const ShmemOperation& operation, const char* name) const {
    Row row{name, {}};
    for (const Contender& contender : contenders_) {
        row.cells.push_back({contender.library->name(), contender.cell(operation)});
    }
    return row;
}

std::string ShmemBench::table(const Machine& machine) const {
    std::map<std::string, const ShmemOperation*> by_title;
    std::vector<Row> rows;
    for (const ShmemOperation& operation : shmem_operations) {
        by_title[operation.title] = &operation;
        rows.push_back(row_of(operation, operation.title));
    }
    const auto cell_text = [&](const std::string& title, const Cell& cell) {
        const ShmemOperation& operation = *by_title.at(title);
        return fmt::format("{} {:>12}", amount(operation, cell.median), amount(operation, cell.p99));
    };
    const auto ratio = [&](const std::string& title) {
        if (contenders_.size() == 1) {
            return std::string();
        }
        if (title.empty()) {
            return std::string("    better by");
        }
        const ShmemOperation& operation = *by_title.at(title);
        const double better_by =
            times_better(operation.quantity(), contenders_[0].cell(operation), contenders_[1].cell(operation));
        return fmt::format("{:>13}", fmt::format("{:.2f}x", better_by));
    };
    Text text;
    add(&text,
        "{}\n{}: median of the medians of {} by turns, then of their 99th percentiles (of rates: of 20 "
        "rounds)\n\n",
        machine.line(), place_of(arguments_.layout.pes, arguments_.layout.nodes), counted(arguments_.repeats, "run"));
    add_table(&text, {28, 28}, "", transposed(rows), cell_text, ratio);
    return fmt::to_string(text);
}

Json ShmemBench::json(const Machine& machine) const {
    const ShmemLayout& layout = arguments_.layout;
    Json json = new_result("syncline bench shmem", machine);
    json["parameters"] = {{"quick", arguments_.quick},
                          {"pes", layout.pes},
                          {"nodes", layout.nodes},
                          {"samples", arguments_.samples},
                          {"repeats", arguments_.repeats}};
    if (layout.nodes > 1) {
        json["parameters"]["transport"] = layout.transport;
        json["parameters"]["authenticated"] = layout.authenticate;
    }
    const auto is_peer = [](const std::string& condition, const std::string& base) {
        return condition.starts_with("syncline") && !base.starts_with("syncline");
    };
    for (const ShmemOperation& operation : shmem_operations) {
        add_rows(&json, operation.quantity(), {row_of(operation, operation.name)}, is_peer);
    }
    return json;
}

}  // namespace

void add_bench_shmem_command(CLI::App* bench, int* exit_code) {
    auto arguments = std::make_shared<ShmemArguments>();
    CLI::App* const command = bench->add_subcommand(
        "shmem",
        "Run one standard OpenSHMEM program alternately over Syncline and over another library, each with its own "
        "oshcc and oshrun: atomics, puts, gets, barrier, collectives, random updates, a contended lock.");
    command->add_flag("--quick", arguments->quick, "few samples, in one run of each library");
    arguments->files.add_options(command);
    command->add_option("--peer", arguments->peer, "the other library: openmpi (OSHMEM over UCX)")
        ->check(CLI::IsMember({"openmpi"}));
    arguments->peer_options.add_to(command);
    command->add_option("-n,--pes", arguments->layout.pes, "PEs (2)")->check(CLI::Range(2u, 64u));
    command->add_option("-N,--nodes", arguments->layout.nodes, "nodes of a private test bed; 1: this machine (1)")
        ->check(CLI::Range(1u, 16u));
    command
        ->add_option("-t,--transport", arguments->layout.transport,
                     "Syncline's transport between nodes: xdp or udp (xdp)")
        ->check(CLI::IsMember({"xdp", "udp"}));
    command->add_flag_callback(
        "--no-auth", [arguments] { arguments->layout.authenticate = false; }, "do not authenticate Syncline's packets");
    command->add_option("--samples", arguments->samples, "samples of each quantity in a run (2000; quick: 200)")
        ->check(CLI::Range(20, 1'000'000));
    command->add_option("--repeats", arguments->repeats, "runs of each library (7; quick: 1)")
        ->check(CLI::Range(1, 1000));
    command->add_option("--time-limit", arguments->time_limit_s, "limit of one run, in seconds (120)")
        ->check(CLI::Range(1, 3600));
    command->callback([arguments, exit_code] {
        set_default(&arguments->samples, arguments->quick, 200, 2000);
        set_default(&arguments->repeats, arguments->quick, 1, 7);
        *exit_code = run_bench<ShmemBench>(*arguments);
    });
}

}  // namespace syncline::bench
