// SPDX-License-Identifier: BSD-3-Clause
// Measured numbers, in the form that tables, files and pictures are made from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace syncline::bench {

// One quantity under one condition.
struct Cell {
    double median = 0;  // of the batches' medians
    double p99 = 0;     // of all samples of all batches; 0 where a batch is one sample
    double mean = 0;
    std::vector<double> batches = {};  // their medians, in the order of time
    double min = 0, p90 = 0, max = 0;  // of all samples, as p99
};

struct NamedCell {
    std::string series;
    Cell cell;
};

struct Row {
    std::string name;
    std::vector<NamedCell> cells;

    const Cell* find(const std::string& series) const;
};

struct Point {
    double rate_per_s = 0;  // operations offered; 0: none
    Cell value;
};

struct Line {
    std::string series;
    std::vector<Point> points;
};

struct Settings {
    bool quick = false;
    uint64_t iterations = 0;
    uint64_t repeats = 0;
    std::vector<std::string> parts;

    bool has(const std::string& part) const;
};

struct Results {
    Settings settings;
    std::vector<std::string> remarks;
    std::vector<Row> latency;     // ns; a row per operation
    std::vector<Row> computing;   // ns; rows: series; cells: idle, computing
    std::vector<Row> local;       // ns; rows: uncontended, contended; cells: cpu, library
    std::vector<Row> rates;       // operations per second; a row per kind
    std::vector<Line> counter;    // iterations per window
    std::vector<Line> bandwidth;  // bytes per second
};

// Gathers the batches of one cell.
class Gatherer {
  public:
    void add(const std::vector<uint32_t>& samples);
    void add(const std::vector<double>& samples);
    void add(double value);
    Cell cell() const;

  private:
    std::vector<double> samples_;
    std::vector<double> batches_;
};

// The element at that fraction (0 to 1) of the sorted values.
double quantile(std::vector<double> values, double fraction);

// As the papers give it.
inline double improvement_percent(double host, double nic) {
    return (host - nic) / host * 100;
}

}  // namespace syncline::bench
