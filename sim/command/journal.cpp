// SPDX-License-Identifier: BSD-3-Clause
#include "sim/command/journal.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/failure.h"
#include "sim/command/output.h"

namespace syncline::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view line_start = R"({"point":)";

bool may_be_cut_off(const std::string& line) {
    const size_t length = std::min(line.size(), line_start.size());
    return std::string_view(line).substr(0, length) == line_start.substr(0, length);
}

}  // namespace

Journal::Journal(const std::string& name) : name_(name) {
    if (name_.empty()) {
        return;
    }
    // There is nothing to restore from a pipe or a device.
    if (std::filesystem::is_regular_file(name_)) {
        read();
    }
    file_.open(name_, std::ios::app);
    if (!file_) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot write {}", name_);
    }
}

void Journal::read() {
    std::ifstream file(name_);
    std::string line;
    size_t number = 0, whole = 0;
    while (std::getline(file, line) && !file.eof()) {
        read_line(line, ++number);
        whole += line.size() + 1;
    }
    if (!file.eof()) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot read {}", name_);
    }
    if (!may_be_cut_off(line)) {
        fail(SYNCLINE_ERR_INVALID, "{}:{}: this is not a line of a sweep's journal", name_, number + 1);
    }
    file.close();
    std::filesystem::resize_file(name_, whole);
}

void Journal::read_line(const std::string& line, size_t number) {
    try {
        const Json json = Json::parse(line);
        sim::Point point;
        point.key = json.at("point").get<std::string>();
        if (json.contains("results")) {
            point.results = results_of_json(json.at("results"));
        } else {
            point.refused = json.at("refused").get<std::string>();
        }
        known_[point.key] = point;
    } catch (const Json::exception&) {
        fail(SYNCLINE_ERR_INVALID, "{}:{}: this is not a line of a sweep's journal", name_, number);
    }
}

size_t Journal::restore(std::vector<sim::Point>* points) const {
    size_t restored = 0;
    for (sim::Point& point : *points) {
        if (const auto found = known_.find(point.key); found != known_.end()) {
            restored++;
            point.results = found->second.results;
            point.refused = found->second.refused;
        }
    }
    return restored;
}

void Journal::add(const sim::Point& point) {
    if (name_.empty()) {
        return;
    }
    Json json;
    json["point"] = point.key;
    if (point.results) {
        json["results"] = json_of_results(*point.results);
    } else {
        json["refused"] = point.refused;
    }
    if (!(file_ << json.dump() << "\n").flush()) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot write {}", name_);
    }
}

}  // namespace syncline::tools
