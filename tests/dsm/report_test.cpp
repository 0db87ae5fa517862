// SPDX-License-Identifier: BSD-3-Clause
// Method: the table of some processes' counts, line by line.
#include "dsm/live/report.h"

#include <gtest/gtest.h>

#include <sstream>

namespace syncline::dsm {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

// The words of a line, with one space between them.
std::string words_of(const std::string& line) {
    std::istringstream stream(line);
    std::string words, word;
    while (stream >> word) {
        words += (words.empty() ? "" : " ") + word;
    }
    return words;
}

TEST(Report, IsATableOfSumLeastAndGreatest) {
    Statistics first, second, third;
    first.read_faults += 7;
    second.read_faults += 3;
    third.read_faults += 100;
    second.diff_bytes += 1'000'000'000'000;
    first.fault_ns += 1'500'000;
    third.fault_ns += 250'000;
    third.handler_ns += 999;
    const std::vector<std::string> lines = lines_of(text_of({Report(first), Report(second), Report(third)}));
    ASSERT_EQ(lines.size(), 1 + Report::counts);
    EXPECT_EQ(words_of(lines[0]), "shared memory all least greatest");
    EXPECT_EQ(words_of(lines[1]), "read faults 110 3 100");
    for (const char* const expected :
         {"write faults 0 0 0", "diff bytes 1000000000000 0 1000000000000", "time: fault 1.750 ms 0.000 ms 1.500 ms",
          "time: handler 0.001 ms 0.000 ms 0.001 ms", "barriers 0 0 0"}) {
        EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                                [&](const std::string& line) { return words_of(line) == expected; }),
                  1)
            << expected;
    }
    for (const std::string& line : lines) {
        EXPECT_EQ(line.size(), lines[0].size()) << line;
    }
}

TEST(Report, IsJsonByTheNamesOfTheInterface) {
    Statistics first, second;
    first.read_faults += 7;
    second.read_faults += 3;
    second.handler_ns += 5;
    const std::string text = json_of({Report(first), Report(second)});
    EXPECT_EQ(
        text.find("{\"processes\": 2, \"counts\": {\"read_faults\": {\"sum\": 10, \"least\": 3, \"greatest\": 7}, "),
        0u)
        << text;
    EXPECT_TRUE(text.ends_with("\"handler_ns\": {\"sum\": 5, \"least\": 0, \"greatest\": 5}}}\n")) << text;
}

TEST(Report, TravelsAsBytes) {
    Statistics counts;
    counts.read_faults += 1;
    counts.handler_ns += UINT64_MAX;
    counts.lock_acquires += 12345;
    const Report report(counts);
    std::vector<uint8_t> bytes(Report::bytes);
    report.store(bytes.data());
    EXPECT_EQ(Report(bytes.data()).values(), report.values());
    EXPECT_EQ(report.values().front(), 1u);
    EXPECT_EQ(report.values().back(), UINT64_MAX);
    counts.handler_ns.clear();
    EXPECT_EQ(Report(counts).values().back(), 0u);
}

}  // namespace
}  // namespace syncline::dsm
