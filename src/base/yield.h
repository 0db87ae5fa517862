// SPDX-License-Identifier: BSD-3-Clause
// The one call of base/os.h that code in C needs.
#pragma once

#ifdef __cplusplus
namespace syncline {
extern "C" {
#endif

// Lets others have the CPU, if they want it.
void yield_cpu(void);

#ifdef __cplusplus
}
}  // namespace syncline
#endif
