// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report/chart.h"

#include <algorithm>
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
    {"xdp acknowledged", {"#0b5394", "XDP, acknowledged"}},
    {"xdp counts", {"#6fa8dc", "XDP, counts"}},
    {"xdp linear", {"#3aa6a0", "XDP, linear"}},
    {"udp-block acknowledged", {"#b3470b", "host agent, acknowledged"}},
    {"udp-block counts", {"#e08a2e", "host agent, counts"}},
    {"udp-block linear", {"#f1c27d", "host agent, linear"}},
    {"syncline", {"#0b5394", "Syncline"}},
    {"hpcc", {"#b3470b", "hpcc over Open MPI"}},
    {"nic", {"#0b5394", "nic"}},
    {"ardmar", {"#6fa8dc", "ardmar"}},
    {"async", {"#b3470b", "async"}},
    {"library", {"#8e7cc3", "fetch&add"}},
    {"bare", {"#3aa6a0", "bare round trip"}},
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

namespace {

constexpr double legend_size = 12, legend_line = 18;

// From the chart's corner; a label that would leave the chart starts a line.
std::vector<Place> place_legend(Place corner, double width, const std::vector<Chart::Label>& labels) {
    std::vector<Place> places;
    Place next = {corner.x + 20, corner.y + 56};
    for (const Chart::Label& each : labels) {
        const double label = 17 + text_width(each.words, legend_size);
        if (!places.empty() && next.x + label > corner.x + width) {
            next = {corner.x + 20, next.y + legend_line};
        }
        places.push_back(next);
        next.x += label + 14;
    }
    return places;
}

std::vector<Chart::Label> labels_of(const std::vector<std::string>& series) {
    std::vector<Chart::Label> labels;
    for (const std::string& name : series) {
        labels.push_back({label_of(name), colour_of(name)});
    }
    return labels;
}

}  // namespace

Chart::Chart(Svg* svg, Place corner, double width, double height, const Texts& texts,
             const std::vector<std::string>& series)
    : Chart(svg, corner, width, height, texts, labels_of(series)) {}

Chart::Chart(Svg* svg, Place corner, double width, double height, const Texts& texts, const std::vector<Label>& labels)
    : svg_(svg),
      legend_(place_legend(corner, width, labels)),
      left_(corner.x + 76),
      right_(corner.x + width - 20),
      top_((legend_.empty() ? corner.y + 56 : legend_.back().y) + 28),
      bottom_(corner.y + height - 56) {
    svg_->text({corner.x + 20, corner.y + 24}, texts.title, Svg::Anchor::kStart, {.size = 16, .bold = true});
    svg_->text({corner.x + 20, corner.y + 43}, texts.subtitle, Svg::Anchor::kStart, {.size = 12, .colour = axis});
    svg_->text({(left_ + right_) / 2, bottom_ + 42}, texts.x_axis, Svg::Anchor::kMiddle, {});
    svg_->text({corner.x + 24, (top_ + bottom_) / 2}, texts.y_axis, Svg::Anchor::kMiddle, {.turned = true});
    for (size_t i = 0; i < labels.size(); i++) {
        svg_->rectangle(legend_[i], 12, 12, labels[i].colour);
        svg_->text({legend_[i].x + 17, legend_[i].y + 10}, labels[i].words, Svg::Anchor::kStart, {.size = legend_size});
    }
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
    scale_x(ticks_to(largest));
}

void Chart::scale_x(const std::vector<double>& ticks) {
    largest_x_ = std::max(ticks.back(), 1e-9);
    double free_from = 0;  // a label that would touch the one before is left out
    for (const double tick : ticks) {
        const double x = at(tick, 0).x;
        const std::string label = fmt::format("{:g}", tick);
        const double half = text_width(label, 12) / 2;
        svg_->line({x, bottom_}, {x, bottom_ + 5}, axis);
        if (x - half > free_from) {
            svg_->text({x, bottom_ + 20}, label, Svg::Anchor::kMiddle, {.size = 12});
            free_from = x + half + 4;
        }
    }
}

void Chart::draw(const std::vector<Place>& places, const std::string& colour) {
    svg_->path(places, colour, 2.2);
    for (const Place& place : places) {
        svg_->circle(place, 3.2, colour);
    }
}

Place Chart::at(double x, double y) const {
    return {left_ + (right_ - left_) * x / largest_x_, y_of(y)};
}

double Chart::y_of(double value) const {
    return bottom_ - (bottom_ - top_) * value / largest_y_;
}

}  // namespace syncline::bench
