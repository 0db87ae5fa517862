// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report/stacked_bars.h"

#include <algorithm>
#include <numeric>

namespace syncline::bench {
namespace {

constexpr double group_gap = 26, bar_gap = 6;
constexpr double titles_size = 11;

double largest_of(const std::vector<BarGroup>& groups) {
    double largest = 0;
    for (const BarGroup& group : groups) {
        for (const StackedBar& bar : group.bars) {
            largest = std::max(largest, std::accumulate(bar.parts.begin(), bar.parts.end(), 0.0));
        }
    }
    return largest;
}

void draw_bar(Chart* chart, double left, double width, const StackedBar& bar, const std::vector<StackPart>& parts) {
    double sum = 0;
    for (size_t i = 0; i < bar.parts.size(); i++) {
        const double top = chart->y_of(sum + bar.parts[i]);
        chart->svg()->rectangle({left, top}, width, chart->y_of(sum) - top, parts[i].colour);
        sum += bar.parts[i];
    }
    chart->svg()->text({left + width / 2, chart->bottom() + 14}, bar.title, Svg::Anchor::kMiddle,
                       {.size = titles_size});
}

}  // namespace

void draw_stacked_bars(Svg* svg, Place corner, double width, double height, const Chart::Texts& texts,
                       const std::vector<StackPart>& parts, const std::vector<BarGroup>& groups) {
    std::vector<Chart::Label> labels;
    for (const StackPart& part : parts) {
        labels.push_back({part.title, part.colour});
    }
    Chart chart(svg, corner, width, height, texts, labels);
    chart.scale_y(largest_of(groups));
    const double group_width = (chart.right() - chart.left()) / static_cast<double>(groups.size());
    for (size_t i = 0; i < groups.size(); i++) {
        const double left = chart.left() + group_width * static_cast<double>(i) + group_gap / 2;
        const double room = (group_width - group_gap) / static_cast<double>(std::max<size_t>(groups[i].bars.size(), 1));
        for (size_t k = 0; k < groups[i].bars.size(); k++) {
            draw_bar(&chart, left + room * static_cast<double>(k) + bar_gap / 2, room - bar_gap, groups[i].bars[k],
                     parts);
        }
        svg->text({left + (group_width - group_gap) / 2, chart.bottom() + 30}, groups[i].title, Svg::Anchor::kMiddle,
                  {.size = 12, .bold = true});
    }
}

}  // namespace syncline::bench
