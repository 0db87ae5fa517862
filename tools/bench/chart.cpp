// SPDX-License-Identifier: BSD-3-Clause
#include "tools/bench/chart.h"

#include <map>

namespace syncline::bench {

namespace {

constexpr const char* grid = "#e4e7eb";
constexpr const char* axis = "#57606a";

struct Look {
    const char* colour;
    const char* label;
};
// Blues are the NIC's, oranges the host's; they differ in lightness too.
const std::map<std::string, Look> looks = {
    {"xdp", {"#0b5394", "XDP"}},
    {"xdp+auth", {"#6fa8dc", "XDP, authenticated"}},
    {"xdp-on-target-cpu", {"#3aa6a0", "XDP on the target's CPU"}},
    {"udp-poll", {"#f1c27d", "host agent, polls"}},
    {"udp-spin-block", {"#e08a2e", "host agent, spins then blocks"}},
    {"udp-block", {"#b3470b", "host agent, blocks"}},
    {"nic exchange", {"#0b5394", "NIC, exchange"}},
    {"host exchange", {"#b3470b", "hosts, exchange"}},
    {"nic tree", {"#6fa8dc", "NIC, tree"}},
    {"host tree", {"#f1c27d", "hosts, tree"}},
    {"xdp mcs", {"#0b5394", "MCS, XDP"}},
    {"udp-poll mcs", {"#f1c27d", "MCS, host agent, polls"}},
    {"udp-block mcs", {"#b3470b", "MCS, host agent, blocks"}},
    {"xdp local-release", {"#3aa6a0", "local release"}},
    {"xdp ticket", {"#8e7cc3", "ticket"}},
    {"xdp hybrid", {"#b3470b", "hybrid"}},
};

}  // namespace

std::string colour_of(const std::string& series) {
    const auto look = looks.find(series);
    return look != looks.end() ? look->second.colour : "#8c959f";
}

std::string label_of(const std::string& series) {
    const auto look = looks.find(series);
    return look != looks.end() ? look->second.label : series;
}

Chart::Chart(Svg* svg, Place corner, double width, double height, const Texts& texts)
    : svg_(svg),
      corner_(corner),
      left_(corner.x + 76),
      right_(corner.x + width - 20),
      top_(corner.y + 84),
      bottom_(corner.y + height - 56) {
    svg_->text({corner.x + 20, corner.y + 24}, texts.title, Svg::Anchor::kStart, {.size = 16, .bold = true});
    svg_->text({corner.x + 20, corner.y + 43}, texts.subtitle, Svg::Anchor::kStart, {.size = 12, .colour = axis});
    svg_->text({(left_ + right_) / 2, bottom_ + 42}, texts.x_axis, Svg::Anchor::kMiddle, {});
    svg_->text({corner.x + 24, (top_ + bottom_) / 2}, texts.y_axis, Svg::Anchor::kMiddle, {.turned = true});
}

void Chart::scale_y(double largest) {
    const std::vector<double> ticks = ticks_to(largest);
    largest_y_ = ticks.back();
    for (const double tick : ticks) {
        const double y = y_of(tick);
        svg_->line({left_, y}, {right_, y}, tick == 0 ? axis : grid);
        svg_->text({left_ - 8, y + 4}, fmt::format("{:g}", tick), Svg::Anchor::kEnd, {.size = 12});
    }
}

void Chart::scale_x(double largest) {
    const std::vector<double> ticks = ticks_to(largest);
    largest_x_ = ticks.back();
    for (const double tick : ticks) {
        const double x = at(tick, 0).x;
        svg_->line({x, bottom_}, {x, bottom_ + 5}, axis);
        svg_->text({x, bottom_ + 20}, fmt::format("{:g}", tick), Svg::Anchor::kMiddle, {.size = 12});
    }
}

void Chart::legend(const std::vector<std::string>& series) {
    double x = corner_.x + 20;
    for (const std::string& name : series) {
        const std::string label = label_of(name);
        svg_->rectangle({x, corner_.y + 56}, 12, 12, colour_of(name));
        svg_->text({x + 17, corner_.y + 66}, label, Svg::Anchor::kStart, {.size = 12});
        x += 36 + 6.3 * static_cast<double>(label.size());
    }
}

Place Chart::at(double x, double y) const {
    return {left_ + (right_ - left_) * x / largest_x_, y_of(y)};
}

double Chart::y_of(double value) const {
    return bottom_ - (bottom_ - top_) * value / largest_y_;
}

}  // namespace syncline::bench
