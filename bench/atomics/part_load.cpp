// SPDX-License-Identifier: BSD-3-Clause
// Figures 7 and 8: a counter or a stream is measured at the target while another node offers fetch_adds at a swept
// rate.
#include "base/clock.h"
#include "bench/atomics/parts.h"

namespace syncline::bench {
namespace {

constexpr uint64_t window_ns = 1000 * ns_per_us;
constexpr uint64_t windows = 20;
constexpr uint64_t stream_ns = 150 * ns_per_ms;

class UnderLoad : public Part {
  public:
    UnderLoad(const World& world, const Settings& settings, const char* what, std::vector<uint64_t> delays_us)
        : world_(world),
          series_(choose(world, {"xdp", "xdp-on-target-cpu", "udp-block"})),
          settings_(settings),
          what_(what),
          delays_us_(std::move(delays_us)),
          gathered_(series_.size(), std::vector<Loaded>(1 + delays_us_.size())) {}

    uint64_t batches() const override { return series_.size() * (1 + delays_us_.size()); }
    uint64_t repeats() const override { return (settings_.repeats + 2) / 3; }

    void repeat(Progress* progress) override {
        for (size_t load = 0; load <= delays_us_.size(); load++) {
            for (size_t i = 0; i < series_.size(); i++) {
                progress->step(fmt::format("{} at the target, {}", what_, series_[i]->name));
                const Turn turn(world_, *series_[i]);
                measure_loaded(*series_[i], load, &gathered_[i][load]);
            }
        }
    }

  protected:
    virtual void measure(const Series& series, Gatherer* to) = 0;

    std::vector<Line> lines() const {
        std::vector<Line> lines;
        for (size_t i = 0; i < series_.size(); i++) {
            Line line{series_[i]->name, {}};
            for (const Loaded& loaded : gathered_[i]) {
                line.points.push_back({quantile(loaded.rates, 0.5), loaded.value.cell()});
            }
            lines.push_back(line);
        }
        return lines;
    }

    const World& world_;
    const std::vector<const Series*> series_;

  private:
    struct Loaded {
        std::vector<double> rates;
        Gatherer value;
    };

    // Load 0 means no load.
    void measure_loaded(const Series& series, size_t load, Loaded* to) {
        if (load != 0) {
            series.job().post(0, {.verb = Verb::kOffer,
                                  .cpu = world_.initiator_cpu(),
                                  .target = 1,
                                  .delay_ns = delays_us_[load - 1] * ns_per_us});
        }
        measure(series, &to->value);
        to->rates.push_back(load != 0 ? series.job().stop(0).operations_per_s() : 0);
    }

    const Settings settings_;
    const char* const what_;
    const std::vector<uint64_t> delays_us_;
    std::vector<std::vector<Loaded>> gathered_;
};

class Counter final : public UnderLoad {
  public:
    Counter(const World& world, const Settings& settings)
        : UnderLoad(world, settings, "counter", {500, 200, 100, 50, 30, 20, 10, 5, 2, 0}) {}

    void finish(Results* results) override { results->counter = lines(); }

  private:
    void measure(const Series& series, Gatherer* to) override {
        to->add(
            series.job()
                .call(1, {.verb = Verb::kCount, .cpu = world_.target_cpu(), .count = windows, .duration_ns = window_ns})
                .samples);
    }
};

// Sender and sink share the target's CPU; the initiator has its own.
class Bandwidth final : public UnderLoad {
  public:
    Bandwidth(const World& world, const Settings& settings)
        : UnderLoad(world, settings, "stream", {200, 100, 50, 20, 10, 5, 0}) {}

    void finish(Results* results) override { results->bandwidth = lines(); }

  private:
    void measure(const Series& series, Gatherer* to) override {
        BenchJob& job = series.job();
        const auto port = static_cast<uint32_t>(job.call(2, {.verb = Verb::kListen}).head.value);
        const std::array<uint8_t, 4> address = world_.address(series, 2);
        job.post(2, {.verb = Verb::kSink, .cpu = world_.target_cpu()});
        Command stream{.verb = Verb::kStream, .cpu = world_.target_cpu(), .duration_ns = stream_ns, .port = port};
        std::copy(address.begin(), address.end(), stream.address);
        to->add(job.call(1, stream).bytes_per_s());
        job.collect(2);
    }
};

}  // namespace

PartPointer make_counter(const World& world, const Settings& settings) {
    return std::make_unique<Counter>(world, settings);
}

PartPointer make_bandwidth(const World& world, const Settings& settings) {
    return std::make_unique<Bandwidth>(world, settings);
}

}  // namespace syncline::bench
