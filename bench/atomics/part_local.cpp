// SPDX-License-Identifier: BSD-3-Clause
#include "base/clock.h"
#include "bench/atomics/parts.h"

namespace syncline::bench {
namespace {

constexpr uint64_t batch_ns = 10 * ns_per_ms;

class Local final : public Part {
  public:
    Local(const World& world, const Settings& settings)
        : world_(world), settings_(settings), job_(*world.find("shm")->job) {}

    uint64_t batches() const override { return 4; }
    uint64_t repeats() const override { return settings_.repeats; }

    void repeat(Progress* progress) override {
        for (const uint32_t contended : {0u, 1u}) {
            for (const uint32_t bare : {0u, 1u}) {
                progress->step(fmt::format("{} on one node, {}", bare != 0 ? "CPU atomics" : "fetch_add",
                                           contended != 0 ? "contended" : "uncontended"));
                gathered_[contended][bare].add(measure(contended != 0, bare));
            }
        }
    }

    void finish(Results* results) override {
        for (const uint32_t contended : {0u, 1u}) {
            results->local.push_back(
                {contended != 0 ? "contended" : "uncontended",
                 {{"cpu", gathered_[contended][1].cell()}, {"library", gathered_[contended][0].cell()}}});
        }
    }

  private:
    double measure(bool contended, uint32_t bare) {
        Command command{.verb = Verb::kLocal, .cpu = world_.target_cpu(), .target = 1, .bare = bare};
        if (contended) {
            job_.post(1, command);
        }
        command.cpu = world_.initiator_cpu();
        command.duration_ns = batch_ns;
        const double ns = job_.call(0, command).ns_per_operation();
        if (contended) {
            job_.stop(1);
        }
        return ns;
    }

    const World& world_;
    const Settings settings_;
    BenchJob& job_;
    Gatherer gathered_[2][2];
};

}  // namespace

PartPointer make_local(const World& world, const Settings& settings) {
    return std::make_unique<Local>(world, settings);
}

}  // namespace syncline::bench
