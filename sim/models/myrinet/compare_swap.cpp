// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/myrinet/machine.h"
#include "sim/models/myrinet/workloads.h"

namespace syncline::sim {

namespace {

class CompareSwaps final : public MyrinetMachine::Workload {
  public:
    explicit CompareSwaps(const MyrinetParameters& parameters) : p_(parameters), machine_(parameters, this) {}

    Results run() {
        ask();
        machine_.run();
        machine_.kernel().check(finished_ == p_.repeats);
        return machine_.results(end_, right_);
    }

    void executed(uint32_t /*node*/) override {}

    void replied(uint32_t node) override {
        right_ = right_ && machine_.node(node).reply() == finished_;
        end_ = machine_.kernel().now();
        if (++finished_ < p_.repeats) {
            ask();
        }
    }

  private:
    void ask() { machine_.request(0, {SLW_CAS | SLW_FETCH, 1, 0, finished_ + 1, finished_}); }

    const MyrinetParameters p_;
    MyrinetMachine machine_;
    uint64_t finished_ = 0;
    bool right_ = true;  // every compare&swap found what it expected
    Time end_ = 0;
};

}  // namespace

Results run_compare_swap(const MyrinetParameters& parameters) {
    return CompareSwaps(parameters).run();
}

}  // namespace syncline::sim
