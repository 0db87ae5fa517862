// SPDX-License-Identifier: BSD-3-Clause
#include <map>

#include "base/failure.h"
#include "bench/atomics/parts.h"

namespace syncline::bench {
namespace {

struct PostedKind {
    const char* name;
    Verb verb;
    uint64_t bytes;  // length of the table
    uint64_t count;
};
constexpr PostedKind posted_kinds[] = {{"fetch_add, non-blocking", Verb::kInFlight, 0, 20'000},
                                       {"xor, packed, 128 KiB table", Verb::kPosted, small_table_bytes, 1'000'000},
                                       {"xor, packed, 16 MiB table", Verb::kPosted, large_table_bytes, 1'000'000}};

class Rates final : public Part {
  public:
    Rates(const World& world, const Settings& settings)
        : world_(world), settings_(settings), series_(choose(world, {"xdp", "xdp+auth", "udp-poll"})) {}

    uint64_t batches() const override { return std::size(posted_kinds) * series_.size(); }
    uint64_t repeats() const override { return settings_.quick ? settings_.repeats : (settings_.repeats + 1) / 2; }

    void repeat(Progress* progress) override {
        for (const PostedKind& kind : posted_kinds) {
            for (const Series* series : series_) {
                progress->step(fmt::format("rate of {}, {}", kind.name, series->name));
                const Turn turn(world_, *series);
                const Result result = series->job().call(0, {.verb = kind.verb,
                                                             .cpu = world_.initiator_cpu(),
                                                             .target = 1,
                                                             .count = settings_.quick ? kind.count / 5 : kind.count,
                                                             .bytes = kind.bytes,
                                                             .seed = ++seed_ * 0x9E3779B97F4A7C15u});
                gathered_[{kind.name, series}].add(result.operations_per_s());
                folds_[&series->job()] ^= kind.verb == Verb::kPosted ? result.head.value : 0;
            }
        }
    }

    void finish(Results* results) override {
        for (const PostedKind& kind : posted_kinds) {
            Row row{kind.name, {}};
            for (const Series* series : series_) {
                row.cells.push_back({series->name, gathered_[{kind.name, series}].cell()});
            }
            results->rates.push_back(row);
        }
        for (const auto& [job, fold] : folds_) {
            if (job->call(1, {.verb = Verb::kFold, .bytes = large_table_bytes}).head.value != fold) {
                fail(SYNCLINE_ERR_PROTOCOL, "the target's table does not hold the xor of all operands");
            }
        }
    }

  private:
    const World& world_;
    const Settings settings_;
    const std::vector<const Series*> series_;
    uint64_t seed_ = 0;
    std::map<std::pair<std::string, const Series*>, Gatherer> gathered_;
    std::map<BenchJob*, uint64_t> folds_;  // the xor of all operands so far
};

}  // namespace

PartPointer make_rates(const World& world, const Settings& settings) {
    return std::make_unique<Rates>(world, settings);
}

}  // namespace syncline::bench
