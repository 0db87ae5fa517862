// SPDX-License-Identifier: BSD-3-Clause
// The paper's figures again: bars for figure 4, lines for 7 and 8.
#include <algorithm>

#include "tools/bench/chart.h"
#include "tools/bench/report.h"

namespace syncline::bench {
namespace {

constexpr double width = 1040;
constexpr double bars_height = 400;
constexpr double lines_height = 380;
constexpr double foot = 30;

double largest_of(const std::vector<Row>& rows) {
    double largest = 0;
    for (const Row& row : rows) {
        for (const NamedCell& named : row.cells) {
            largest = std::max({largest, named.cell.median, named.cell.p99});
        }
    }
    return largest;
}

void draw_bar(Chart* chart, double x, double bar, const NamedCell& named, double top) {
    Svg* const svg = chart->svg();
    const double middle = x + bar / 2;
    const double median = named.cell.median / 1000;
    const double p99 = std::min(named.cell.p99 / 1000, top);
    const double y = chart->y_of(median);
    svg->rectangle({x, y}, bar, chart->bottom() - y, colour_of(named.series));
    svg->line({middle, y}, {middle, chart->y_of(p99)}, "#8c959f", 1.2);
    svg->line({middle - 4, chart->y_of(p99)}, {middle + 4, chart->y_of(p99)}, "#8c959f", 1.2);
    // Above a short whisker, else over the line of a long one.
    const bool short_whisker = y - chart->y_of(p99) < 20;
    svg->text({middle, (short_whisker ? chart->y_of(p99) : y) - 6}, fmt::format("{:.2f}", median), Svg::Anchor::kMiddle,
              {.size = 11.5, .bold = true, .halo = true});
}

void draw_latency(Svg* svg, const std::vector<Row>& rows) {
    Chart chart(svg, {0, 0}, width, bars_height,
                {"Latency of one remote atomic (figure 4)",
                 "64 bits, blocking, median; whisker: 99th percentile (cut at twice the highest bar); two nodes joined "
                 "by an XDP switch",
                 "", "microseconds"});
    // A single slow percentile must not flatten the bars: it is cut off.
    double highest = 0;
    for (const Row& row : rows) {
        for (const NamedCell& named : row.cells) {
            highest = std::max(highest, named.cell.median);
        }
    }
    const double top = std::min(largest_of(rows), 2 * highest) / 1000;
    chart.scale_y(top);
    std::vector<std::string> series;
    for (const NamedCell& named : rows.front().cells) {
        series.push_back(named.series);
    }
    chart.legend(series);
    const double group = (chart.right() - chart.left()) / static_cast<double>(rows.size());
    const double bar = group * 0.84 / static_cast<double>(series.size());
    for (size_t i = 0; i < rows.size(); i++) {
        const double start = chart.left() + group * (static_cast<double>(i) + 0.08);
        for (size_t j = 0; j < rows[i].cells.size(); j++) {
            draw_bar(&chart, start + bar * static_cast<double>(j), bar - 4, rows[i].cells[j], top);
        }
        svg->text({start + group * 0.42, chart.bottom() + 20}, rows[i].name, Svg::Anchor::kMiddle, {.bold = true});
    }
}

void draw_lines(Svg* svg, Place corner, const std::vector<Line>& lines, double scale, const Chart::Texts& texts) {
    Chart chart(svg, corner, width / 2, lines_height, texts);
    double largest_rate = 0;
    double largest = 0;
    std::vector<std::string> series;
    for (const Line& line : lines) {
        series.push_back(line.series);
        for (const Point& point : line.points) {
            largest_rate = std::max(largest_rate, point.rate_per_s / 1000);
            largest = std::max(largest, point.value.median / scale);
        }
    }
    chart.scale_y(largest);
    chart.scale_x(largest_rate);
    chart.legend(series);
    for (const Line& line : lines) {
        std::vector<Place> places;
        for (const Point& point : line.points) {
            places.push_back(chart.at(point.rate_per_s / 1000, point.value.median / scale));
        }
        std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.x < b.x; });
        svg->path(places, colour_of(line.series), 2.2);
        for (const Place& place : places) {
            svg->circle(place, 3.2, colour_of(line.series));
        }
    }
}

}  // namespace

std::string plot_of(const Results& results, const Machine& machine) {
    const double above = results.latency.empty() ? 0 : bars_height;
    const bool has_lines = !results.counter.empty() || !results.bandwidth.empty();
    Svg svg(width, above + (has_lines ? lines_height : 0) + foot);
    if (!results.latency.empty()) {
        draw_latency(&svg, results.latency);
    }
    if (!results.counter.empty()) {
        draw_lines(
            &svg, {0, above}, results.counter, 1000,
            {"What the target's CPU has left (figure 7)", "a loop at the target while another node does fetch_adds",
             "fetch_adds per millisecond", "thousand iterations in 1000 us"});
    }
    if (!results.bandwidth.empty()) {
        draw_lines(&svg, {width / 2, above}, results.bandwidth, 1e6,
                   {"What a stream has left (figure 8)", "TCP from the target to a third node, meanwhile fetch_adds",
                    "fetch_adds per millisecond", "MB/s"});
    }
    svg.text({20, above + (has_lines ? lines_height : 0) + 16}, machine.line(), Svg::Anchor::kStart,
             {.size = 11, .colour = "#57606a"});
    return svg.finish();
}

}  // namespace syncline::bench
