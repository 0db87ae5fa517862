// SPDX-License-Identifier: BSD-3-Clause
// From nothing to a running program, and back.
#pragma once

namespace syncline::shmem {

void start(int thread_level);
void stop();

}  // namespace syncline::shmem
