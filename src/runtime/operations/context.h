// SPDX-License-Identifier: BSD-3-Clause
// Operations that are ordered and completed together (OpenSHMEM 1.5, section 9.5), on some PEs, by their numbers in the
// job: start, start + stride, ... or a list, which the group of the PEs holds.
#pragma once

namespace syncline {

struct Batch;

struct Context {
    Batch* batch = nullptr;
    int start = 0;
    int stride = 1;
    int size = 0;
    const int* list = nullptr;

    int pe(int member) const { return __builtin_expect(list == nullptr, 1) ? start + member * stride : list[member]; }
};

}  // namespace syncline
