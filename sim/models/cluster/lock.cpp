// SPDX-License-Identifier: BSD-3-Clause
// The locks of Buntinas 2002 (section IV) and 2003 (section 3.2): processes that acquire and release one lock, whose
// home is node 0, again and again.
//
// mcs     a queue of processes: swap at the home, a word to the predecessor, a word from the predecessor; the release
//         is a word to the successor, or a compare&swap at the home if there is no successor
// hybrid  the server of the home keeps the queue: a request and a grant; every release is a message to the server. A
//         process of the home's node takes its place in the queue itself.
#include <deque>

#include "sim/models/cluster/machine.h"
#include "sim/models/cluster/workloads.h"

namespace syncline::sim::cluster {

namespace {

constexpr uint32_t none = UINT32_MAX;
constexpr uint32_t home = 0;

class Lock final : public Client {
  public:
    explicit Lock(const Parameters& parameters)
        : p_(parameters),
          machine_(parameters, this),
          first_(p_.workload.home_contends ? 0 : 1),
          end_(p_.workload.contenders == 0 ? machine_.nodes() : first_ + static_cast<uint32_t>(p_.workload.contenders)),
          processes_(machine_.nodes()) {}

    Results run() {
        for (uint32_t node = first_; node < end_; node++) {
            begin(node);
        }
        machine_.run();
        const uint64_t sections = (end_ - first_) * p_.workload.repeats;
        machine_.check(sections_ == sections);
        const auto count = static_cast<double>(sections);
        Results results;
        results.add("both_us", to_us(acquiring_ + releasing_) / count);
        results.add("acquire_us", to_us(acquiring_) / count);
        results.add("release_us", to_us(releasing_) / count);
        results.add("section_us", to_us(machine_.now()) / count);
        results.add("messages_each", static_cast<double>(machine_.messages()) / count);
        results.add("right", right_ && holder_ == none && tail_ == none && waiting_.empty());
        results.add("events", static_cast<int64_t>(machine_.events()));
        return results;
    }

    void receive(Place place, const Message& message) override {
        switch (message.kind) {
            case kBegin:
                begin(message.to);
                break;
            case kSwap:
            case kCompareSwap:
                reply(place, message);
                break;
            case kSwapped:
                swapped(message.to, message.value);
                break;
            case kCompared:
                compared(message.to, message.value != 0);
                break;
            case kLink:
                link(place, message);
                break;
            case kGrant:
                grant(place, message);
                break;
            case kLinked:
                pass(message.to);
                break;
            case kGranted:
                acquired(message.to);
                break;
            case kRequest:
                request(message.from);
                break;
            default:  // kRelease
                let_go();
                break;
        }
    }

  private:
    enum Kind : uint16_t {
        kBegin,
        kSwap,         // at the home: sets the tail of the queue
        kSwapped,      // the reply: the tail before
        kCompareSwap,  // at the home: empties the queue if the releaser is its tail
        kCompared,
        kLink,    // into the predecessor's memory: the number of its successor
        kLinked,  // the process has seen it
        kGrant,   // into the successor's memory
        kGranted,
        kRequest,  // to the hybrid lock's server
        kRelease,
    };
    struct Process {
        uint32_t next = none;
        bool waits_for_link = false;
        bool waits_for_grant = false;
        Time since = 0;
        uint64_t sections = 0;
    };

    void begin(uint32_t node) {
        processes_[node].since = machine_.now();
        processes_[node].next = none;
        if (p_.workload.lock == LockAlgorithm::kHybrid) {
            if (node == home) {
                machine_.work(p_.host.local_ns, {.from = node, .to = node, .kind = kRequest});
            } else {
                machine_.send(Place::kProcess, Place::kServer, {.from = node, .to = home, .kind = kRequest});
            }
        } else {
            at_home(node, kSwap);
        }
    }

    // A process of the home's node accesses the word itself.
    void at_home(uint32_t node, Kind kind) {
        if (node == home) {
            machine_.work(p_.host.local_ns, {.from = node, .to = node, .kind = kind});
        } else {
            machine_.send(Place::kProcess, machine_.executed_by(), {.from = node, .to = home, .kind = kind});
        }
    }

    void reply(Place place, const Message& message) {
        const uint32_t node = message.from;
        uint32_t value = 0;
        if (message.kind == kSwap) {
            value = std::exchange(tail_, node);
        } else if (tail_ == node) {
            tail_ = none;
            value = 1;
        }
        const auto kind = static_cast<uint16_t>(message.kind == kSwap ? kSwapped : kCompared);
        const Message answer = {.from = home, .to = node, .kind = kind, .value = value};
        if (place == Place::kProcess) {
            receive(place, answer);
        } else {
            machine_.send(place, Place::kProcess, answer);
        }
    }

    void swapped(uint32_t node, uint32_t before) {
        if (before == none) {
            acquired(node);
            return;
        }
        processes_[node].waits_for_grant = true;
        machine_.send(Place::kProcess, machine_.executed_by(),
                      {.from = node, .to = before, .kind = kLink, .value = node});
    }

    // A word of the process's memory has changed; a waiter sees the change.
    void link(Place place, const Message& message) {
        Process& process = processes_[message.to];
        process.next = message.value;
        if (std::exchange(process.waits_for_link, false)) {
            see(place, message.to, kLinked);
        }
    }

    void grant(Place place, const Message& message) {
        if (place == Place::kProcess) {  // of the hybrid lock: the message itself
            acquired(message.to);
            return;
        }
        right_ = right_ && processes_[message.to].waits_for_grant;
        see(place, message.to, kGranted);
    }

    void see(Place place, uint32_t node, Kind kind) {
        const Message message = {.from = node, .to = node, .kind = kind};
        if (place == Place::kNic) {
            machine_.notice(message);
        } else {
            machine_.work(p_.host.local_ns, message);
        }
    }

    void acquired(uint32_t node) {
        Process& process = processes_[node];
        process.waits_for_grant = false;
        right_ = right_ && std::exchange(holder_, node) == none;
        acquiring_ += machine_.now() - process.since;
        process.since = machine_.now();
        release(node);
    }

    void release(uint32_t node) {
        if (p_.workload.lock == LockAlgorithm::kHybrid) {
            machine_.send(Place::kProcess, Place::kServer, {.from = node, .to = home, .kind = kRelease});
            released(node);
        } else if (processes_[node].next != none) {
            pass(node);
        } else {
            at_home(node, kCompareSwap);
        }
    }

    void compared(uint32_t node, bool free) {
        if (free) {
            released(node);
        } else if (processes_[node].next != none) {
            pass(node);
        } else {
            processes_[node].waits_for_link = true;
        }
    }

    void pass(uint32_t node) {
        machine_.send(Place::kProcess, machine_.executed_by(),
                      {.from = node, .to = processes_[node].next, .kind = kGrant});
        released(node);
    }

    // The call returns when the process has done its part.
    void released(uint32_t node) {
        Process& process = processes_[node];
        holder_ = none;
        sections_++;
        const Time returned = machine_.process_free(node);
        releasing_ += returned - process.since;
        if (++process.sections < p_.workload.repeats) {
            machine_.work(0, {.from = node, .to = node, .kind = kBegin});
        }
    }

    // The server of the hybrid lock.
    void request(uint32_t node) {
        if (std::exchange(taken_, true)) {
            waiting_.push_back(node);
        } else {
            hand_to(node);
        }
    }

    void let_go() {
        if (waiting_.empty()) {
            taken_ = false;
            return;
        }
        const uint32_t next = waiting_.front();
        waiting_.pop_front();
        hand_to(next);
    }

    void hand_to(uint32_t node) {
        if (node == home) {
            machine_.work(p_.host.local_ns, {.from = home, .to = home, .kind = kGranted});
        } else {
            machine_.send(Place::kServer, Place::kProcess, {.from = home, .to = node, .kind = kGrant});
        }
    }

    const Parameters p_;
    Machine machine_;
    const uint32_t first_, end_;  // the contenders
    std::vector<Process> processes_;
    uint32_t tail_ = none, holder_ = none;
    bool taken_ = false;  // a process has the hybrid lock
    std::deque<uint32_t> waiting_;
    uint64_t sections_ = 0;
    Time acquiring_ = 0, releasing_ = 0;
    bool right_ = true;
};

}  // namespace

Results run_lock(const Parameters& parameters) {
    return Lock(parameters).run();
}

}  // namespace syncline::sim::cluster
