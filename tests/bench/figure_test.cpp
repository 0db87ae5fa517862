// SPDX-License-Identifier: BSD-3-Clause
// Method: axes of values that are known have the scale and the ticks that a reader expects, never more than there is
// room for. gnuplot draws figures of each kind of panel, and the SVG has every word once, whatever signs are in it, and
// as many points as there are samples.
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/report/axis_range.h"
#include "bench/report/gnuplot.h"
#include "bench/report/looks.h"
#include "bench/report/panels.h"

namespace syncline::bench {
namespace {

using Numbers = std::vector<double>;

TEST(AxisRange, BeginsAt0UnlessTheValuesSpanADecade) {
    const AxisRange linear = range_of_values({"rate"}, {4, 9}, 8);
    EXPECT_FALSE(linear.is_log);
    EXPECT_EQ(linear.least, 0);
    EXPECT_GT(linear.most, 9);
    const AxisRange log = range_of_values({"rate"}, {4, 90, 5}, 8);
    EXPECT_TRUE(log.is_log);
    EXPECT_EQ(log.ticks, (Numbers{2, 5, 10, 20, 50, 100}));
    EXPECT_EQ(log.least, 2);
    EXPECT_EQ(log.most, 100);
    EXPECT_FALSE(range_of_values({"share", Scale::kLinear}, {4, 90, 5}, 8).is_log);
    EXPECT_TRUE(range_of_places({"nodes"}, {2, 4, 8, 16}, 8).is_log);
    EXPECT_FALSE(range_of_places({"latency"}, {50, 150, 250}, 8).is_log);
}

TEST(AxisRange, HasAsManyTicksAsThereIsRoomFor) {
    for (const size_t most : {2U, 3U, 5U, 9U}) {
        for (const Numbers& values : {Numbers{3e-9, 2e-2}, {4e-6, 9e-6}, {7.0}, {0.0, 3e-3}, {1e5, 3e6}, {1.0, 10.0}}) {
            const AxisRange range = range_of_values({"time", Scale::kLog, "s"}, values, most);
            EXPECT_LE(range.ticks.size(), most);
            EXPECT_GE(range.ticks.size(), 1u);
            for (const double shown : {range.place_of(values.front()), values.back(),
                                       range.place_of(range.ticks.front()), range.ticks.back()}) {
                EXPECT_GE(shown, range.least);
                EXPECT_LE(shown, range.most);
            }
        }
    }
}

TEST(AxisRange, HasAPlaceFor0AmongPowersOfTwo) {
    const AxisRange range = range_of_places({"targets", Scale::kLog}, {8, 0, 1, 4, 2, 4}, 8);
    EXPECT_EQ(range.ticks, (Numbers{0, 1, 2, 4, 8}));
    EXPECT_EQ(range.place_of(0), 0.5);
    EXPECT_EQ(range.place_of(4), 4);
    EXPECT_LT(range.least, 0.5);
}

TEST(AxisRange, HasRoundTicksWhereThereAreTooManyPlaces) {
    const AxisRange range =
        range_of_places({"load", Scale::kLog}, {0, 1600, 2500, 4000, 6000, 9000, 20000, 40000, 90000, 150000}, 5);
    EXPECT_EQ(range.ticks, (Numbers{0, 10000, 100000}));
}

TEST(AxisRange, PlacesThatLieOnEachOtherHaveOneTick) {
    const AxisRange range = range_of_places({"latency"}, {50, 1250.011, 1250.014}, 8);
    EXPECT_EQ(range.ticks, (Numbers{50, 1250.011}));
}

TEST(AxisRange, OneNumberOfNodesIsAnAxis) {
    const AxisRange range = range_of_places({"nodes", Scale::kLog}, {16}, 8);
    EXPECT_EQ(range.ticks, Numbers{16});
    EXPECT_LT(range.least, 16);
    EXPECT_GT(range.most, 16);
}

TEST(Panels, SpreadIsThatOfTheRounds) {
    const Sample sample = sample_of({5, 0, 0, {4, 9, 5}}, 2, 10);
    EXPECT_EQ(sample.at, 2);
    EXPECT_EQ(sample.value, 50);
    EXPECT_EQ(sample.least, 40);
    EXPECT_EQ(sample.most, 90);
}

TEST(Panels, RatioSaysWhoIsQuicker) {
    const std::vector<Row> rows = {{"put", {{"own", {2, 0, 0, {}}}, {"peer", {5, 0, 0, {}}}}},
                                   {"get", {{"own", {5, 0, 0, {}}}, {"peer", {2, 0, 0, {}}}}},
                                   {"add", {{"own", {5, 0, 0, {}}}}}};
    Panel panel = dots_panel("title", "subtitle", time_axis(), rows);
    note_times_quicker(&panel, rows, "own", "peer");
    ASSERT_EQ(panel.notes.size(), 3u);
    EXPECT_EQ(panel.notes[0].words, "2.50×");
    EXPECT_EQ(panel.notes[1].words, "0.40×");
    EXPECT_EQ(panel.notes[2].words, "");
    EXPECT_STRNE(panel.notes[0].colour, panel.notes[1].colour);
    EXPECT_EQ(panel.subtitle, "subtitle; at the right: times quicker than peer");
    Panel alone = dots_panel("title", "subtitle", time_axis(), rows);
    note_times_quicker(&alone, rows, "own", "another");
    EXPECT_TRUE(alone.notes.empty());
    EXPECT_EQ(alone.subtitle, "subtitle");
}

// Words that differ, and have all signs that mean something to gnuplot, to a shell or in XML.
std::string words(const std::string& name) {
    return name + " it's 5% \"q\"\\n{a}_b^c@d`e`$(f)&<g>#\\";
}

size_t count(const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        found++;
    }
    return found;
}

Figure figure_of_all_kinds() {
    Figure figure;
    figure.panels.push_back({.title = words("T1"),
                             .subtitle = words("S1"),
                             .at = {words("X1"), Scale::kLog},
                             .value = {words("Y1"), Scale::kLog, "s"},
                             .series = {{words("A"), look_of(0), {{2, 1e-6, 1e-6, 3e-6}, {4, 9e-5, 8e-5, 9e-5}}},
                                        {words("B"), look_of(1), {{2, 1e-6, 1e-6, 3e-6}}}}});
    figure.panels.push_back({.kind = Panel::Kind::kDots,
                             .title = words("T2"),
                             .subtitle = words("S2"),
                             .value = {words("X2"), Scale::kLog, "s"},
                             .series = {{words("C"), look_of(0), {{0, 1e-6, 1e-6, 3e-6}, {1, 2e-6, 1e-6, 3e-6}}},
                                        {words("D"), look_of(1), {{1, 1e-6, 1e-6, 3e-6}}}},
                             .rows = {words("R1"), words("R2")},
                             .notes = {{"N1", better_colour}, {"N2", worse_colour}}});
    figure.panels.push_back(
        {.kind = Panel::Kind::kStacks,
         .title = words("T3"),
         .subtitle = "",
         .value = {words("X3"), Scale::kLinear},
         .series = {{words("E"), look_of(0), {{0, 60, 60, 60}}}, {words("F"), look_of(1), {{0, 40, 40, 40}}}},
         .rows = {words("R3")}});
    figure.foot = "foot";
    return figure;
}

std::string escaped(const std::string& text) {
    std::string safe;
    for (const char letter : text) {
        safe += letter == '&' ? "&amp;" : letter == '<' ? "&lt;" : std::string(1, letter);
    }
    return safe;
}

class Drawn : public testing::Test {
  protected:
    void SetUp() override {
        try {
            check_gnuplot("a.svg");
        } catch (const std::exception& failure) {
            GTEST_SKIP() << failure.what();
        }
        svg_ = drawn(figure_of_all_kinds(), "a.svg");
    }
    std::string svg_;
};

TEST_F(Drawn, HasEveryWord) {
    for (const char* const name : {"T1", "S1", "X1", "Y1", "T2", "S2", "X2", "R1", "R2", "T3", "X3", "R3"}) {
        EXPECT_EQ(count(svg_, "<text>" + escaped(words(name)) + "</text>"), 1u) << name << svg_;
    }
    for (const char* const name : {"A", "B", "C", "D", "E", "F"}) {
        EXPECT_EQ(count(svg_, escaped(words(name)) + "</text>"), 1u) << name << ": in a legend";
    }
    EXPECT_EQ(count(svg_, "<text>N1</text>") + count(svg_, "<text>N2</text>"), 2u);
}

TEST_F(Drawn, HasAPointForEachSample) {
    constexpr size_t samples = 6, entries_of_legends = 4;  // a stack has no points
    EXPECT_EQ(count(svg_, "' transform='translate("), samples + entries_of_legends);
}

TEST_F(Drawn, IsTheSameAgain) {
    EXPECT_EQ(svg_, drawn(figure_of_all_kinds(), "another.svg"));
}

TEST_F(Drawn, NothingIsRefused) {
    EXPECT_ANY_THROW(drawn({}, "a.svg"));
}

}  // namespace
}  // namespace syncline::bench
