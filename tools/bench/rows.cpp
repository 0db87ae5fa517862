// SPDX-License-Identifier: BSD-3-Clause
#include "tools/bench/rows.h"

#include <algorithm>

namespace syncline::bench {

nlohmann::ordered_json json_of_rows(const std::vector<Row>& rows) {
    nlohmann::ordered_json json;
    for (const Row& row : rows) {
        for (const NamedCell& named : row.cells) {
            json[named.series][row.name] = {{"median", named.cell.median},
                                            {"p99", named.cell.p99},
                                            {"mean", named.cell.mean},
                                            {"batch_medians", named.cell.batches}};
        }
    }
    return json;
}

void draw_rows(Svg* svg, Place corner, const std::vector<Row>& rows, const std::vector<std::string>& series,
               const Chart::Texts& texts, double unit) {
    Chart chart(svg, corner, 520, 380, texts);
    std::vector<std::string> shown;
    double largest = 0;
    for (const std::string& name : series) {
        if (rows.front().find(name) != nullptr) {
            shown.push_back(name);
        }
        for (const Row& row : rows) {
            largest = std::max(largest, row.find(name) != nullptr ? row.find(name)->mean / unit : 0);
        }
    }
    chart.scale_y(largest);
    chart.scale_x(std::stod(rows.back().name));
    chart.legend(shown);
    for (const std::string& name : shown) {
        std::vector<Place> places;
        for (const Row& row : rows) {
            places.push_back(chart.at(std::stod(row.name), row.find(name)->mean / unit));
        }
        svg->path(places, colour_of(name), 2.2);
        for (const Place& place : places) {
            svg->circle(place, 3.2, colour_of(name));
        }
    }
}

}  // namespace syncline::bench
