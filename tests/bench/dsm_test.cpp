// SPDX-License-Identifier: BSD-3-Clause
// Method: the test replaces measured numbers by its own. The ratios, the table and the file of `syncline bench dsm`
// agree with a calculation by hand, with limits where they belong, and the picture draws what is there.
#include <gtest/gtest.h>

#include <set>

#include "bench/dsm/dsm_report.h"
#include "bench/report/dsm_quantities.h"
#include "bench/report/pictures.h"

namespace syncline::bench {
namespace {

const Machine machine = {"a processor", 2, "a kernel", "a compiler", "2026-01-01T00:00:00Z"};

DsmSettings settings_of_two() {
    DsmSettings settings;
    settings.parts = {"pages", "synchronisation", "applications"};
    settings.nodes = {2, 16};
    settings.mtus = {9000};
    settings.protocols = {"nic", "ardmar", "async"};
    settings.applications = {"barnes", "fft"};
    settings.sizes = {"large"};
    return settings;
}

DsmPoint point(const Quantity& quantity, const char* subject, const char* condition, uint32_t nodes,
               const char* size = "") {
    return {quantity.benchmark, subject, condition, nodes, 9000, size};
}

void add(DsmMeasured* measured, const DsmPoint& at, std::initializer_list<double> rounds) {
    for (const double round : rounds) {
        measured->add(at, {round, 0, round});
    }
}

const DsmRatio* find(const std::vector<DsmRatio>& ratios, const std::string& name, const DsmPoint& of) {
    for (const DsmRatio& ratio : ratios) {
        if (ratio.name == name && ratio.of == of) {
            return &ratio;
        }
    }
    return nullptr;
}

DsmMeasured measured_pages() {
    DsmMeasured measured;
    for (const uint32_t nodes : {2u, 16u}) {
        add(&measured, point(quantities::page_time, fetch_add_alone.name, library_series, nodes), {1000, 2000, 4000});
        add(&measured, point(quantities::page_time, fetch_add_contended.name, library_series, nodes),
            {8000, 8000, 8000});
        add(&measured, point(quantities::page_time, "first_scattered_alone", "nic", nodes), {2000, 6000, 8400});
        add(&measured, point(quantities::page_time, "first_scattered_alone", "async", nodes), {9000, 9000, 9000});
        add(&measured, point(quantities::page_time, "first_in_order_contended", "ardmar", nodes),
            {24000, 24000, 24000});
        add(&measured, point(quantities::page_cpu, "first_in_order_contended", "ardmar", nodes), {500.0 * nodes});
    }
    return measured;
}

TEST(DsmRatios, PagesAreHeldAgainstAFetchAddOfTheirKindRoundByRound) {
    const std::vector<DsmRatio> ratios = page_ratios(settings_of_two(), measured_pages(), 9000);
    const DsmRatio* const alone =
        find(ratios, "page_over_fetch_add", point(quantities::page_time, "first_scattered_alone", "nic", 2));
    ASSERT_NE(alone, nullptr);
    EXPECT_EQ(alone->rounds, (std::vector<double>{2, 3, 2.1}));
    EXPECT_DOUBLE_EQ(alone->got, 2.1);
    ASSERT_TRUE(alone->wanted);
    EXPECT_TRUE(alone->reached());
    const DsmRatio* const contended =
        find(ratios, "page_over_fetch_add", point(quantities::page_time, "first_in_order_contended", "ardmar", 16));
    ASSERT_NE(contended, nullptr);
    EXPECT_DOUBLE_EQ(contended->got, 3);
    EXPECT_FALSE(contended->reached());
    const DsmRatio* const handler =
        find(ratios, "page_over_fetch_add", point(quantities::page_time, "first_scattered_alone", "async", 2));
    ASSERT_NE(handler, nullptr);
    EXPECT_FALSE(handler->wanted) << "nothing is wanted of a handler";
}

TEST(DsmRatios, FlatnessIsAgainstTheFewestNodes) {
    const std::vector<DsmRatio> ratios = page_ratios(settings_of_two(), measured_pages(), 9000);
    const DsmRatio* const time =
        find(ratios, "page_flatness", point(quantities::page_time, "first_scattered_alone", "nic", 16));
    ASSERT_NE(time, nullptr);
    EXPECT_DOUBLE_EQ(time->got, 1);
    EXPECT_TRUE(time->reached());
    const DsmRatio* const cpu =
        find(ratios, "page_cpu_flatness", point(quantities::page_cpu, "first_in_order_contended", "ardmar", 16));
    ASSERT_NE(cpu, nullptr);
    EXPECT_DOUBLE_EQ(cpu->got, 8);
    EXPECT_FALSE(cpu->reached());
    EXPECT_EQ(find(ratios, "page_flatness", point(quantities::page_time, "first_scattered_alone", "nic", 2)), nullptr);
}

DsmMeasured measured_applications() {
    DsmMeasured measured;
    const auto take = [&](const char* application, const char* condition, uint32_t nodes, double seconds) {
        add(&measured, point(quantities::application, application, condition, nodes, "large"), {seconds, seconds});
    };
    take("barnes", sequential_series, 1, 12);
    take("fft", sequential_series, 1, 10);
    for (const uint32_t nodes : {2u, 16u}) {
        take("barnes", "nic", nodes, 24.0 / nodes);
        take("barnes", "ardmar", nodes, 10);
        take("barnes", "async", nodes, 15);
        take("fft", "nic", nodes, 8);
        take("fft", "async", nodes, 4);
    }
    return measured;
}

TEST(DsmRatios, ApplicationsAreHeldAgainstOneProcessAndAgainstTheHandler) {
    const std::vector<DsmRatio> ratios = application_ratios(settings_of_two(), measured_applications());
    const auto ratio_of = [&](const char* name, const char* application, const char* protocol, uint32_t nodes) {
        return find(ratios, name, point(quantities::application, application, protocol, nodes, "large"));
    };
    ASSERT_NE(ratio_of("speed_up", "barnes", "nic", 2), nullptr);
    EXPECT_DOUBLE_EQ(ratio_of("speed_up", "barnes", "nic", 2)->got, 1);
    EXPECT_FALSE(ratio_of("speed_up", "barnes", "nic", 2)->reached());
    EXPECT_FALSE(ratio_of("speed_up", "barnes", "nic", 16)->wanted);
    EXPECT_FALSE(ratio_of("speed_up", "fft", "nic", 2)->wanted);
    EXPECT_DOUBLE_EQ(ratio_of("over_async", "barnes", "nic", 16)->got, 10);
    EXPECT_TRUE(ratio_of("over_async", "barnes", "nic", 16)->reached());
    EXPECT_FALSE(ratio_of("over_async", "fft", "nic", 16)->reached()) << "it is slower";
    EXPECT_DOUBLE_EQ(ratio_of("over_async", "barnes", "ardmar", 16)->published.value_or(0), 1.73);
    EXPECT_FALSE(ratio_of("over_async", "barnes", "ardmar", 2)->published);
    EXPECT_EQ(ratio_of("over_async", "fft", "ardmar", 16), nullptr) << "was not measured";
    const DsmRatio* const best = ratio_of("best_over_async", "barnes", "nic", 16);
    ASSERT_NE(best, nullptr);
    EXPECT_TRUE(best->reached());
}

TEST(DsmRatios, NothingIsWantedOfQuickRuns) {
    DsmSettings settings = settings_of_two();
    settings.sizes = {quick_size};
    DsmMeasured measured;
    for (const char* const protocol : {"nic", "async"}) {
        add(&measured, point(quantities::application, "barnes", protocol, 2, quick_size), {1});
    }
    for (const DsmRatio& ratio : application_ratios(settings, measured)) {
        EXPECT_FALSE(ratio.wanted) << ratio.name;
    }
}

TEST(DsmReport, TableNamesWhatIsWantedAndWhatFailed) {
    const DsmSettings settings = settings_of_two();
    DsmMeasured measured = measured_applications();
    const std::vector<std::string> failures = {"Water large, 2 nodes, async: a sentence"};
    const std::string table = dsm_table({settings, measured, failures}, machine);
    EXPECT_NE(table.find("Water large, 2 nodes, async: a sentence\n"), std::string::npos);
    EXPECT_NE(table.find("16 processes share 2 CPUs"), std::string::npos);
    EXPECT_NE(table.find("Barnes large, nic against async"), std::string::npos);
    const size_t line = table.find("3D FFT large, nic against async");
    ASSERT_NE(line, std::string::npos);
    EXPECT_NE(table.substr(line, table.find('\n', line) - line).find("at least 1  not reached"), std::string::npos);
    EXPECT_NE(table.find("1.50x (1.73)"), std::string::npos) << table;
}

TEST(DsmReport, FileHasEveryNumberAndThePictureOfIt) {
    const DsmSettings settings = settings_of_two();
    DsmMeasured measured = measured_applications();
    for (const ShareOfTime& share : shares_of_time) {
        add(&measured, point(share.quantity, "barnes", "nic", 16, "large"), {0.5, 0.5});
    }
    const Json json = dsm_json({settings, measured, {}}, machine);
    EXPECT_EQ(json.at("command"), "syncline bench dsm");
    std::set<std::string> benchmarks;
    size_t applications = 0;
    for (const Json& entry : json.at("series")) {
        benchmarks.insert(entry.at("benchmark"));
        applications += entry.at("benchmark") == "application" ? 1 : 0;
        EXPECT_EQ(entry.at("medians").size(), 2u);
    }
    EXPECT_EQ(applications, 12u);
    EXPECT_EQ(benchmarks.size(), 1 + std::size(shares_of_time));
    std::set<std::string> titles;
    for (const Panel& panel : picture_of(json).panels) {
        EXPECT_TRUE(titles.insert(panel.title).second) << panel.title;
        EXPECT_FALSE(panel.title.starts_with("A page")) << "no page was measured";
    }
    for (const char* const title :
         {"Barnes, large size", "3D FFT, large size", "Where the time goes, large size, 16 nodes"}) {
        EXPECT_EQ(titles.count(title), 1u) << title;
    }
}

}  // namespace
}  // namespace syncline::bench
