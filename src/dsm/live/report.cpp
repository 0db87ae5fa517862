// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/live/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace syncline::dsm {
namespace {

#define SYNCLINE_DSM_COUNT(name) #name,
constexpr std::array<std::string_view, Report::counts> names = {SYNCLINE_DSM_COUNTS(SYNCLINE_DSM_COUNT)};
#undef SYNCLINE_DSM_COUNT

std::string cell(std::string_view name, uint64_t value) {
    return name.ends_with("_ns") ? fmt::format("{:.3f} ms", static_cast<double>(value) / 1e6)
                                 : fmt::format("{}", value);
}

std::string title(std::string_view name) {
    std::string words(name.ends_with("_ns") ? name.substr(0, name.size() - 3) : name);
    std::replace(words.begin(), words.end(), '_', ' ');
    return name.ends_with("_ns") ? "time: " + words : words;
}

}  // namespace

Report::Report(const Statistics& statistics) {
    size_t at = 0;
#define SYNCLINE_DSM_COUNT(name) values_[at++] = statistics.name.value();
    SYNCLINE_DSM_COUNTS(SYNCLINE_DSM_COUNT)
#undef SYNCLINE_DSM_COUNT
}

Report::Report(const uint8_t* stored) {
    std::memcpy(values_.data(), stored, bytes);
}

void Report::store(uint8_t* to) const {
    std::memcpy(to, values_.data(), bytes);
}

namespace {

// The spread of one count over the processes.
struct Spread {
    uint64_t sum = 0, least = UINT64_MAX, greatest = 0;

    Spread(const std::vector<Report>& reports, size_t count) {
        for (const Report& report : reports) {
            const uint64_t value = report.values()[count];
            sum += value;
            least = std::min(least, value);
            greatest = std::max(greatest, value);
        }
    }
};

}  // namespace

std::string text_of(const std::vector<Report>& reports) {
    std::string text = fmt::format("{:<20} {:>16} {:>16} {:>16}\n", "shared memory", "all", "least", "greatest");
    for (size_t count = 0; count < Report::counts; count++) {
        const Spread spread(reports, count);
        text += fmt::format("{:<20} {:>16} {:>16} {:>16}\n", title(names[count]), cell(names[count], spread.sum),
                            cell(names[count], spread.least), cell(names[count], spread.greatest));
    }
    return text;
}

std::string json_of(const std::vector<Report>& reports) {
    std::string text = fmt::format("{{\"processes\": {}, \"counts\": {{", reports.size());
    for (size_t count = 0; count < Report::counts; count++) {
        const Spread spread(reports, count);
        text += fmt::format("{}\"{}\": {{\"sum\": {}, \"least\": {}, \"greatest\": {}}}", count == 0 ? "" : ", ",
                            names[count], spread.sum, spread.least, spread.greatest);
    }
    return text + "}}\n";
}

}  // namespace syncline::dsm
