// SPDX-License-Identifier: BSD-3-Clause
#include "bench/bulk/measured.h"

namespace syncline::bench {

std::vector<Statement> Measured::rounds(const std::string& subject, const std::string& condition) const {
    const auto found = rounds_.find({subject, condition});
    return found != rounds_.end() ? found->second : std::vector<Statement>();
}

std::vector<Row> Measured::rows(const Quantity& quantity, const char* BulkSubject::* name_of) const {
    std::vector<Row> rows;
    for (const BulkSubject& subject : bulk_subjects) {
        if (!subject.is_of(quantity)) {
            continue;
        }
        Row row{subject.*name_of, {}};
        for (const char* const condition : conditions::all) {
            if (const std::vector<Statement> found = rounds(subject.name, condition); !found.empty()) {
                row.cells.push_back({condition, cell_of(found)});
            }
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace syncline::bench
