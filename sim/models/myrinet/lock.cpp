// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "sim/models/myrinet/locker.h"
#include "sim/models/myrinet/workloads.h"

namespace syncline::sim {

namespace {

class Locks final : public MyrinetMachine::Workload {
  public:
    explicit Locks(const MyrinetParameters& parameters) : p_(parameters), machine_(parameters, this) {
        for (uint32_t i = 1; i < machine_.nodes(); i++) {
            lockers_.push_back(std::make_unique<Locker>(&machine_, &witness_, i));
        }
    }

    Results run() {
        for (const auto& locker : lockers_) {
            locker->run([this, &locker] { return locker->sections() < p_.repeats; });
        }
        machine_.run();
        machine_.kernel().check(std::all_of(lockers_.begin(), lockers_.end(),
                                            [this](const auto& locker) { return locker->sections() == p_.repeats; }));
        const auto sections = static_cast<double>(p_.repeats * lockers_.size());
        Results results;
        results.add("latency_us", to_us(lockers_.front()->locking()) / static_cast<double>(p_.repeats));
        results.add("right", witness_.right() && witness_.free());
        results.add("messages_each", static_cast<double>(machine_.messages()) / sections);
        results.add("events", static_cast<int64_t>(machine_.kernel().events()));
        return results;
    }

    void executed(uint32_t node) override {
        if (node == Locker::home) {
            witness_.tail(machine_.node(node).word(Locker::kTail));
        }
    }
    void replied(uint32_t node) override { lockers_[node - 1]->replied(); }
    void changed(uint32_t node) override {
        if (node != Locker::home) {
            lockers_[node - 1]->changed();
        }
    }

  private:
    const MyrinetParameters p_;
    MyrinetMachine machine_;
    LockWitness witness_;
    std::vector<std::unique_ptr<Locker>> lockers_;
};

}  // namespace

Results run_lock(const MyrinetParameters& parameters) {
    return Locks(parameters).run();
}

}  // namespace syncline::sim
