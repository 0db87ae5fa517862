// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench lock`: the lock experiments of 000 (figures 5 and 6) and 001 (figures 8, 9 and 10).
//
// PE 0 is the home and does nothing else, on a node of its own with three idle ones. The contenders are the 16 PEs of
// four other nodes, in turn from each, so that almost every hand-over is between nodes.
#include <CLI/App.hpp>
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
#include "bench/measure/job.h"
#include "bench/report/pictures.h"
#include "bench/report/progress.h"

namespace syncline::bench {
namespace {

constexpr uint32_t nodes = 5;
constexpr uint32_t pes_of_node = 4;
constexpr uint32_t contenders_max = pes_of_node * (nodes - 1);

uint32_t rank_of_contender(uint32_t index) {
    return pes_of_node + index % (nodes - 1) * pes_of_node + index / (nodes - 1);
}

struct Condition {
    std::string name;
    TransportKind transport;
    AgentMode agent;
    int kind;
};

std::vector<Condition> all_conditions() {
    constexpr AgentMode block = AgentMode::kBlock;
    return {{"xdp mcs", TransportKind::kXdp, block, SYNCLINE_LOCK_MCS},
            {"udp-poll mcs", TransportKind::kUdp, AgentMode::kPoll, SYNCLINE_LOCK_MCS},
            {"udp-block mcs", TransportKind::kUdp, block, SYNCLINE_LOCK_MCS},
            {"xdp local-release", TransportKind::kXdp, block, SYNCLINE_LOCK_LOCAL_RELEASE},
            {"xdp ticket", TransportKind::kXdp, block, SYNCLINE_LOCK_TICKET},
            {"xdp hybrid", TransportKind::kXdp, block, SYNCLINE_LOCK_HYBRID}};
}

class LockBench {
  public:
    LockBench(uint64_t iterations, uint64_t repeats, std::vector<uint32_t> contenders);

    LockResults run();
    // Of the largest number of contenders, executed by the NIC if there is one; as `syncline sim` reads it.
    std::string trace();

  private:
    using Key = std::pair<uint32_t, std::string>;
    struct Gathered {
        Gatherer both, acquire, release, requests, unfairness;
    };

    void add_job(TransportKind transport);
    void batch(uint32_t contenders, const Condition& condition);
    void everybody(BenchJob* job, const Command& command);
    void take(const Result& result, std::vector<uint32_t>* acquire, std::vector<uint32_t>* release) const;
    static Row row_of(uint32_t contenders) { return {std::to_string(contenders), {}}; }

    const uint64_t iterations_;
    const uint64_t repeats_;
    const std::vector<uint32_t> contenders_;
    std::vector<std::string> remarks_;
    std::vector<std::unique_ptr<testbed::Testbed>> testbeds_;
    std::map<TransportKind, std::unique_ptr<BenchJob>> jobs_;  // behind the test beds: they end first
    std::map<TransportKind, uint64_t> through_gate_;
    std::vector<Condition> conditions_;
    std::map<Key, Gathered> gathered_;
};

LockBench::LockBench(uint64_t iterations, uint64_t repeats, std::vector<uint32_t> contenders)
    : iterations_(iterations), repeats_(repeats), contenders_(std::move(contenders)) {
    if (const std::string why = why_no_xdp(); !why.empty()) {
        remarks_.push_back("XDP " + why + ": this compares the UDP agents only");
    } else {
        add_job(TransportKind::kXdp);
    }
    add_job(TransportKind::kUdp);
    remarks_.emplace_back(
        "the hybrid's server polls; with udp-poll the home's agent does, the contenders' agents block");
    for (const Condition& condition : all_conditions()) {
        if (jobs_.contains(condition.transport)) {
            conditions_.push_back(condition);
        }
    }
}

void LockBench::add_job(TransportKind transport) {
    LaunchOptions options;
    options.transport = transport;
    options.authenticate = false;
    options.ranks = nodes * pes_of_node;
    options.nodes = nodes;
    options.agent_mode = AgentMode::kBlock;
    options.udp_port = SLW_DEFAULT_UDP_PORT + 16 + static_cast<uint32_t>(jobs_.size());
    if (why_no_xdp().empty()) {
        testbed::Options wanted;
        wanted.nodes = static_cast<int>(nodes);
        testbeds_.push_back(std::make_unique<testbed::Testbed>(testbed::Testbed::create(wanted)));
        options.shared_testbed = testbeds_.back().get();
    }
    jobs_[transport] = std::make_unique<BenchJob>(std::move(options), 65536);
}

void LockBench::everybody(BenchJob* job, const Command& command) {
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

void LockBench::batch(uint32_t contenders, const Condition& condition) {
    BenchJob* const job = jobs_[condition.transport].get();
    everybody(job, {.verb = Verb::kMakeLock, .target = 0, .bytes = static_cast<uint64_t>(condition.kind)});
    if (condition.agent != AgentMode::kBlock) {
        job->launch().set_agent_mode(condition.agent, 0);
    }
    through_gate_[condition.transport] += contenders;
    const Command command = {
        .verb = Verb::kContend, .target = 0, .count = iterations_, .seed = through_gate_[condition.transport]};
    for (uint32_t i = 0; i < contenders; i++) {
        job->post(rank_of_contender(i), command);
    }
    std::vector<uint32_t> acquire;
    std::vector<uint32_t> release;
    std::vector<double> means;  // of each contender's acquires
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
    everybody(job, {.verb = Verb::kDestroyLock});
    std::vector<uint32_t> both(acquire.size());
    std::transform(acquire.begin(), acquire.end(), release.begin(), both.begin(), std::plus<>());
    Gathered& gathered = gathered_[{contenders, condition.name}];
    gathered.both.add(both);
    gathered.acquire.add(acquire);
    gathered.release.add(release);
    gathered.unfairness.add(*std::max_element(means.begin(), means.end()) /
                            *std::min_element(means.begin(), means.end()));
    gathered.requests.add(static_cast<double>(requests) / static_cast<double>(iterations_ * contenders));
}

LockResults LockBench::run() {
    {
        Progress progress(repeats_ * contenders_.size() * conditions_.size());
        for (uint64_t i = 0; i < repeats_; i++) {
            for (const uint32_t contenders : contenders_) {
                for (const Condition& condition : conditions_) {
                    progress.step(fmt::format("{} contenders, {}", contenders, condition.name));
                    batch(contenders, condition);
                }
            }
        }
    }
    LockResults results = {iterations_, repeats_, remarks_, contenders_, {}, {}, {}, {}, {}};
    for (const uint32_t contenders : contenders_) {
        Row both = row_of(contenders);
        Row acquire = row_of(contenders);
        Row release = row_of(contenders);
        Row requests = row_of(contenders);
        Row unfairness = row_of(contenders);
        for (const Condition& condition : conditions_) {
            const Gathered& gathered = gathered_[{contenders, condition.name}];
            both.cells.push_back({condition.name, gathered.both.cell()});
            acquire.cells.push_back({condition.name, gathered.acquire.cell()});
            release.cells.push_back({condition.name, gathered.release.cell()});
            requests.cells.push_back({condition.name, gathered.requests.cell()});
            unfairness.cells.push_back({condition.name, gathered.unfairness.cell()});
        }
        results.both.push_back(both);
        results.acquire.push_back(acquire);
        results.release.push_back(release);
        results.requests.push_back(requests);
        results.unfairness.push_back(unfairness);
    }
    return results;
}

std::string LockBench::trace() {
    constexpr uint64_t sections_most = 40;  // of each
    const TransportKind transport = conditions_.front().transport;
    LockTraceOptions options = {{}, pes_of_node, std::min(iterations_, sections_most), 0};
    const uint32_t contenders = *std::max_element(contenders_.begin(), contenders_.end());
    for (uint32_t i = 0; i < contenders; i++) {
        options.contenders.push_back(rank_of_contender(i));
    }
    options.gate = through_gate_[transport] += contenders;
    return fmt::format(
        "# What {} contenders for a lock sent to other nodes, over {}: syncline bench lock --trace.\n"
        "# Syncline {}; {}; {} sections each; {} PEs a node, node 0 is the home.\n{}",
        contenders, transport_name(transport), version(), describe_machine().line(), options.sections, pes_of_node,
        record_lock_trace(jobs_[transport].get(), options));
}

struct Arguments {
    Batches batches = {500, 10, {1, 2, 4, 8, 16}, {}};
    std::string trace;  // "": none
};

int bench_lock(const Arguments& arguments) {
    const Batches& batches = arguments.batches;
    batches.files.check();
    check_file(arguments.trace);
    LockBench bench(batches.iterations, batches.repeats, batches.counts);
    const LockResults results = bench.run();
    const Machine machine = describe_machine();
    fmt::print("{}", lock_table_of(results, machine));
    const Json json = lock_json_of(results, machine);
    batches.files.write(text_of(json), picture_of(json));
    write_file(arguments.trace, arguments.trace.empty() ? "" : bench.trace());
    return 0;
}

}  // namespace

void add_bench_lock_command(CLI::App* bench, int* exit_code) {
    auto arguments = std::make_shared<Arguments>();
    CLI::App* const command = bench->add_subcommand(
        "lock",
        "Acquire and release of locks by 1 to 16 contenders on private test beds: the NIC against a host "
        "agent, as in Buntinas, Panda and Gropp's \"NIC-Based Atomic Remote Memory Operations in Myrinet/GM\", figures "
        "5 and 6, and queueing locks against a hybrid one, as in Buntinas, Saify, Panda and Nieplocha's \"Optimizing "
        "Synchronization Operations for Remote Memory Communication Systems\", figures 8 to 10. Needs root for XDP.");
    arguments->batches.add_options(command,
                                   {"acquires of each contender", "--contenders", "how many", 1, contenders_max});
    command->add_option(
        "--trace", arguments->trace,
        "write what the most contenders send to other nodes to this file, in up to 40 sections each of a "
        "queueing lock, for syncline sim");
    command->callback([arguments, exit_code] { *exit_code = bench_lock(*arguments); });
}

}  // namespace syncline::bench
