// SPDX-License-Identifier: BSD-3-Clause
// PEs in the numbers of the job: strided, or a list. Those of a node have no common distance in every layout of a job,
// and teams made of them have none either.
#pragma once

#include <cstddef>
#include <vector>

namespace syncline {

struct Members {
    int start = 0;
    int stride = 1;
    int size = 0;
    std::vector<int> list = {};  // empty: start, start + stride, ...

    // Strided if they can be.
    static Members of(std::vector<int> pes);
    int pe(int member) const { return list.empty() ? start + member * stride : list[static_cast<std::size_t>(member)]; }
    // The members first, first + step, ... of these.
    Members part(int first, int step, int count) const;
    int find(int pe) const;  // -1: no member
};

}  // namespace syncline
