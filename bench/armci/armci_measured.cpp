// SPDX-License-Identifier: BSD-3-Clause
#include "bench/armci/armci_measured.h"

#include <algorithm>

namespace syncline::bench {

namespace {

std::vector<ArmciOperation> all_operations() {
    std::vector<ArmciOperation> all(std::begin(armci_operations), std::end(armci_operations));
    all.insert(all.end(), std::begin(global_arrays_operations), std::end(global_arrays_operations));
    return all;
}

std::vector<double> quotients(const std::vector<Statement>& bases, const std::vector<Statement>& runs) {
    std::vector<double> rounds;
    for (size_t i = 0; i < std::min(bases.size(), runs.size()); i++) {
        rounds.push_back(bases[i].median / runs[i].median);
    }
    return rounds;
}

}  // namespace

const std::vector<Statement>& ArmciMeasured::runs(const std::string& operation, const std::string& library) const {
    static const std::vector<Statement> none;
    const auto found = runs_.find({operation, library});
    return found == runs_.end() ? none : found->second;
}

std::vector<Row> ArmciMeasured::rows(const std::vector<std::string>& libraries,
                                     const char* ArmciOperation::* name_of) const {
    std::vector<Row> rows;
    for (const ArmciOperation& operation : all_operations()) {
        Row row{operation.*name_of, {}};
        for (const std::string& library : libraries) {
            if (const std::vector<Statement>& found = runs(operation.name, library); !found.empty()) {
                row.cells.push_back({library, cell_of(found)});
            }
        }
        if (!row.cells.empty()) {
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

std::vector<ArmciRatio> ArmciMeasured::ratios(const std::string& own, const std::string& peer, uint64_t nodes) const {
    std::vector<ArmciRatio> ratios;
    for (const ArmciOperation& operation : all_operations()) {
        const std::vector<double> rounds = quotients(runs(operation.name, peer), runs(operation.name, own));
        if (!rounds.empty()) {
            ratios.push_back({operation.name, operation.title, rounds, quantile(rounds, 0.5), operation.wanted(nodes)});
        }
    }
    return ratios;
}

std::optional<ArmciRatio> ArmciMeasured::original(const std::string& own, uint64_t nodes) const {
    const std::vector<double> rounds = quotients(runs(sync_subject, original_series), runs(sync_subject, own));
    if (rounds.empty()) {
        return std::nullopt;
    }
    return ArmciRatio{original_ratio, original_title, rounds, quantile(rounds, 0.5),
                      nodes == original_nodes ? std::optional(wanted_of_original) : std::nullopt};
}

}  // namespace syncline::bench
