// SPDX-License-Identifier: BSD-3-Clause
// The only call of base/os.h that code in C needs.
#pragma once

#ifdef __cplusplus
namespace syncline {
extern "C" {
#endif

// Yields the CPU to other threads, if they want it.
void yield_cpu(void);

#ifdef __cplusplus
}
}  // namespace syncline
#endif
