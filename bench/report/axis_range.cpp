// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report/axis_range.h"

#include <algorithm>
#include <cmath>

namespace syncline::bench {

namespace {

// Between the extreme values and the ends of a range: as a part of the range, and as a factor of a logarithmic one.
constexpr double margin = 1.05, margin_of_log = 1.3;
// Axes of numbers that span so much, and that may be of either scale, are logarithmic.
constexpr double span_of_values = 10, span_of_places = 8;

void sort(std::vector<double>* values) {
    std::sort(values->begin(), values->end());
    values->erase(std::unique(values->begin(), values->end()), values->end());
}

bool is_logarithmic(const Axis& axis, const std::vector<double>& sorted, double span) {
    const bool possible = axis.scale != Scale::kLinear && !sorted.empty() && sorted.front() >= 0 && sorted.back() > 0;
    return possible && (axis.scale == Scale::kLog || (sorted.front() > 0 && sorted.back() >= span * sorted.front()));
}

// 1, 2, 5, 10...: the last one that is at most `least`, the first one that is at least `most`, and those between.
std::vector<double> round_numbers(double least, double most) {
    std::vector<double> numbers;
    for (int exponent = static_cast<int>(std::floor(std::log10(least)));; exponent++) {
        for (const double digit : {1, 2, 5}) {
            const double number = digit * std::pow(10, exponent);
            if (!numbers.empty() && number <= least) {
                numbers.clear();
            }
            numbers.push_back(number);
            if (number >= most) {
                return numbers;
            }
        }
    }
}

// All of them, or every power of 10, 100, 1000... that is among them, as many as there is room for; with the first and
// the last one beside a single power.
std::vector<double> thinned(const std::vector<double>& numbers, size_t ticks_most) {
    std::vector<double> left = numbers;
    for (int step = 1; left.size() > ticks_most; step++) {
        left.clear();
        for (const double number : numbers) {
            const double exponent = std::round(std::log10(number));
            if (std::abs(number / std::pow(10, exponent) - 1) < 1e-9 && std::fmod(exponent, step) == 0) {
                left.push_back(number);
            }
        }
    }
    if (left.size() == 1 && ticks_most >= 3 && left[0] != numbers.front() && left[0] != numbers.back()) {
        left = {numbers.front(), left[0], numbers.back()};
    }
    return left;
}

AxisRange logarithmic(const std::vector<double>& sorted) {
    AxisRange range;
    const double least = *std::upper_bound(sorted.begin(), sorted.end(), 0.0);
    range.is_log = true;
    range.place_of_zero = least / 2;
    range.least = (sorted.front() == 0 ? range.place_of_zero : least) / margin_of_log;
    range.most = sorted.back() * margin_of_log;
    return range;
}

// Those of the numbers that are in the range, thinned. None lies on the tick of 0.
std::vector<double> log_ticks(std::vector<double> numbers, const AxisRange& range, bool has_zero, size_t ticks_most) {
    const double least = has_zero ? 2 * range.place_of_zero : range.least;
    std::erase_if(numbers, [&](double number) { return number < least || number > range.most; });
    std::vector<double> ticks = thinned(numbers, std::max<size_t>(ticks_most, 2) - has_zero);
    if (has_zero) {
        ticks.insert(ticks.begin(), 0);
    }
    return ticks;
}

// Without those that are too close to the one before for another number below the axis.
std::vector<double> apart_on(const AxisRange& range, const std::vector<double>& places, size_t ticks_most) {
    const auto part_of = [&](double value) {
        return range.is_log ? std::log(range.place_of(value) / range.least) / std::log(range.most / range.least)
                            : (value - range.least) / (range.most - range.least);
    };
    std::vector<double> apart;
    for (const double place : places) {
        if (apart.empty() || part_of(place) - part_of(apart.back()) >= 0.7 / static_cast<double>(ticks_most)) {
            apart.push_back(place);
        }
    }
    return apart;
}

}  // namespace

AxisRange range_of_values(const Axis& axis, std::vector<double> values, size_t ticks_most) {
    sort(&values);
    if (!is_logarithmic(axis, values, span_of_values)) {
        AxisRange range;
        range.least = values.empty() ? 0 : std::min(values.front() * margin, 0.0);
        range.most = values.empty() || values.back() <= 0 ? 1 : values.back() * margin;
        return range;
    }
    AxisRange range = logarithmic(values);
    const bool has_zero = values.front() == 0;
    const std::vector<double> numbers = round_numbers(2 * range.place_of_zero / margin, values.back() * margin);
    range.least = has_zero ? range.least : numbers.front();
    range.most = numbers.back();
    range.ticks = log_ticks(numbers, range, has_zero, ticks_most);
    return range;
}

AxisRange range_of_places(const Axis& axis, std::vector<double> places, size_t ticks_most) {
    sort(&places);
    AxisRange range;
    if (is_logarithmic(axis, places, span_of_places)) {
        range = logarithmic(places);
        range.ticks =
            log_ticks(round_numbers(2 * range.place_of_zero, range.most), range, places.front() == 0, ticks_most);
    } else if (!places.empty()) {
        const double beside = std::max((margin - 1) * (places.back() - places.front()), 0.1);
        range.least = places.front() - beside;
        range.most = places.back() + beside;
    }
    if (places.size() <= ticks_most) {
        range.ticks = apart_on(range, places, ticks_most);
    }
    return range;
}

}  // namespace syncline::bench
