// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench lock`: the lock experiments of Buntinas 2002 (figures 5 and 6) and 2003 (figures 8, 9 and 10).
//
// PE 0 is the home and does nothing else; its node has three idle PEs. The contenders are the 16 PEs of four other
// nodes, taken from each node in turn, so that almost every hand-over is between nodes.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "base/failure.h"
#include "base/version.h"
#include "bench/command/batches.h"
#include "bench/command/commands.h"
#include "bench/command/lock_trace.h"
#include "bench/command/locks.h"
#include "bench/command/run_bench.h"
#include "bench/measure/bed.h"
#include "bench/report/progress.h"

namespace syncline::bench {
namespace {

constexpr uint32_t lock_nodes = 5;
constexpr uint32_t pes_of_lock_node = 4;
constexpr uint32_t contenders_max = pes_of_lock_node * (lock_nodes - 1);

uint32_t rank_of_contender(uint32_t index) {
    return pes_of_lock_node + index % (lock_nodes - 1) * pes_of_lock_node + index / (lock_nodes - 1);
}

struct LockCondition {
    std::string name;
    TransportKind transport;
    AgentMode agent;
    int kind;
};

std::vector<LockCondition> all_conditions() {
    constexpr AgentMode block = AgentMode::kBlock;
    return {{"xdp mcs", TransportKind::kXdp, block, SYNCLINE_LOCK_MCS},
            {"udp-poll mcs", TransportKind::kUdp, AgentMode::kPoll, SYNCLINE_LOCK_MCS},
            {"udp-block mcs", TransportKind::kUdp, block, SYNCLINE_LOCK_MCS},
            {"xdp local-release", TransportKind::kXdp, block, SYNCLINE_LOCK_LOCAL_RELEASE},
            {"xdp ticket", TransportKind::kXdp, block, SYNCLINE_LOCK_TICKET},
            {"xdp hybrid", TransportKind::kXdp, block, SYNCLINE_LOCK_HYBRID}};
}

struct LockArguments : Batches {
    std::string trace;  // file of the trace; "": there is none
};

class LockBench {
  public:
    explicit LockBench(const LockArguments& arguments);

    void run();
    std::string table(const Machine& machine) const { return lock_table_of(results_, machine); }
    Json json(const Machine& machine) const { return lock_json_of(results_, machine); }

  private:
    // Returns the operations of the largest number of contenders, by the NIC if there is one, in the form that
    // `syncline sim` reads.
    std::string trace();
    void measure();
    void gather();

    using Key = std::pair<uint32_t, std::string>;
    struct Gathered {
        Gatherer both, acquire, release, requests, unfairness;
    };

    void add_bed(TransportKind transport);
    void batch(uint32_t contenders, const LockCondition& condition);
    void all_pes(BenchJob* job, const Command& command);
    void take(const Result& result, std::vector<uint32_t>* acquire, std::vector<uint32_t>* release) const;
    static Row row_of(uint32_t contenders) { return {std::to_string(contenders), {}}; }

    const LockArguments arguments_;
    LockResults results_;
    std::map<TransportKind, std::unique_ptr<Bed>> beds_;
    std::map<TransportKind, uint64_t> through_gate_;
    std::vector<LockCondition> conditions_;
    std::map<Key, Gathered> gathered_;
};

LockBench::LockBench(const LockArguments& arguments) : arguments_(arguments) {
    check_file(arguments.trace);
    results_.iterations = arguments.iterations;
    results_.repeats = arguments.repeats;
    if (const std::string why = why_no_xdp(); !why.empty()) {
        results_.remarks.push_back("XDP " + why + ": this compares the UDP agents only");
    } else {
        add_bed(TransportKind::kXdp);
    }
    add_bed(TransportKind::kUdp);
    results_.remarks.emplace_back(
        "the hybrid's server polls; with udp-poll the home's agent does, the contenders' agents block");
    for (const LockCondition& condition : all_conditions()) {
        if (beds_.contains(condition.transport)) {
            conditions_.push_back(condition);
        }
    }
}

void LockBench::add_bed(TransportKind transport) {
    const BedOptions options = {.transport = transport, .nodes = lock_nodes, .pes_of_node = pes_of_lock_node};
    beds_[transport] = std::make_unique<Bed>(options);
}

void LockBench::all_pes(BenchJob* job, const Command& command) {
    for (uint32_t rank = 0; rank < job->ranks(); rank++) {
        job->post(rank, command);
    }
    for (uint32_t rank = 0; rank < job->ranks(); rank++) {
        (void)job->collect(rank);
    }
}

void LockBench::take(const Result& result, std::vector<uint32_t>* acquire, std::vector<uint32_t>* release) const {
    for (size_t i = 0; i + 1 < result.samples.size(); i += 2) {
        acquire->push_back(result.samples[i]);
        release->push_back(result.samples[i + 1]);
    }
}

void LockBench::batch(uint32_t contenders, const LockCondition& condition) {
    BenchJob* const job = &beds_[condition.transport]->job();
    all_pes(job, {.verb = Verb::kMakeLock, .target = 0, .lock_kind = condition.kind});
    if (condition.agent != AgentMode::kBlock) {
        job->launch().set_agent_mode(condition.agent, 0);
    }
    through_gate_[condition.transport] += contenders;
    const Command command = {.verb = Verb::kContend,
                             .target = 0,
                             .count = arguments_.iterations,
                             .gate = through_gate_[condition.transport]};
    for (uint32_t i = 0; i < contenders; i++) {
        job->post(rank_of_contender(i), command);
    }
    std::vector<uint32_t> acquire;
    std::vector<uint32_t> release;
    std::vector<double> means;  // mean of each contender's acquires
    uint64_t requests = 0;
    for (uint32_t i = 0; i < contenders; i++) {
        const Result result = job->collect(rank_of_contender(i));
        const auto before = static_cast<std::ptrdiff_t>(acquire.size());
        take(result, &acquire, &release);
        means.push_back(std::accumulate(acquire.begin() + before, acquire.end(), 0.0));
        requests += result.head.value;
    }
    if (condition.agent != AgentMode::kBlock) {
        job->launch().set_agent_mode(AgentMode::kBlock, 0);
    }
    all_pes(job, {.verb = Verb::kDestroyLock});
    std::vector<uint32_t> both(acquire.size());
    std::transform(acquire.begin(), acquire.end(), release.begin(), both.begin(), std::plus<>());
    Gathered& gathered = gathered_[{contenders, condition.name}];
    gathered.both.add(both);
    gathered.acquire.add(acquire);
    gathered.release.add(release);
    gathered.unfairness.add(*std::max_element(means.begin(), means.end()) /
                            *std::min_element(means.begin(), means.end()));
    gathered.requests.add(static_cast<double>(requests) / static_cast<double>(arguments_.iterations * contenders));
}

void LockBench::run() {
    measure();
    gather();
    write_file(arguments_.trace, arguments_.trace.empty() ? "" : trace());
}

void LockBench::measure() {
    Progress progress(arguments_.repeats * arguments_.counts.size() * conditions_.size());
    for (uint64_t i = 0; i < arguments_.repeats; i++) {
        for (const uint32_t contenders : arguments_.counts) {
            for (const LockCondition& condition : conditions_) {
                progress.step(fmt::format("{} contenders, {}", contenders, condition.name));
                batch(contenders, condition);
            }
        }
    }
}

void LockBench::gather() {
    for (const uint32_t contenders : arguments_.counts) {
        Row both = row_of(contenders);
        Row acquire = row_of(contenders);
        Row release = row_of(contenders);
        Row requests = row_of(contenders);
        Row unfairness = row_of(contenders);
        for (const LockCondition& condition : conditions_) {
            const Gathered& gathered = gathered_[{contenders, condition.name}];
            both.cells.push_back({condition.name, gathered.both.cell()});
            acquire.cells.push_back({condition.name, gathered.acquire.cell()});
            release.cells.push_back({condition.name, gathered.release.cell()});
            requests.cells.push_back({condition.name, gathered.requests.cell()});
            unfairness.cells.push_back({condition.name, gathered.unfairness.cell()});
        }
        results_.both.push_back(both);
        results_.acquire.push_back(acquire);
        results_.release.push_back(release);
        results_.requests.push_back(requests);
        results_.unfairness.push_back(unfairness);
    }
}

std::string LockBench::trace() {
    constexpr uint64_t sections_most = 40;  // of each contender
    const TransportKind transport = conditions_.front().transport;
    LockTraceOptions options = {{}, pes_of_lock_node, std::min(arguments_.iterations, sections_most), 0};
    const uint32_t contenders = *std::max_element(arguments_.counts.begin(), arguments_.counts.end());
    for (uint32_t i = 0; i < contenders; i++) {
        options.contenders.push_back(rank_of_contender(i));
    }
    options.gate = through_gate_[transport] += contenders;
    return fmt::format(
        "# Operations of {} contenders for a lock on other nodes, over {}: syncline bench lock --trace.\n"
        "# Syncline {}; {}; {} sections each; {} PEs a node, node 0 is the home.\n{}",
        contenders, transport_name(transport), version(), describe_machine().line(), options.sections, pes_of_lock_node,
        record_lock_trace(&beds_[transport]->job(), options));
}

}  // namespace

void add_bench_lock_command(CLI::App* bench, int* exit_code) {
    auto arguments =
        std::make_shared<LockArguments>(LockArguments{{{500, 10, {1, 2, 4, 8, 16}}, {50, 2, {1, 2, 4}}}, {}});
    CLI::App* const command = bench->add_subcommand(
        "lock",
        "Measure acquire and release of locks by 1 to 16 contenders on private test beds: the NIC against a host "
        "agent, as in Buntinas, Panda and Gropp's \"NIC-Based Atomic Remote Memory Operations in Myrinet/GM\", "
        "figures 5 and 6, and queueing locks against a hybrid one, as in Buntinas, Saify, Panda and Nieplocha's "
        "\"Optimizing Synchronization Operations for Remote Memory Communication Systems\", figures 8 to 10. Needs "
        "root for XDP.");
    arguments->add_options(command,
                           {"acquires of each contender", "--contenders", "numbers of contenders", 1, contenders_max});
    command->add_option(
        "--trace", arguments->trace,
        "write to this file, for syncline sim, the operations that the most contenders send to other nodes in up to 40 "
        "sections each of a queueing lock");
    command->callback([arguments, exit_code] {
        arguments->set_defaults();
        *exit_code = run_bench<LockBench>(*arguments);
    });
}

}  // namespace syncline::bench
