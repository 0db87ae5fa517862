// SPDX-License-Identifier: BSD-3-Clause
// Which processes wait for others. A process that has come to its end in good order waits for the rest; where each of
// them waits, too, for something that only it could have done, it ends the job with a sentence.
//
// Shared words: each process has one in its native heap, which it alone writes, and which others get. A process that
// waits goes on only by what another one does; a process that runs, or goes on, is seen by a word that is another one a
// second later. Programs of these interfaces have one thread in each process.
#pragma once

#include <cstdint>
#include <vector>

#include "job.h"

namespace syncline::ports {

// Collective, in front of everything else here.
void open_waits(const char* call);

// This process has no work: it has come to its end, or waits for a function to run.
void set_idle(bool idle);

// A call that waits for what other processes do, as long as this lives.
class Waits {
  public:
    Waits();
    ~Waits();
    Waits(const Waits&) = delete;
    Waits& operator=(const Waits&) = delete;
};

// Makes a call that waits, and ends the job if it fails.
template <typename Call>
void wait_in(const char* name, Call&& call) {
    int status = SYNCLINE_OK;
    {
        const Waits waits;
        status = call();
    }
    check(name, status);
}

// For a process that has ended, and looks at the others again and again.
class Standstill {
  public:
    // Ends the job if none of the others can go on.
    void look(const char* call);

  private:
    bool see(const char* call, std::vector<uint64_t>* words) const;

    std::vector<uint64_t> words_;
    unsigned long since_us_ = 0;
    unsigned long looked_us_ = 0;
};

// Returns when all processes are idle, as this one is from now on.
void await_idle(const char* call);

}  // namespace syncline::ports
