// SPDX-License-Identifier: BSD-3-Clause
// A set of PEs, by their numbers in the job: strided, or a list. In some layouts of a job the PEs of a node have no
// common distance, and then teams made of them have none either.
#pragma once

#include <cstddef>
#include <vector>

namespace syncline {

struct Members {
    int start = 0;
    int stride = 1;
    int size = 0;
    std::vector<int> list = {};  // empty: the members are start, start + stride, ...

    // Returns the members, strided if they can be.
    static Members of(std::vector<int> pes);
    int pe(int member) const { return list.empty() ? start + member * stride : list[static_cast<std::size_t>(member)]; }
    // Returns the members number first, first + step, ... of this set.
    Members part(int first, int step, int count) const;
    int find(int pe) const;  // Returns the index of a PE; -1: not a member
};

}  // namespace syncline
