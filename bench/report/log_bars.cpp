// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report/log_bars.h"

#include <algorithm>
#include <cmath>

namespace syncline::bench {

namespace {

constexpr double bars_width = 900, bars_left = 230, bars_right = 800, bars_top = 70, bars_step = 30;
constexpr const char* above_one = "#0b5394";
constexpr const char* below_one = "#b3470b";

// Whole decades that hold 1 and every bar, and where a value is among them.
class Decades {
  public:
    explicit Decades(const std::vector<Bar>& bars) {
        for (const Bar& bar : bars) {
            const double exponent = std::log10(std::max(bar.value, 1e-3));
            least_ = std::min(least_, static_cast<int>(std::floor(exponent)));
            most_ = std::max(most_, static_cast<int>(std::ceil(exponent)));
        }
    }
    int least() const { return least_; }
    int most() const { return most_; }
    double x(double exponent) const {
        return bars_left + (bars_right - bars_left) * (exponent - least_) / (most_ - least_);
    }
    double x_of(double value) const { return x(std::log10(std::max(value, 1e-3))); }

  private:
    int least_ = 0, most_ = 1;
};

}  // namespace

std::string picture_of_bars(const std::vector<Bar>& bars, const Chart::Texts& texts, const std::string& foot) {
    const Decades decades(bars);
    const double bottom = bars_top + bars_step * static_cast<double>(bars.size());
    Svg svg(bars_width, bottom + 52);
    svg.text({20, 30}, texts.title, Svg::Anchor::kStart, {.size = 16, .bold = true});
    svg.text({20, 50}, texts.subtitle, Svg::Anchor::kStart, {.size = 12, .colour = "#57606a"});
    for (int exponent = decades.least(); exponent <= decades.most(); exponent++) {
        const double x = decades.x(exponent);
        svg.line({x, bars_top - 8}, {x, bottom}, exponent == 0 ? "#24292f" : "#e4e7eb");
        svg.text({x, bottom + 16}, fmt::format("{:g}", std::pow(10, exponent)), Svg::Anchor::kMiddle, {.size = 12});
    }
    svg.text({(bars_left + bars_right) / 2, bottom + 38}, texts.x_axis, Svg::Anchor::kMiddle, {});
    double y = bars_top;
    for (const Bar& bar : bars) {
        const double one = decades.x(0), end = decades.x_of(bar.value);
        svg.text({bars_left - 10, y + 15}, bar.title, Svg::Anchor::kEnd, {});
        svg.rectangle({std::min(one, end), y}, std::abs(end - one), bars_step - 10,
                      bar.value >= 1 ? above_one : below_one);
        svg.text({std::max(one, end) + 6, y + 15}, bar.label, Svg::Anchor::kStart, {.halo = true});
        y += bars_step;
    }
    svg.foot(foot);
    return svg.finish();
}

}  // namespace syncline::bench
