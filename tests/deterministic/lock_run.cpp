// SPDX-License-Identifier: BSD-3-Clause
#include "tests/deterministic/lock_run.h"

#include <fmt/ranges.h>

#include <cstring>

#include "base/status.h"
#include "runtime/collective/job_barrier.h"
#include "tests/deterministic/draw.h"
#include "tests/deterministic/referee.h"

namespace syncline::deterministic {
namespace {

constexpr syncline_address_t counter_at = heap_reserved_bytes;  // what the lock guards
constexpr syncline_address_t lock_at = heap_reserved_bytes + 128;
constexpr uint64_t long_hold_ns = 250 * ns_per_ms;  // others begin to wonder whether the holder lives
constexpr uint64_t time_limit_ns = 120 * ns_per_s;

// When a fault strikes its victim: at any step; soon after it has begun to acquire, to use what the lock guards, or to
// release; some time after it has begun to acquire.
enum class Moment { kAny, kAcquire, kHold, kRelease, kWait };
constexpr uint64_t moments = 5;

enum class Fault { kNone, kProcess, kNode, kSilent, kBlackout, kStopped };
constexpr const char* const fault_names[] = {"none",        "killed process",           "killed node",
                                             "silent node", "node cut off for a while", "stopped process"};

struct Plan {
    WorldOptions world;
    uint32_t generations = 1;  // the lock is destroyed and created again
    uint32_t rounds = 1;
    uint32_t where = 0;  // the counter
    uint32_t units = 1;
    Fault fault = Fault::kNone;
    uint32_t victim = 0;
    Moment moment = Moment::kAny;
    uint64_t calls = 0;     // of the moment's kind, before it
    uint64_t at_step = 0;   // from the moment on
    uint64_t waits_ns = 0;  // the same, of kWait
    uint64_t duration_ns = 0;
    bool bystander = false;  // the victim does not use the lock
    double timed = 0, tries = 0, readers = 0, long_holds = 0;
    uint64_t rest_ns = 0, hold_ns = 0;  // at most
};

constexpr bool is_of_node(Fault fault) {
    return fault == Fault::kNode || fault == Fault::kSilent || fault == Fault::kBlackout;
}

void draw_fault(Prng* prng, uint32_t ranks, Plan* plan) {
    const Fault faults[] = {Fault::kProcess, Fault::kProcess,  Fault::kNode,
                            Fault::kSilent,  Fault::kBlackout, Fault::kStopped};
    plan->fault = prng->below(5) < 2 ? Fault::kNone : faults[prng->below(6)];
    plan->victim = static_cast<uint32_t>(prng->below(ranks));
    plan->moment = static_cast<Moment>(prng->below(moments));
    plan->calls = prng->below(4);
    plan->at_step = 1 + prng->below(plan->moment == Moment::kAny ? one_of(prng, {300, 3000}) : one_of(prng, {4, 40}));
    plan->waits_ns = prng->below(one_of(prng, {50 * ns_per_us, ns_per_ms, 300 * ns_per_ms}));
    plan->bystander = plan->fault != Fault::kNone && prng->below(6) == 0;
    plan->moment = plan->bystander ? Moment::kAny : plan->moment;
    // Silence must be told from loss: where nodes fall silent, little else is lost.
    plan->world.endpoint.peer_timeout_ms = 5000;
    if (is_of_node(plan->fault)) {
        plan->world.endpoint.peer_timeout_ms = 300;
        plan->world.faults.loss = std::min(plan->world.faults.loss, 0.01);
    }
    plan->duration_ns =
        prng->below(plan->fault == Fault::kBlackout && prng->below(2) == 0 ? 100 * ns_per_ms : ns_per_s);
}

Plan draw_plan(uint64_t seed) {
    Prng prng(seed * 0x9E3779B97F4A7C15u);
    Plan plan;
    draw_world(&prng, &plan.world);
    uint32_t ranks = 0;
    for (const uint32_t ports : plan.world.ports) {
        ranks += ports;
    }
    draw_fault(&prng, ranks, &plan);
    plan.generations = static_cast<uint32_t>(1 + prng.below(2));
    plan.rounds = static_cast<uint32_t>(1 + prng.below(6));
    plan.where = static_cast<uint32_t>(prng.below(ranks));
    plan.units = static_cast<uint32_t>(1 + prng.below(3));
    const double shares[] = {0, 0, 0.3, 0.8};
    plan.timed = shares[prng.below(4)];
    plan.tries = shares[prng.below(3)];
    plan.readers = shares[1 + prng.below(3)];
    plan.rest_ns = one_of(&prng, {1, 20 * ns_per_us, 3 * ns_per_ms});
    plan.hold_ns = one_of(&prng, {1, 10 * ns_per_us, 500 * ns_per_us});
    plan.long_holds = prng.below(3) == 0 ? 0.1 : 0;
    if (plan.fault != Fault::kNone && plan.moment == Moment::kWait) {  // there is to be a queue
        plan.rest_ns = 1;
        plan.tries = 0;
    }
    return plan;
}

class LockRun {
  public:
    LockRun(uint64_t seed, LockKind kind, const Plan& plan)
        : plan_(plan), kind_(kind), world_(seed, plan.world), referee_(&world_) {}

    LockOutcome run();

  private:
    Prng& prng() { return world_.scheduler().prng(); }
    void comes(Moment moment, uint32_t rank);
    void strike();
    void note_victim(uint32_t rank);
    void program(Endpoint* endpoint);
    bool generation(Endpoint* endpoint, JobBarrier* barrier, uint32_t number);
    bool round(Endpoint* endpoint, AnyLock* lock);
    void critical_section(Endpoint* endpoint, bool reader);
    void hold() { pause(prng().chance(plan_.long_holds) ? long_hold_ns : plan_.hold_ns); }
    void pause(uint64_t ns_max) { world_.scheduler().compute(1 + prng().below(ns_max)); }
    bool uses_lock(uint32_t rank) const { return !(plan_.bystander && rank == plan_.victim); }
    bool meet(Endpoint* endpoint, JobBarrier* barrier, const char* what);
    std::string where_all_are() const;
    void check_count();

    const Plan plan_;
    const LockKind kind_;
    World world_;
    Referee referee_;
    uint32_t home_ = 0;
    uint64_t calls_ = 0;
    uint32_t begun_ = 0;  // generations
    bool struck_ = false;
    Elements victims_;
    std::vector<const char*> at_;  // where each PE is in its program
};

void LockRun::comes(Moment moment, uint32_t rank) {
    if (plan_.fault != Fault::kNone && moment == plan_.moment && rank == plan_.victim && calls_++ == plan_.calls) {
        Scheduler& scheduler = world_.scheduler();
        if (moment == Moment::kWait) {
            scheduler.at(scheduler.now() + plan_.waits_ns, [this] { strike(); });
        } else {
            scheduler.at_step(rank, scheduler.steps(rank) + plan_.at_step, [this] { strike(); });
        }
    }
}

void LockRun::strike() {
    const uint32_t node = world_.node_of(plan_.victim);
    struck_ = true;
    for (uint32_t rank = 0; rank < world_.size(); rank++) {
        if (rank == plan_.victim || (is_of_node(plan_.fault) && world_.node_of(rank) == node)) {
            note_victim(rank);
        }
    }
    if (plan_.fault == Fault::kStopped) {
        world_.scheduler().stop_for(plan_.victim, plan_.duration_ns);
        return;
    }
    const uint64_t timeout_ns = uint64_t{plan_.world.endpoint.peer_timeout_ms} * ns_per_ms;
    if (plan_.fault != Fault::kBlackout || plan_.duration_ns > timeout_ns / 2) {
        referee_.excuse();
    }
    if (plan_.fault == Fault::kProcess) {
        world_.kill(plan_.victim);
        referee_.died(plan_.victim);
    } else if (plan_.fault == Fault::kNode) {
        world_.kill_node(node);
        for (uint32_t rank = 0; rank < world_.size(); rank++) {
            if (world_.node_of(rank) == node) {
                referee_.died(rank);
            }
        }
    } else {
        world_.cut(node, true);
    }
    if (plan_.fault == Fault::kBlackout) {
        world_.scheduler().at(world_.scheduler().now() + plan_.duration_ns, [this, node] { world_.cut(node, false); });
    }
}

// Its role at this moment.
void LockRun::note_victim(uint32_t rank) {
    const bool barrier = std::strncmp(at_[rank], "of ", 3) == 0;
    Elements roles = {barrier ? "PE in a barrier" : referee_.role_of(rank)};
    if (referee_.is_home(rank)) {
        roles.emplace_back("home");
    }
    for (const std::string& element : product({fault_names[static_cast<int>(plan_.fault)]}, roles)) {
        victims_.push_back(element);
    }
}

// A barrier that fails is excused by a fault, and the end of the program.
bool LockRun::meet(Endpoint* endpoint, JobBarrier* barrier, const char* what) {
    at_[endpoint->rank()] = what;
    const int status = barrier->run();
    at_[endpoint->rank()] = "after a barrier";
    if (status != SYNCLINE_OK && !referee_.excused()) {
        referee_.wrong(fmt::format("the barrier {} says '{}', and no PE has died", what, status_text(status)));
    }
    return status == SYNCLINE_OK;
}

std::string LockRun::where_all_are() const {
    std::string text;
    for (uint32_t rank = 0; rank < at_.size(); rank++) {
        text += fmt::format(" PE {} of node {}: {}{};", rank, world_.node_of(rank), world_.dead(rank) ? "dead, " : "",
                            at_[rank]);
    }
    return text;
}

void LockRun::check_count() {
    referee_.reads(plan_.where, SYNCLINE_OK, world_.peek(plan_.where, counter_at));
}

void LockRun::critical_section(Endpoint* endpoint, bool reader) {
    const auto where = static_cast<int>(plan_.where);
    uint64_t count = 0;
    if (kind_ == LockKind::kSemaphore) {
        hold();
        return;
    }
    int status = endpoint->bulk().get(where, counter_at, &count, sizeof(count));
    referee_.reads(endpoint->rank(), status, count);
    hold();
    if (status == SYNCLINE_OK) {
        status = endpoint->bulk().get(where, counter_at, &count, sizeof(count));
        referee_.reads(endpoint->rank(), status, count);
    }
    if (reader || status != SYNCLINE_OK) {
        return;
    }
    // Not waited for half of the time: the release sees to it.
    count++;
    referee_.writes(count);
    if (prng().below(2) == 0) {
        status = endpoint->bulk().put(where, counter_at, &count, sizeof(count));
    } else {
        status = endpoint->posting().post_word(SYNCLINE_SWAP | SYNCLINE_64, where, counter_at, count);
    }
    if (status != SYNCLINE_OK) {
        referee_.write_failed();
    }
}

// False: there is no use in going on.
bool LockRun::round(Endpoint* endpoint, AnyLock* lock) {
    const uint32_t rank = endpoint->rank();
    const bool reader = kind_ == LockKind::kReadersWriter && prng().chance(plan_.readers);
    const bool tries = prng().chance(plan_.tries);
    uint64_t deadline = no_deadline;
    if (!tries && prng().chance(plan_.timed)) {
        deadline =
            world_.scheduler().now() + prng().below(one_of(&prng(), {20 * ns_per_us, 2 * ns_per_ms, 200 * ns_per_ms}));
    }
    at_[rank] = "in a round";
    comes(Moment::kAcquire, rank);
    comes(Moment::kWait, rank);
    referee_.asks(rank, reader, tries ? 0 : deadline);
    const int status = tries ? lock->try_acquire(reader) : lock->acquire(reader, deadline);
    referee_.answers(rank, status);
    if (status != SYNCLINE_OK) {
        return status == SYNCLINE_ERR_TIMEOUT || status == SYNCLINE_ERR_BUSY;
    }
    if (kind_ == LockKind::kLocalRelease && lock->last_holder() != referee_.last_holder()) {
        referee_.wrong(fmt::format("PE {} is told that the lock was PE {}'s before, and it was PE {}'s", rank,
                                   lock->last_holder(), referee_.last_holder()));
    }
    comes(Moment::kHold, rank);
    critical_section(endpoint, reader);
    comes(Moment::kRelease, rank);
    referee_.leaves(rank);
    const int left = lock->release();
    if (left != SYNCLINE_OK) {
        referee_.write_failed();
    }
    referee_.left(rank, left);
    return left == SYNCLINE_OK;
}

// Creates a lock as the API does, uses it and destroys it. False if a barrier has failed.
bool LockRun::generation(Endpoint* endpoint, JobBarrier* barrier, uint32_t number) {
    const auto size = static_cast<int>(world_.size());
    std::memset(endpoint->memory().local(lock_at), 0, LockLayout::bytes_for(size));
    if (begun_ == number) {
        begun_++;
        home_ = static_cast<uint32_t>(prng().below(world_.size()));
        referee_.begin(kind_, lock_at, home_, plan_.units);
    }
    AnyLock lock(kind_, endpoint, lock_at, static_cast<int>(home_), plan_.units);
    if (!meet(endpoint, barrier, "of creation")) {
        return false;
    }
    for (uint32_t i = 0; i < plan_.rounds && uses_lock(endpoint->rank()); i++) {
        pause(plan_.rest_ns);
        if (!round(endpoint, &lock)) {
            break;
        }
    }
    return meet(endpoint, barrier, "of destruction");
}

void LockRun::program(Endpoint* endpoint) {
    JobBarrier barrier(endpoint);
    for (uint32_t number = 0; number < plan_.generations && generation(endpoint, &barrier, number); number++) {
        check_count();
    }
    // As syncline_finalize() does.
    (void)endpoint->posting().quiet();
    const bool all_came = meet(endpoint, &barrier, "of the end");
    (void)endpoint->posting().quiet();
    if (all_came) {
        barrier.part();
    }
    at_[endpoint->rank()] = "ended";
}

LockOutcome LockRun::run() {
    referee_.begin(kind_, lock_at, 0, plan_.units);
    at_.assign(world_.size(), "begins");
    if (plan_.moment == Moment::kAny) {
        calls_ = plan_.calls;
        comes(Moment::kAny, plan_.victim);
    }
    const bool ended = world_.run([this](Endpoint* endpoint) { program(endpoint); }, time_limit_ns);
    if (!ended) {
        referee_.wrong(fmt::format("some PE waits for ever:{};{}", referee_.who_is_in(), where_all_are()));
    }
    return {.wrong = referee_.verdict(),
            .digest = world_.scheduler().digest(),
            .grants = referee_.grants(),
            .packets = world_.packets(),
            .virtual_ns = world_.scheduler().now(),
            .slowest_answer_ns = referee_.slowest_answer(),
            .fault = struck_,
            .broken = referee_.excused(),
            .struck = victims_};
}

// Explains a failure.
std::string describe(const Plan& plan) {
    return fmt::format(
        "nodes of {} PEs, ranks [{}], window {}, {}, {}, {}, loss {}, repeated {}, late {}, fault: {}, PE {} at step "
        "{} for "
        "{} us",
        fmt::join(plan.world.ports, ", "), fmt::join(plan.world.ranks, ", "), plan.world.window,
        plan.world.deposits ? "NICs deposit" : "sockets", plan.world.endpoint.direct ? "direct" : "packets only",
        plan.world.endpoint.wait_mode == SYNCLINE_WAIT_POLL ? "poll" : "block", plan.world.faults.loss,
        plan.world.faults.repeat, plan.world.faults.late, fault_names[static_cast<int>(plan.fault)], plan.victim,
        plan.at_step, plan.duration_ns / ns_per_us);
}

}  // namespace

// The places in a queue, with each transport and way to wait, are not left to the draw: see lock_deaths_test.cpp.
Elements lock_faults(LockKind kind) {
    Elements all =
        product({"killed process", "killed node"}, {"holder", "releaser", "entering PE", "home", "PE in a barrier"});
    const Elements more = product({"silent node", "node cut off for a while", "stopped process"}, {"holder", "home"});
    all.insert(all.end(), more.begin(), more.end());
    if (kind == LockKind::kReadersWriter) {
        all.emplace_back("killed process: reading holder");
        all.emplace_back("killed node: reading holder");
    }
    return all;
}

LockOutcome run_locks(uint64_t seed, LockKind kind, bool forgetful) {
    Plan plan = draw_plan(seed);
    plan.world.forgetful = forgetful;
    LockOutcome run = LockRun(seed, kind, plan).run();
    run.wrong += run.wrong.empty() ? "" : "\n(" + describe(plan) + ")";
    return run;
}

}  // namespace syncline::deterministic
