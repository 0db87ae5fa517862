// SPDX-License-Identifier: BSD-3-Clause
// Operations that are ordered and completed together (OpenSHMEM 1.5, section 9.5), towards some PEs: start,
// start + stride, ... in the job's numbers.
#pragma once

#include <cstdint>

namespace syncline {

struct Context {
    uint32_t batch = 0;
    int start = 0;
    int stride = 1;
    int size = 0;

    int pe(int member) const { return start + member * stride; }
};

}  // namespace syncline
