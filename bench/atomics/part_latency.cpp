// SPDX-License-Identifier: BSD-3-Clause
#include <map>

#include "bench/atomics/parts.h"

namespace syncline::bench {

std::vector<const Series*> choose(const World& world, const std::vector<std::string>& names) {
    std::vector<const Series*> chosen;
    for (const std::string& name : names) {
        if (const Series* const series = world.find(name); series != nullptr) {
            chosen.push_back(series);
        }
    }
    return chosen;
}

namespace {

struct TimedKind {
    const char* name;
    Atomic atomic;
};
constexpr TimedKind timed_kinds[] = {{"fetch&add", Atomic::kFetchAdd},
                                     {"swap", Atomic::kSwap},
                                     {"compare&swap hit", Atomic::kCasHit},
                                     {"compare&swap miss", Atomic::kCasMiss}};

class Latency final : public Part {
  public:
    Latency(const World& world, const Settings& settings)
        : world_(world),
          settings_(settings),
          series_(choose(world, {"xdp", "xdp+auth", "udp-poll", "udp-spin-block", "udp-block"})) {}

    uint64_t batches() const override { return std::size(timed_kinds) * series_.size(); }
    uint64_t repeats() const override { return settings_.repeats; }

    void repeat(Progress* progress) override {
        for (const TimedKind& kind : timed_kinds) {
            for (const Series* series : series_) {
                progress->step(fmt::format("latency of {}, {}", kind.name, series->name));
                const Turn turn(world_, *series);
                const Result result = series->job().call(0, {.verb = Verb::kLatency,
                                                             .cpu = world_.initiator_cpu(),
                                                             .atomic = kind.atomic,
                                                             .target = 1,
                                                             .count = settings_.iterations});
                gathered_[{kind.name, series}].add(result.samples);
            }
        }
    }

    void finish(Results* results) override {
        for (const TimedKind& kind : timed_kinds) {
            Row row{kind.name, {}};
            for (const Series* series : series_) {
                row.cells.push_back({series->name, gathered_[{kind.name, series}].cell()});
            }
            results->latency.push_back(row);
        }
    }

  private:
    const World& world_;
    const Settings settings_;
    const std::vector<const Series*> series_;
    std::map<std::pair<std::string, const Series*>, Gatherer> gathered_;
};

}  // namespace

PartPointer make_latency(const World& world, const Settings& settings) {
    return std::make_unique<Latency>(world, settings);
}

}  // namespace syncline::bench
