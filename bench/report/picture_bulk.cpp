// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench bulk`: for each ratio that has a limit, how far it is on the wanted side, as bars from 1.
#include "bench/report/log_bars.h"
#include "bench/report/pictures.h"

namespace syncline::bench {

namespace {

// Costs in percent become factors, which are always above 0.
double factor_of(const Json& ratio, const char* field) {
    const double value = ratio.at(field);
    return ratio.at("unit") == "% more" ? 1 + value / 100 : value;
}

Bar bar_of(const Json& ratio) {
    const double got = factor_of(ratio, "got"), wanted = factor_of(ratio, "wanted");
    return {fmt::format("{} {}", ratio.at("at").at("mtu").get<int>(), ratio.at("label").get<std::string>()),
            ratio.at("limit") == "at most" ? wanted / got : got / wanted,
            fmt::format("{:.2f} of {:g}", ratio.at("got").get<double>(), ratio.at("wanted").get<double>())};
}

}  // namespace

std::string picture_of_bulk(const Json& result) {
    std::vector<Bar> bars;
    for (const Json& ratio : result.at("ratios")) {
        if (ratio.contains("wanted")) {
            bars.push_back(bar_of(ratio));
        }
    }
    return picture_of_bars(bars,
                           {"Bulk: ratios against those that are wanted",
                            "by MTU of the links; right of 1: better than wanted. Times, and percent of authentication",
                            "times better than wanted (logarithmic scale)", ""},
                           origin_of(result));
}

}  // namespace syncline::bench
