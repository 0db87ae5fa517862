// SPDX-License-Identifier: BSD-3-Clause
#include "sim/experiments/models.h"

#include <fmt/format.h>

#include "base/failure.h"
#include "sim/models/atomic_unit/machine.h"
#include "sim/models/cluster/model.h"
#include "sim/models/myrinet/model.h"
#include "sim/models/pages/model.h"

namespace syncline::sim {

namespace {

class AtomicUnitModel final : public Model {
  public:
    void visit(Visitor* visitor) override { parameters_.visit(visitor); }
    Results run() const override { return run_machine(parameters_); }

  private:
    MachineParameters parameters_;
};

template <typename Kind>
std::unique_ptr<Model> make() {
    return std::make_unique<Kind>();
}

struct Entry {
    const char* name;
    std::unique_ptr<Model> (*make)();
};
constexpr Entry entries[] = {
    {"atomic-unit", make<AtomicUnitModel>},
    {"myrinet", make<MyrinetModel>},
    {"cluster", make<ClusterModel>},
    {"pages", make<PagesModel>},
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
    fail(SYNCLINE_ERR_INVALID, "model = \"{}\": it is one of {}", name, known);
}

std::unique_ptr<Model> make_model(const std::string& name, const Values& values) {
    std::unique_ptr<Model> model = make_model(name);
    Reader reader(values);
    model->visit(&reader);
    reader.finish();
    return model;
}

}  // namespace syncline::sim
