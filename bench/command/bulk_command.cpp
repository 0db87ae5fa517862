// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench bulk` compares puts, gets, accumulates and lists of pieces between two nodes with a bare round trip
// of frames and with Open MPI's one-sided calls, over links of each MTU.
#include <CLI/CLI.hpp>

#include "bench/bulk/report.h"
#include "bench/command/commands.h"
#include "bench/command/quick.h"
#include "bench/command/run_bench.h"
#include "bench/measure/embedded_files.h"

namespace syncline::bench {
namespace {

struct BulkArguments {
    BulkSettings settings;
    std::vector<int> mtus = {9000, 1500};
    ResultFiles files;
};

class BulkBench {
  public:
    explicit BulkBench(const BulkArguments& arguments);

    void run();
    std::string table(const Machine& machine) const { return bulk_table(settings_, results_, machine); }
    Json json(const Machine& machine) const { return bulk_json(settings_, results_, machine); }

  private:
    BulkSettings settings_;
    const std::vector<int> mtus_;
    std::vector<BulkResult> results_;
};

BulkBench::BulkBench(const BulkArguments& arguments) : settings_(arguments.settings), mtus_(arguments.mtus) {
    require_xdp("syncline bench bulk");
    set_default(&settings_.samples, settings_.quick, 200, 2000);
    set_default(&settings_.repeats, settings_.quick, 3, 15);
}

void BulkBench::run() {
    for (const int mtu : mtus_) {
        BulkWorld world(settings_, mtu, mpi_program_source());
        Progress progress(settings_.repeats * world.steps());
        for (uint64_t i = 0; i < settings_.repeats; i++) {
            world.round(&progress);
        }
        world.finish();
        results_.push_back({mtu, world.measured()});
    }
}

}  // namespace

void add_bench_bulk_command(CLI::App* bench, int* exit_code) {
    auto arguments = std::make_shared<BulkArguments>();
    BulkSettings& settings = arguments->settings;
    CLI::App* const command = bench->add_subcommand(
        "bulk",
        "Measure fetch&add, puts, gets, accumulates, lists of pieces and packed xors between two nodes of private test "
        "beds, over xdp with and without authentication, against a bare XDP round trip and, alternately, Open MPI's "
        "one-sided calls over TCP. Ends with the ratios that the project wants to reach, and says whether this machine "
        "reached them. Needs root for XDP.");
    command->add_flag("--quick", settings.quick, "few and short batches");
    arguments->files.add_options(command);
    command->add_option("--peer", settings.peer, "the library to compare with: openmpi (MPI over TCP)")
        ->check(CLI::IsMember({"openmpi"}));
    settings.peer_options.add_to(command);
    command->add_option("--mtu", arguments->mtus, "MTUs of the links, one run for each: 9000,1500")
        ->delimiter(',')
        ->check(CLI::Range(testbed::mtu_min, testbed::mtu_max));
    command->add_option("--samples", settings.samples, "samples of a short operation in a batch (2000; quick: 200)")
        ->check(CLI::Range(20, 1'000'000));
    command->add_option("--repeats", settings.repeats, "rounds (15; quick: 3)")->check(CLI::Range(1, 10'000));
    command->add_option("--time-limit", settings.time_limit_s, "limit of one run of the peer, in seconds (120)")
        ->check(CLI::Range(1, 3600));
    command->callback([arguments, exit_code] { *exit_code = run_bench<BulkBench>(*arguments); });
}

}  // namespace syncline::bench
