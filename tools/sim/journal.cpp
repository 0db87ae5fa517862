// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sim/journal.h"

#include <map>

#include "base/failure.h"
#include "tools/sim/sim_output.h"

namespace syncline::tools {

namespace {
using Json = nlohmann::ordered_json;
}

Journal::Journal(const std::string& name) : name_(name) {
    if (!name_.empty()) {
        file_.open(name_, std::ios::app);
        if (!file_) {
            fail_errno(SYNCLINE_ERR_SYSTEM, "cannot write {}", name_);
        }
    }
}

size_t Journal::restore(std::vector<sim::Point>* points) const {
    std::map<std::string, Json> known;
    std::ifstream file(name_);
    std::string line;
    while (std::getline(file, line)) {
        const Json json = Json::parse(line, nullptr, false);
        // The last line may have been cut off when the sweep was interrupted.
        if (!json.is_discarded() && json.contains("point")) {
            known[json["point"]] = json;
        } else if (!file.eof() && file.peek() != std::ifstream::traits_type::eof()) {
            fail(SYNCLINE_ERR_INVALID, "{} is no journal of a sweep", name_);
        }
    }
    size_t restored = 0;
    for (sim::Point& point : *points) {
        const auto found = known.find(point.key);
        if (found == known.end()) {
            continue;
        }
        restored++;
        if (found->second.contains("results")) {
            point.results = results_of_json(found->second["results"]);
        } else {
            point.refused = found->second.value("refused", "refused");
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
