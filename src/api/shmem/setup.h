// SPDX-License-Identifier: BSD-3-Clause
// Set-up and tear-down of OpenSHMEM in a process.
#pragma once

namespace syncline::shmem {

void start(int thread_level);
void stop();

}  // namespace syncline::shmem
