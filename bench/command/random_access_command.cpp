// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench random-access` runs RandomAccess of the HPC Challenge, alternately by examples/random_access.c over
// Syncline's OpenSHMEM and by hpcc's MPI program over Open MPI, with tables of one size.
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "base/counted.h"
#include "base/failure.h"
#include "bench/command/commands.h"
#include "bench/command/quick.h"
#include "bench/command/run_bench.h"
#include "bench/measure/embedded_files.h"
#include "bench/measure/run_program.h"
#include "bench/report/progress.h"
#include "bench/report/table.h"

namespace syncline::bench {
namespace {

struct RandomAccessArguments {
    bool quick = false;
    std::vector<uint32_t> nodes = {};
    uint32_t log_words = 0;
    uint64_t repeats = 0;
    uint64_t time_limit_s = 300;
    bool authenticate = true;
    std::string peer;
    OpenMpiOptions peer_options;
    ResultFiles files;
};

void set_defaults(RandomAccessArguments* arguments) {
    set_default(&arguments->nodes, arguments->quick, {1, 2}, {1, 2, 4});
    set_default(&arguments->log_words, arguments->quick, 16, 20);
    set_default(&arguments->repeats, arguments->quick, 1, 3);
}

// One node has two PEs; with one PE nothing would be remote.
ShmemLayout layout_of(const RandomAccessArguments& arguments, uint32_t nodes) {
    return {.pes = std::max(nodes, 2u), .nodes = nodes, .transport = "xdp", .authenticate = arguments.authenticate};
}

// The program writes `0.012345 GUP/s`.
double own_rate(const std::string& output) {
    const size_t unit = output.find(" GUP/s");
    const size_t number = unit == std::string::npos ? unit : output.rfind(' ', unit - 1);
    if (number == std::string::npos || output.find(": right") == std::string::npos) {
        fail(SYNCLINE_ERR_SYSTEM, "random_access says: {}", output);
    }
    return std::stod(output.substr(number)) * 1e9;
}

// Reads the values with which hpcc summarises its run.
std::map<std::string, double> read_summary(const std::string& file) {
    std::map<std::string, double> values;
    std::ifstream lines(file);
    std::string line;
    while (std::getline(lines, line)) {
        if (const size_t equals = line.find('='); equals != std::string::npos) {
            values[line.substr(0, equals)] = std::strtod(line.c_str() + equals + 1, nullptr);
        }
    }
    return values;
}

// hpcc gives its table as many words as its first part, a system of n equations, has in memory, rounded down to a power
// of two.
std::string hpcc_input(uint32_t pes, uint32_t log_words) {
    const auto equations = static_cast<uint64_t>(std::ceil(std::sqrt(std::exp2(log_words)) * 1.02));
    std::string text = fmt::format(
        "HPLinpack benchmark input "
        "file\nSyncline\nHPL.out\n8\n1\n{}\n1\n80\n0\n1\n1\n{}\n16.0\n1\n2\n1\n4\n1\n2\n1\n1\n1\n1\n"
        "1\n0\n2\n64\n0\n0\n1\n8\n",
        equations, pes);
    return text + "separator\n0\n1200\n0\n40\n";
}

class RandomAccessBench {
  public:
    explicit RandomAccessBench(const RandomAccessArguments& arguments) : arguments_(arguments) {
        write_file(source_, random_access_source());
    }

    void run();
    std::string table(const Machine& machine) const;
    Json json(const Machine& machine) const;

  private:
    void run_on(uint32_t nodes, Progress* progress);
    double run_hpcc(const ShmemLibrary& open_mpi, uint32_t pes) const;
    std::vector<Row> rows() const;

    const RandomAccessArguments arguments_;
    const Folder folder_;
    const std::string source_ = folder_.file("random_access.c");
    std::map<uint32_t, std::map<std::string, Gatherer>> rates_;
};

double RandomAccessBench::run_hpcc(const ShmemLibrary& open_mpi, uint32_t pes) const {
    const std::string summary = folder_.file("hpccoutf.txt");
    ::unlink(summary.c_str());
    write_file(folder_.file("hpccinf.txt"), hpcc_input(pes, arguments_.log_words));
    ChildSpec spec = open_mpi.start({arguments_.peer_options.prefix + "/bin/hpcc"});
    spec.setup = [folder = folder_.name()] { (void)!::chdir(folder.c_str()); };
    (void)output_of(spec, arguments_.time_limit_s);
    std::map<std::string, double> values = read_summary(summary);
    if (values["MPIRandomAccess_N"] != std::exp2(arguments_.log_words)) {
        fail(SYNCLINE_ERR_SYSTEM, "hpcc took a table of {} words instead of 2^{}", values["MPIRandomAccess_N"],
             arguments_.log_words);
    }
    return values["MPIRandomAccess_GUPs"] * 1e9;
}

void RandomAccessBench::run_on(uint32_t nodes, Progress* progress) {
    const ShmemLayout layout = layout_of(arguments_, nodes);
    const std::unique_ptr<ShmemLibrary> own = make_own_library(layout);
    const std::string program = compile(*own, folder_, source_);
    std::unique_ptr<ShmemLibrary> open_mpi;
    if (!arguments_.peer.empty()) {
        open_mpi = make_open_mpi(layout, arguments_.peer_options, folder_.name());
    }
    for (uint64_t i = 0; i < arguments_.repeats; i++) {
        progress->step(fmt::format("{} nodes, syncline", nodes));
        const std::string output =
            output_of(own->start({program, "-n", std::to_string(arguments_.log_words)}), arguments_.time_limit_s);
        rates_[nodes]["syncline"].add(own_rate(output));
        if (open_mpi != nullptr) {
            progress->step(fmt::format("{} nodes, hpcc", nodes));
            rates_[nodes]["hpcc"].add(run_hpcc(*open_mpi, layout.pes));
        }
    }
}

void RandomAccessBench::run() {
    Progress progress(arguments_.nodes.size() * arguments_.repeats * (arguments_.peer.empty() ? 1 : 2));
    for (const uint32_t nodes : arguments_.nodes) {
        run_on(nodes, &progress);
    }
}

std::vector<Row> RandomAccessBench::rows() const {
    std::vector<Row> rows;
    for (const auto& [nodes, gathered] : rates_) {
        Row row{std::to_string(nodes), {}};
        for (const char* const series : {"syncline", "hpcc"}) {
            if (const auto found = gathered.find(series); found != gathered.end()) {
                row.cells.push_back({series, found->second.cell()});
            }
        }
        rows.push_back(row);
    }
    return rows;
}

std::string RandomAccessBench::table(const Machine& machine) const {
    const std::vector<Row> all = rows();
    Text text;
    add(&text,
        "{}\nRandomAccess, 2^{} words, verified, millions of updates a second: median of {} by turns\nsyncline: "
        "OpenSHMEM, between nodes over xdp{}; hpcc: MPI, over Open MPI's TCP. One PE on each node, two on one\n\n",
        machine.line(), arguments_.log_words, counted(arguments_.repeats, "run"),
        arguments_.authenticate ? "" : " without authentication");
    const auto ratio = [&](const std::string& nodes) {
        for (const Row& row : all) {
            if (row.name == nodes && row.cells.size() == 2) {
                return fmt::format("{:>12}",
                                   fmt::format("{:.2f}x", row.cells[0].cell.median / row.cells[1].cell.median));
            }
        }
        return std::string();
    };
    add_table(
        &text, {8, 12}, "nodes", transposed(all),
        [](const std::string&, const Cell& cell) { return fmt::format("{:.3f}", cell.median / 1e6); }, ratio);
    return fmt::to_string(text);
}

Json RandomAccessBench::json(const Machine& machine) const {
    Json json = new_result("syncline bench random-access", machine);
    json["parameters"] = {{"quick", arguments_.quick},
                          {"log2_words", arguments_.log_words},
                          {"authenticated", arguments_.authenticate},
                          {"repeats", arguments_.repeats}};
    add_rows(&json, quantities::random_access, rows());
    return json;
}

}  // namespace

void add_bench_random_access_command(CLI::App* bench, int* exit_code) {
    auto arguments = std::make_shared<RandomAccessArguments>();
    CLI::App* const command = bench->add_subcommand(
        "random-access",
        "Run RandomAccess of the HPC Challenge on 1, 2 and 4 nodes, alternately over Syncline's OpenSHMEM and by "
        "hpcc over Open MPI. Needs root for XDP where there is more than one node.");
    command->add_flag("--quick", arguments->quick, "small tables on 1 and 2 nodes, once");
    arguments->files.add_options(command);
    command->add_option("--peer", arguments->peer, "the program to compare with: hpcc")->check(CLI::IsMember({"hpcc"}));
    arguments->peer_options.add_to(command);
    command->add_option("--nodes", arguments->nodes, "numbers of nodes, one after the other: 1,2,4 (quick: 1,2)")
        ->delimiter(',')
        ->check(CLI::Range(1u, 16u));
    command->add_option("--log2-words", arguments->log_words, "size of the table (20; quick: 16)")
        ->check(CLI::Range(10u, 30u));
    command->add_flag_callback(
        "--no-auth", [arguments] { arguments->authenticate = false; }, "do not authenticate Syncline's packets");
    command->add_option("--repeats", arguments->repeats, "runs of each (3; quick: 1)")->check(CLI::Range(1, 1000));
    command->add_option("--time-limit", arguments->time_limit_s, "limit of one run, in seconds (300)")
        ->check(CLI::Range(1, 3600));
    command->callback([arguments, exit_code] {
        set_defaults(arguments.get());
        *exit_code = run_bench<RandomAccessBench>(*arguments);
    });
}

}  // namespace syncline::bench
