// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench atomics`: bars for the latencies, lines for what the target has left.
#include <algorithm>

#include "bench/report/chart.h"
#include "bench/report/pictures.h"

namespace syncline::bench {
namespace {

constexpr double width = 1040;
constexpr double bars_height = 400;
constexpr double lines_height = 390;

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
    std::vector<std::string> series;
    for (const NamedCell& named : rows.front().cells) {
        series.push_back(named.series);
    }
    Chart chart(svg, {0, 0}, width, bars_height,
                {"Latency of one remote atomic operation",
                 "64 bits, blocking, median; whisker: 99th percentile (cut at twice the highest bar); two nodes joined "
                 "by an XDP switch",
                 "operation", "latency, µs"},
                series);
    // A single slow percentile must not flatten the bars: it is cut off.
    double highest = 0;
    for (const Row& row : rows) {
        for (const NamedCell& named : row.cells) {
            highest = std::max(highest, named.cell.median);
        }
    }
    const double top = std::min(largest_of(rows), 2 * highest) / 1000;
    chart.scale_y(top);
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
    Chart chart(svg, corner, width / 2, lines_height, texts, series);
    chart.scale_y(largest);
    chart.scale_x(largest_rate);
    for (const Line& line : lines) {
        std::vector<Place> places;
        for (const Point& point : line.points) {
            places.push_back(chart.at(point.rate_per_s / 1000, point.value.median / scale));
        }
        std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.x < b.x; });
        chart.draw(places, colour_of(line.series));
    }
}

std::vector<Row> latency_of(const Json& result) {
    std::vector<Row> rows;
    if (result.contains("latency")) {
        for (const auto& [operation, cells] : result.at("latency").at("values").items()) {
            for (const auto& [series, cell] : cells.items()) {
                add_cell(&rows, operation, series, cell_of_json(cell));
            }
        }
    }
    return rows;
}

std::vector<Line> lines_of(const Json& result, const char* part) {
    std::vector<Line> lines;
    if (result.contains(part)) {
        for (const auto& [series, points] : result.at(part).at("values").items()) {
            lines.push_back({series, {}});
            for (const Json& point : points) {
                lines.back().points.push_back({point.at("offered_per_s"), cell_of_json(point)});
            }
        }
    }
    return lines;
}

}  // namespace

std::string picture_of_atomics(const Json& result) {
    const std::vector<Row> latency = latency_of(result);
    const std::vector<Line> counter = lines_of(result, "counter");
    const std::vector<Line> bandwidth = lines_of(result, "bandwidth");
    const double above = latency.empty() ? 0 : bars_height;
    Svg svg(width, above + (counter.empty() && bandwidth.empty() ? 0 : lines_height));
    if (!latency.empty()) {
        draw_latency(&svg, latency);
    }
    if (!counter.empty()) {
        draw_lines(&svg, {0, above}, counter, 1000,
                   {"CPU time that is left at the target", "a counter loop there, while another node does fetch_adds",
                    "fetch_adds, thousands a second", "iterations, thousands a millisecond"});
    }
    if (!bandwidth.empty()) {
        draw_lines(&svg, {width / 2, above}, bandwidth, 1e6,
                   {"Bandwidth that is left at the target",
                    "TCP from there to a third node, while another node does fetch_adds",
                    "fetch_adds, thousands a second", "bandwidth, MB/s"});
    }
    svg.foot(origin_of(result));
    return svg.finish();
}

}  // namespace syncline::bench
