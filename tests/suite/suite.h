// SPDX-License-Identifier: BSD-3-Clause
// Many cases in one process, one after another. All PEs of a job run the same cases in the same order.
//
// PE 0 prints `case NAME` as a case begins, and each PE prints its result and time as the case ends. A PE that finds
// a fault says so and ends the job, so the last `case` line names the case that failed; tests/suite/run starts the
// later cases in a new job. A watchdog ends a PE whose case takes too long, and names the case.
#pragma once

namespace suite {

// How long a case may take: SYNCLINE_CASE_SECONDS in the environment, or this.
constexpr unsigned case_seconds = 100;

// Returns the number of this PE, from the launcher; 0 without a launcher. Needs no library.
int rank();

// Prints the name of the case, or step, that follows, and starts its watchdog.
void begin(const char* name);

// Ends the watchdog and prints the time.
void end();

}  // namespace suite
