// SPDX-License-Identifier: BSD-3-Clause
#include "tests/deterministic/dsm_run.h"

#include <fmt/ranges.h>

#include <numeric>

#include "base/failure.h"
#include "base/status.h"
#include "runtime/collective/job_barrier.h"
#include "runtime/ground/error_text.h"
#include "tests/deterministic/draw.h"
#include "tests/deterministic/dsm_machine.h"
#include "tests/dsm/actor.h"

namespace syncline::deterministic {
namespace {

using dsm::Protocol;
using dsm::SharedMemory;

constexpr uint64_t dsm_time_limit_ns = 300 * ns_per_s;
constexpr uint32_t dsm_barrier = 0;

// Points of the program at which its process is killed; the first: at any step.
const Elements dsm_moments = {"any moment", "in a fault",   "in lock",        "in try_lock",
                              "in unlock",  "in prefetch",  "in the barrier", "waiting for a condition",
                              "in signal",  "in broadcast", "setting a flag", "waiting for a flag"};

struct DsmPlan {
    WorldOptions world;
    dsm::Shape shape = {};
    SimulatedView::Limits limits = {};
    uint32_t threads = 1;  // of each process
    uint32_t phases = 1;
    uint32_t moves = 1;
    uint32_t assigned = 0;  // so many pages in front have homes that are said, not those of the first touch
    uint32_t homes = 0;     // how they are said
    int barrier = SYNCLINE_BARRIER_AUTO;  // its algorithm
    bool dies = false;
    bool with_node = false;
    uint32_t victim = 0;
    std::string moment;
    uint64_t times = 0;    // it has come before
    uint64_t at_step = 0;  // from then on
};

// Most memories are small, so that all that happens, happens to each page. Some have more pages than a process has
// twins for.
DsmPlan draw_dsm_plan(uint64_t seed, Protocol protocol, bool dies) {
    Prng prng(seed * 11);
    DsmPlan plan;
    const auto below = [&](uint64_t bound) { return static_cast<uint32_t>(prng.below(bound)); };
    const uint32_t processes = 2 + std::min(below(7), below(7));
    const uint32_t nodes = 1 + below(processes);
    plan.world.ports.assign(nodes, 1);
    for (uint32_t i = nodes; i < processes; i++) {
        plan.world.ports[below(nodes)]++;
    }
    draw_conditions(&prng, &plan.world);
    plan.shape = {processes, below(4) == 0 ? 20 + below(30) : 4 + below(10), 2 + below(4), protocol != Protocol::kNic};
    plan.shape.records = static_cast<uint32_t>(one_of(&prng, {8, 16, 64}));
    plan.shape.mail_cells = static_cast<uint32_t>(one_of(&prng, {4, 8, 32}));
    plan.shape.row_records = static_cast<uint32_t>(one_of(&prng, {1, 3, 29}));
    plan.world.heap_bytes = heap_reserved_bytes + dsm::Layout(plan.shape).bytes;
    plan.threads = below(3) == 0 ? 2 + below(2) : 1;
    plan.limits.mappings = static_cast<uint32_t>(one_of(&prng, {1, 4, 1000}));
    plan.limits.hides = static_cast<uint32_t>(one_of(&prng, {0, 0, 50}));
    plan.phases = 1 + below(3);
    plan.moves = 5 + below(35);
    plan.assigned = below(2) == 0 ? below(plan.shape.pages + 1) : 0;
    plan.homes = below(3);
    plan.dies = dies;
    plan.with_node = below(4) == 0;
    plan.victim = below(processes);
    plan.moment = dsm_moments[below(3) == 0 ? 0 : below(dsm_moments.size())];
    plan.times = plan.moment == dsm_moments[0] ? 0 : below(one_of(&prng, {1, 4, 20}));
    plan.at_step = 1 + prng.below(plan.moment == dsm_moments[0] ? one_of(&prng, {300, 3000, 10000}) : 30);
    if (below(5) == 0) {
        plan.world.card.kind = CardKind::kOwning;
    }
    plan.barrier = below(3) == 0 ? SYNCLINE_BARRIER_SIGNALS : SYNCLINE_BARRIER_AUTO;
    if (dies && plan.with_node) {  // silence must be told from loss
        plan.world.endpoint.peer_timeout_ms = 300;
        plan.world.faults.loss = std::min(plan.world.faults.loss, 0.01);
    }
    return plan;
}

class DsmRun {
  public:
    DsmRun(uint64_t seed, Protocol protocol, const DsmPlan& plan);
    DsmOutcome run();

  private:
    void process(Endpoint* endpoint);
    void take_part(Endpoint* endpoint, Barrier* barrier);
    void use_memory(SharedMemory* shared, SimulatedView* view, uint32_t rank);
    void assign_homes(SharedMemory* shared);
    void run_threads(SimulatedProcess* own, uint32_t rank);
    void run_actor(SimulatedProcess* own, uint32_t actor);
    void comes(const std::string& moment);
    void strike();
    [[noreturn]] void lost(uint32_t rank, const std::string& sentence);
    void wrong(const std::string& what);
    std::string where_all_are() const;
    void check_end(bool all_ended);

    const DsmPlan plan_;
    const Protocol protocol_;
    const dsm_test::Program program_;
    World world_;
    SimulatedMachine::Referee referee_;
    std::vector<bool> lost_, through_, ended_;  // through: only the last barrier is missing
    uint64_t times_ = 0;
    bool struck_ = false;
    bool victim_was_through_ = false;
    Elements reached_;
    std::string wrong_;
};

DsmRun::DsmRun(uint64_t seed, Protocol protocol, const DsmPlan& plan)
    : plan_(plan),
      protocol_(protocol),
      program_(seed, {plan.shape.processes * plan.threads, uint64_t{plan.shape.pages} * dsm::page_bytes,
                      plan.shape.locks, plan.phases, plan.moves}),
      world_(seed, plan.world),
      lost_(plan.shape.processes),
      through_(plan.shape.processes),
      ended_(plan.shape.processes) {
    referee_.versions.resize(program_.variables().size());
    referee_.wrong = [this](const std::string& what) {
        wrong(what);
        world_.end_running();
    };
    referee_.doing.assign(program_.size().actors, "starting");
    referee_.begins = [this](uint32_t actor) {
        if (actor % world_.size() == plan_.victim) {
            comes(referee_.doing[actor]);
        }
    };
    comes(dsm_moments[0]);
}

void DsmRun::comes(const std::string& moment) {
    if (plan_.dies && moment == plan_.moment && times_++ == plan_.times) {
        Scheduler& scheduler = world_.scheduler();
        scheduler.at_step(plan_.victim, scheduler.steps(plan_.victim) + plan_.at_step, [this] { strike(); });
    }
}

void DsmRun::strike() {
    struck_ = true;
    victim_was_through_ = through_[plan_.victim];
    const char* const fault = plan_.with_node ? "killed node" : "killed process";
    for (uint32_t actor = 0; actor < program_.size().actors; actor++) {
        const bool is_victim = actor % world_.size() == plan_.victim;
        reached_.push_back(fmt::format("{}: {} {}", fault, is_victim ? "it is" : "others are", referee_.doing[actor]));
    }
    if (plan_.with_node) {
        world_.kill_node(world_.node_of(plan_.victim));
    } else {
        world_.kill(plan_.victim);
    }
}

void DsmRun::wrong(const std::string& what) {
    if (wrong_.empty()) {
        wrong_ = fmt::format("at {} us: {}", world_.scheduler().now() / ns_per_us, what);
        world_.scheduler().stop();
    }
}

void DsmRun::lost(uint32_t rank, const std::string& sentence) {
    lost_[rank] = true;
    if (!struck_) {
        wrong(fmt::format("PE {}: shared memory is lost without a death: {};{}", rank, sentence, where_all_are()));
    }
    world_.end_running();
}

void DsmRun::assign_homes(SharedMemory* shared) {
    shared->assign_homes(0, plan_.assigned, [&](uint32_t page) {
        const uint32_t homes[] = {page % plan_.shape.processes, page * plan_.shape.processes / plan_.assigned,
                                  plan_.victim};
        return homes[plan_.homes];
    });
}

void DsmRun::run_actor(SimulatedProcess* own, uint32_t actor) {
    SimulatedMachine machine(&world_, own, &referee_, actor);
    dsm_test::Actor(&program_, actor, &machine).run();
    referee_.doing[actor] = "at the end";
}

void DsmRun::run_threads(SimulatedProcess* own, uint32_t rank) {
    std::vector<std::shared_ptr<Scheduler::Thread>> others;
    for (uint32_t thread = 1; thread < plan_.threads; thread++) {
        const uint32_t actor = rank + thread * plan_.shape.processes;
        others.push_back(world_.scheduler().start_thread([this, own, actor] { run_actor(own, actor); }));
    }
    run_actor(own, rank);
    for (const auto& other : others) {
        world_.scheduler().join(*other);
    }
}

void DsmRun::use_memory(SharedMemory* shared, SimulatedView* view, uint32_t rank) {
    SimulatedProcess own = {shared, view, plan_.threads};
    if (rank == 0 && plan_.assigned != 0) {
        assign_homes(shared);
    }
    shared->barrier();
    run_threads(&own, rank);
    through_[rank] = true;
    shared->barrier();
    ended_[rank] = true;
    referee_.doing[rank] = "closing";
}

// As Session does.
void DsmRun::take_part(Endpoint* endpoint, Barrier* barrier) {
    const uint32_t rank = endpoint->rank();
    const auto slots =
        static_cast<uint8_t*>(endpoint->memory().local(heap_reserved_bytes + dsm::Layout(plan_.shape).slots));
    SimulatedView view(plan_.shape.pages, slots, plan_.limits, &world_.scheduler(), referee_.wrong);
    {
        SharedMemory shared(
            {endpoint, heap_reserved_bytes, barrier, &view, [this, rank](int) { lost(rank, last_sentence()); }},
            plan_.shape, protocol_);
        use_memory(&shared, &view, rank);
        if (const int status = barrier->pass(); status != SYNCLINE_OK) {
            lost(rank, status_text(status));
        }
    }
    if (const int status = barrier->close(); status != SYNCLINE_OK) {
        lost(rank, status_text(status));
    }
}

void DsmRun::process(Endpoint* endpoint) {
    const uint32_t rank = endpoint->rank();
    std::vector<uint32_t> all(endpoint->size());
    std::iota(all.begin(), all.end(), 0u);
    try {
        BarrierHistory history(endpoint);
        const std::unique_ptr<Barrier> barrier =
            open_barrier(endpoint, &history, dsm_barrier, all, {.algorithm = plan_.barrier});
        take_part(endpoint, barrier.get());
    } catch (const Failure& failure) {
        lost(rank, failure.what());
    }
    referee_.doing[rank] = "leaving";
    JobBarrier leaving(endpoint);
    if (leaving.run() == SYNCLINE_OK) {
        leaving.part();
    }
    referee_.doing[rank] = "ended";
}

std::string DsmRun::where_all_are() const {
    std::string text;
    for (uint32_t actor = 0; actor < program_.size().actors; actor++) {
        const uint32_t rank = actor % world_.size();
        text += fmt::format(" PE {} of node {}: {}{};", rank, world_.node_of(rank),
                            lost_[rank]         ? "lost, "
                            : world_.dead(rank) ? "dead, "
                                                : "",
                            referee_.doing[actor]);
    }
    return text;
}

// Without the victim no process comes through.
void DsmRun::check_end(bool all_ended) {
    if (!all_ended) {
        wrong(fmt::format("some process waits for ever:{}", where_all_are()));
    }
    for (uint32_t rank = 0; rank < world_.size(); rank++) {
        if (struck_ && !victim_was_through_ && ended_[rank]) {
            wrong(fmt::format("PE {} comes through, and PE {} was killed:{}", rank, plan_.victim, where_all_are()));
        }
    }
}

DsmOutcome DsmRun::run() {
    check_end(world_.run([this](Endpoint* endpoint) { process(endpoint); }, dsm_time_limit_ns));
    return {wrong_, world_.scheduler().digest(), world_.packets(), world_.scheduler().now(), reached_};
}

std::string describe(const DsmPlan& plan) {
    return fmt::format(
        "nodes of {} PEs, ranks [{}], {} threads each, {} pages, {} locks, {} records, {} in a row, homes {} of {} "
        "pages, {} phases "
        "of {} moves, window {}, {}, {}, {}, loss {}, repeated {}, late {}, preemption {}{}",
        fmt::join(plan.world.ports, ", "), fmt::join(plan.world.ranks, ", "), plan.threads, plan.shape.pages,
        plan.shape.locks, plan.shape.records, plan.shape.row_records, plan.homes, plan.assigned, plan.phases,
        plan.moves, plan.world.window, plan.world.deposits ? "NICs deposit" : "sockets",
        plan.world.endpoint.direct ? "direct" : "packets only",
        plan.world.endpoint.wait_mode == SYNCLINE_WAIT_POLL ? "poll" : "block", plan.world.faults.loss,
        plan.world.faults.repeat, plan.world.faults.late, plan.world.preemption,
        plan.dies ? fmt::format(", {} {} dies at step {} of {} {}", plan.with_node ? "the node of PE" : "PE",
                                plan.victim, plan.at_step, plan.moment, plan.times)
                  : "");
}

}  // namespace

DsmOutcome run_dsm(uint64_t seed, Protocol protocol, bool dies) {
    const DsmPlan plan = draw_dsm_plan(seed, protocol, dies);
    DsmOutcome outcome = DsmRun(seed, protocol, plan).run();
    outcome.wrong += outcome.wrong.empty() ? "" : "\n(" + describe(plan) + ")";
    return outcome;
}

}  // namespace syncline::deterministic
