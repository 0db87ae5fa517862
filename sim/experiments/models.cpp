// SPDX-License-Identifier: BSD-3-Clause
#include "sim/experiments/models.h"

#include <fmt/format.h>

#include "base/failure.h"
#include "sim/models/atomic_unit/model.h"
#include "sim/models/cluster/model.h"
#include "sim/models/myrinet/model.h"
#include "sim/models/pages/model.h"

namespace syncline::sim {

namespace {

template <typename Parameters, Results (*run_with)(const Parameters&)>
std::unique_ptr<Model> make() {
    return std::make_unique<ModelOf<Parameters, run_with>>();
}

struct Entry {
    const char* name;
    std::unique_ptr<Model> (*make)();
};
constexpr Entry entries[] = {
    {"atomic-unit", make<atomic_unit::Parameters, atomic_unit::run>},
    {"myrinet", make<myrinet::Parameters, myrinet::run>},
    {"cluster", make<cluster::Parameters, cluster::run>},
    {"pages", make<pages::Parameters, pages::run>},
};

}  // namespace

std::vector<std::string> model_names() {
    std::vector<std::string> names;
    for (const Entry& entry : entries) {
        names.emplace_back(entry.name);
    }
    return names;
}

std::unique_ptr<Model> make_model(const std::string& name) {
    std::string known;
    for (const Entry& entry : entries) {
        if (name == entry.name) {
            return entry.make();
        }
        known += fmt::format("{}\"{}\"", known.empty() ? "" : ", ", entry.name);
    }
    fail(SYNCLINE_ERR_INVALID, "model = \"{}\": give one of {}", name, known);
}

std::unique_ptr<Model> make_model(const std::string& name, const Values& values) {
    std::unique_ptr<Model> model = make_model(name);
    Reader reader(values);
    model->visit(&reader);
    reader.finish();
    return model;
}

}  // namespace syncline::sim
