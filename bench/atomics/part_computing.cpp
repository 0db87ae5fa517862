// SPDX-License-Identifier: BSD-3-Clause
#include "base/clock.h"
#include "bench/atomics/parts.h"

namespace syncline::bench {
namespace {

constexpr uint64_t local_ns = 5 * ns_per_ms;

class Computing final : public Part {
  public:
    Computing(const World& world, const Settings& settings)
        : world_(world), settings_(settings), series_(choose(world, {"xdp", "shm"})), gathered_(series_.size()) {}

    uint64_t batches() const override { return 2 * series_.size(); }
    uint64_t repeats() const override { return settings_.repeats; }

    void repeat(Progress* progress) override {
        for (const bool computes : {false, true}) {
            for (size_t i = 0; i < series_.size(); i++) {
                progress->step(fmt::format("{} target, {}", computes ? "computing" : "idle", series_[i]->name));
                measure(*series_[i], computes, computes ? &gathered_[i].computing : &gathered_[i].idle);
            }
        }
    }

    void finish(Results* results) override {
        for (size_t i = 0; i < series_.size(); i++) {
            results->computing.push_back(
                {series_[i]->name, {{"idle", gathered_[i].idle.cell()}, {"computing", gathered_[i].computing.cell()}}});
        }
    }

  private:
    struct Both {
        Gatherer idle, computing;
    };

    void measure(const Series& series, bool computes, Gatherer* to) const {
        if (computes) {
            series.job().post(1, {.verb = Verb::kCompute, .cpu = world_.target_cpu()});
        }
        Command command{.cpu = world_.initiator_cpu(), .target = 1};
        if (series.name == "shm") {  // one atomic is too short for the clock, so a sample is many
            command.verb = Verb::kLocal;
            command.duration_ns = local_ns;
            to->add(series.job().call(0, command).ns_per_operation());
        } else {
            command.verb = Verb::kLatency;
            command.count = settings_.iterations;
            to->add(series.job().call(0, command).samples);
        }
        if (computes) {
            series.job().stop(1);
        }
    }

    const World& world_;
    const Settings settings_;
    const std::vector<const Series*> series_;
    std::vector<Both> gathered_;
};

}  // namespace

PartPointer make_computing(const World& world, const Settings& settings) {
    return std::make_unique<Computing>(world, settings);
}

}  // namespace syncline::bench
