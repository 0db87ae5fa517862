// SPDX-License-Identifier: BSD-3-Clause
#include "tools/perf/operation.h"

#include "base/failure.h"

namespace syncline::perf {

std::unique_ptr<Operation> make_operation(const Entry& entry, const Task& task) {
    for (const auto make : {make_move, make_accumulate, make_atomic, make_synchronisation}) {
        if (std::unique_ptr<Operation> made = make(entry.name, task)) {
            return made;
        }
    }
    fail(SYNCLINE_ERR_UNSUPPORTED, "{} is in the catalogue, and cannot be made", entry.name);
}

}  // namespace syncline::perf
