// SPDX-License-Identifier: BSD-3-Clause
// Owns virtual time and decides what runs next: a thread of a simulated process, which is a fibre, or an action such as
// the arrival of a packet. All random numbers come from one seed, so a seed determines the run.
//
// A fibre may lose the CPU wherever the library calls the machine (os.cpp, the transport): the call takes a moment of
// virtual time, and the fibre whose time comes first runs next. Between these points a fibre runs undisturbed. A
// process may be killed at any of these points; its fibres never continue.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <vector>

#include "base/prng.h"
#include "tests/deterministic/fibre.h"

namespace syncline::deterministic {

class Scheduler {
  public:
    using Action = std::function<void()>;

    // `preemption`: one step in this many takes up to some milliseconds, in which other fibres run; 0: none.
    Scheduler(uint64_t seed, uint32_t processes, uint32_t preemption);
    ~Scheduler();
    Scheduler(const Scheduler&) = delete;
    Scheduler& operator=(const Scheduler&) = delete;
    static Scheduler* active();  // the only scheduler, for os.cpp

    uint64_t now() const { return now_; }
    Prng& prng() { return prng_; }
    uint64_t digest() const { return digest_; }  // of all that has happened
    uint32_t running() const;                    // the process whose fibre calls

    void at(uint64_t when, Action action);
    void spawn(uint32_t process, Action body);
    // Calls `action` with a fibre's process whenever the fibre continues, for objects of which the library has one in a
    // process.
    void when_resuming(std::function<void(uint32_t)> action) { resuming_ = std::move(action); }
    // Runs until all fibres have ended. Returns false if that would be after `time_limit`, or never.
    bool run(uint64_t time_limit);
    void stop() { stopped_ = true; }  // run() returns false

    // The calls of fibres. Outside of a fibre none of these takes time.
    void step();  // an action that takes a moment
    void compute(uint64_t ns);
    void spin();              // one turn of a short wait: many make a moment
    void idle();              // a wait in vain, longer each time, until knock() for the process
    bool sleep(uint64_t ns);  // true if the process was signalled before or meanwhile
    // Start a thread of the same process, and wait for its end.
    class Thread;
    std::shared_ptr<Thread> start_thread(Action body);
    void join(const Thread& thread);

    void knock(uint32_t process);   // there may be something new for an idle fibre
    void signal(uint32_t process);  // like knock(), and also wakes sleeping fibres
    void drain(uint32_t process) { processes_[process].signalled = false; }

    void kill(uint32_t process);
    bool dead(uint32_t process) const { return processes_[process].dead; }
    uint64_t steps(uint32_t process) const { return processes_[process].steps; }
    // Calls `action` in the `step`-th step of a process.
    void at_step(uint32_t process, uint64_t step, Action action);
    // Makes the process's next step take this long, as if the process had been stopped.
    void stop_for(uint32_t process, uint64_t ns) { processes_[process].stopped_for = ns; }

  private:
    struct Task;
    struct Process {
        std::vector<Task*> tasks;
        bool dead = false;
        bool signalled = false;
        uint64_t steps = 0;
        uint64_t stopped_for = 0;
        uint64_t action_at = UINT64_MAX;
        Action action;
    };
    struct Event {
        uint64_t when;
        uint64_t order;
        Task* task;       // or NULL: an action
        uint64_t number;  // number of the task's schedule, or of the action
        bool operator>(const Event& other) const {
            return when != other.when ? when > other.when : order > other.order;
        }
    };

    void schedule(Task* task, uint64_t when);
    void go_on_at(uint64_t when);
    void stop_if_dead();
    void run_task(Task* task);
    void note(uint64_t what);

    Prng prng_;
    const uint32_t preemption_;
    uint64_t now_ = 0;
    uint64_t digest_ = 0;
    uint64_t order_ = 0;
    uint64_t living_ = 0;
    bool stopped_ = false;
    std::function<void(uint32_t)> resuming_ = [](uint32_t) {};
    Task* running_ = nullptr;
    std::vector<Process> processes_;
    std::vector<std::unique_ptr<Task>> tasks_;
    std::vector<Action> actions_;
    std::vector<uint64_t> spare_actions_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace syncline::deterministic
