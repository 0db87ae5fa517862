// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/myrinet/disturbed_home.h"
#include "sim/models/myrinet/workloads.h"

namespace syncline::sim::myrinet {

namespace {

// Counts in a loop, one window of time after the other.
class Counter final : public DisturbedHome {
  public:
    using DisturbedHome::DisturbedHome;

    Results measure() {
        run([this] { iterate(); });
        Results results;
        results.add("iterations", static_cast<double>(iterations_) / static_cast<double>(p_.workload.repeats));
        add_results(&results);
        return results;
    }

  private:
    void iterate() {
        machine_.node(Locker::home).host.run(from_ns(p_.workload.iteration_ns), [this] {
            iterations_++;
            if (machine_.kernel().now() < p_.workload.repeats * from_ns(p_.workload.window_ns)) {
                iterate();
            } else {
                done();
            }
        });
    }

    uint64_t iterations_ = 0;
};

}  // namespace

Results run_counter(const Parameters& parameters) {
    return Counter(parameters).measure();
}

}  // namespace syncline::sim::myrinet
