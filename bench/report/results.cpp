// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report/results.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace syncline::bench {

double quantile(std::vector<double> values, double fraction) {
    if (values.empty()) {
        return 0;
    }
    const auto index = static_cast<size_t>(std::lround(fraction * static_cast<double>(values.size() - 1)));
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(index), values.end());
    return values[index];
}

const Cell* Row::find(const std::string& series) const {
    for (const NamedCell& named : cells) {
        if (named.series == series) {
            return &named.cell;
        }
    }
    return nullptr;
}

bool Settings::has(const std::string& part) const {
    return std::find(parts.begin(), parts.end(), part) != parts.end();
}

void Gatherer::add(const std::vector<uint32_t>& samples) {
    add(std::vector<double>(samples.begin(), samples.end()));
}

void Gatherer::add(const std::vector<double>& samples) {
    samples_.insert(samples_.end(), samples.begin(), samples.end());
    batches_.push_back(quantile(samples, 0.5));
}

void Gatherer::add(double value) {
    batches_.push_back(value);
}

Cell Gatherer::cell() const {
    Cell cell;
    cell.batches = batches_;
    cell.median = quantile(batches_, 0.5);
    if (!samples_.empty()) {
        cell.min = quantile(samples_, 0);
        cell.p90 = quantile(samples_, 0.9);
        cell.p99 = quantile(samples_, 0.99);
        cell.max = quantile(samples_, 1);
        cell.mean = std::accumulate(samples_.begin(), samples_.end(), 0.0) / static_cast<double>(samples_.size());
    } else if (!batches_.empty()) {
        cell.mean = std::accumulate(batches_.begin(), batches_.end(), 0.0) / static_cast<double>(batches_.size());
    }
    return cell;
}

}  // namespace syncline::bench
