// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report/rows.h"

#include <algorithm>

namespace syncline::bench {

void draw_rows(Svg* svg, Place corner, const std::vector<Row>& rows, const std::vector<std::string>& series,
               const Chart::Texts& texts, double unit) {
    std::vector<std::string> shown;
    std::vector<double> numbers;
    double largest = 0;
    for (const std::string& name : series) {
        if (rows.front().find(name) != nullptr) {
            shown.push_back(name);
        }
    }
    for (const Row& row : rows) {
        numbers.push_back(std::stod(row.name));
        for (const std::string& name : shown) {
            largest = std::max(largest, row.find(name)->mean / unit);
        }
    }
    Chart chart(svg, corner, row_chart_width, row_chart_height, texts, shown);
    chart.scale_y(largest);
    chart.scale_x(numbers);
    for (const std::string& name : shown) {
        std::vector<Place> places;
        for (size_t i = 0; i < rows.size(); i++) {
            places.push_back(chart.at(numbers[i], rows[i].find(name)->mean / unit));
        }
        chart.draw(places, colour_of(name));
    }
}

}  // namespace syncline::bench
