// SPDX-License-Identifier: BSD-3-Clause
#include "bench/dsm/dsm_measured.h"

namespace syncline::bench {

const std::vector<Statement>& DsmMeasured::rounds(const DsmPoint& point) const {
    static const std::vector<Statement> none;
    const auto found = rounds_.find(point);
    return found == rounds_.end() ? none : found->second;
}

void DsmMeasured::add_entries(const Quantity& quantity, Json* result) const {
    for (const auto& [point, rounds] : rounds_) {
        if (point.benchmark == quantity.benchmark) {
            Json at = {{"nodes", point.nodes}, {"mtu", point.mtu}};
            if (!point.size.empty()) {
                at["size"] = point.size;
            }
            add_entry(result, quantity, {point.subject, point.condition, at}, cell_of(rounds));
        }
    }
}

}  // namespace syncline::bench
