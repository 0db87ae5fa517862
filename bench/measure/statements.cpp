// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/statements.h"

#include <numeric>
#include <sstream>

#include "base/failure.h"

namespace syncline::bench {

Statement statement_of(const std::vector<uint32_t>& samples) {
    const std::vector<double> values(samples.begin(), samples.end());
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    return {quantile(values, 0.5), quantile(values, 0.99),
            values.empty() ? 0 : sum / static_cast<double>(values.size())};
}

std::map<std::string, Statement> read_statements(const std::string& output, const std::string& library) {
    std::istringstream lines(output);
    std::map<std::string, Statement> read;
    std::string text;
    while (std::getline(lines, text)) {
        std::istringstream words(text);
        std::string name;
        Statement line;
        if (!(words >> name >> line.median >> line.p99 >> line.mean)) {
            fail(SYNCLINE_ERR_SYSTEM, "the program with {} says: {}", library, text);
        }
        read[name] = line;
    }
    return read;
}

Cell cell_of(const std::vector<Statement>& runs) {
    std::vector<double> medians, p99s, means;
    for (const Statement& run : runs) {
        medians.push_back(run.median);
        p99s.push_back(run.p99);
        means.push_back(run.mean);
    }
    return {
        .median = quantile(medians, 0.5), .p99 = quantile(p99s, 0.5), .mean = quantile(means, 0.5), .batches = medians};
}

}  // namespace syncline::bench
