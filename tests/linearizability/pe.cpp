// SPDX-License-Identifier: BSD-3-Clause
// Method: every PE of a job does seeded random operations on objects that all share, and keeps a history of them. The
// checker then looks for an order of all operations, of all PEs, that explains every result and contradicts no clock.
//
// With --kill-after the last PE is killed with SIGKILL once it has begun so many operations, in the middle of whatever
// it then does.
#include "tests/linearizability/pe.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>

namespace linearizability {

namespace {
constexpr uint64_t turn_max = 3;   // operations in a turn
constexpr uint64_t patience = 20;  // how often the turns that are planned, until a PE has been killed
}  // namespace

void fail(const std::string& what) {
    std::fprintf(stderr, "linearizability_pe: PE %d: %s\n", syncline_rank(), what.c_str());
    syncline_abort(1);
}

syncline_address_t allocate(size_t bytes) {
    syncline_address_t address = SYNCLINE_ADDRESS_NONE;
    must(syncline_alloc(bytes, 0, &address), "alloc");
    std::memset(syncline_local(address), 0, bytes);
    must(syncline_barrier(), "barrier");
    return address;
}

void act_on(const Plan& plan, const std::function<void()>& act, const std::function<bool()>& noticed_death) {
    for (uint64_t i = 0; i < plan.turns; i++) {
        act();
    }
    if (!plan.mortal) {
        return;
    }
    for (uint64_t i = 0; !noticed_death(); i++) {
        if (i == plan.turns * (patience - 2)) {
            fail("no PE was killed");
        }
        act();
        ::usleep(1000);
    }
    for (uint64_t i = 0; i < plan.turns; i++) {
        act();
    }
}

namespace {

constexpr int64_t patience_us = 30'000'000;

// Another thread, so that it happens anywhere. It sleeps in between, or it would have to wait for its turn.
void die_after(uint64_t operations, const History* history) {
    std::thread([operations, history] {
        while (history->recorded() < operations) {
            ::usleep(50);
        }
        ::kill(::getpid(), SIGKILL);
    }).detach();
}

// The living PEs synchronise without a barrier, which would say that a PE is gone: a PE that left early would be one
// more that is gone, and the home of another's lock. The victim waits for its end.
void join_survivors(syncline_address_t arrivals) {
    const int survivors = syncline_size() - 1;
    if (syncline_rank() == survivors) {
        for (;;) {
            ::pause();
        }
    }
    for (int rank = 0; rank < survivors; rank++) {
        uint64_t before = 0;
        must(syncline_fetch_add64(rank, arrivals, 1, &before), "fetch_add of the PEs that live");
    }
    must(syncline_wait_until64(static_cast<uint64_t*>(syncline_local(arrivals)), SYNCLINE_GE,
                               static_cast<uint64_t>(survivors), patience_us),
         "wait for the PEs that live");
    (void)syncline_finalize();
}

int run(const Plan& plan, const std::string& objects, uint64_t kill_after) {
    const int rank = syncline_rank();
    History history(plan.folder, rank, syncline_size(), plan.turns * turn_max * (plan.mortal ? patience : 1));
    syncline::Prng random(plan.seed * 1000 + static_cast<uint64_t>(rank));
    const syncline_address_t arrivals = allocate(sizeof(uint64_t));
    if (plan.mortal && rank == syncline_size() - 1) {
        die_after(kill_after, &history);
    }
    (objects == "locks" ? use_locks : use_words)(plan, &history, &random);
    history.end();
    if (plan.mortal) {
        join_survivors(arrivals);
    } else {
        must(syncline_finalize(), "finalize");
    }
    return 0;
}

}  // namespace
}  // namespace linearizability

int main(int argc, char** argv) {
    linearizability::Plan plan;
    std::string objects;
    uint64_t kill_after = 0;
    CLI::App app("Does random operations on shared objects and keeps a history of them");
    app.add_option("--turns", plan.turns, "of each PE: an operation or three on words, or a critical section")
        ->required()
        ->check(CLI::Range(1, 10'000'000));
    app.add_option("--seed", plan.seed, "of what is done");
    app.add_option("--kill-after", kill_after, "kill the last PE in its operation of this number");
    app.add_option("objects", objects, "words or locks")->required()->check(CLI::IsMember({"words", "locks"}));
    app.add_option("folder", plan.folder, "where the histories go")->required()->check(CLI::ExistingDirectory);
    CLI11_PARSE(app, argc, argv);
    plan.mortal = kill_after != 0;
    if (syncline_init(nullptr) != SYNCLINE_OK) {
        std::fprintf(stderr, "linearizability_pe: %s\n", syncline_last_error());
        return 1;
    }
    return linearizability::run(plan, objects, kill_after);
}
