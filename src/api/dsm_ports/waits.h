// SPDX-License-Identifier: BSD-3-Clause
// Which processes wait for others. A process that has ended in good order waits for the rest. If each of them waits,
// too, for something that only the ended process could have done, that process ends the job with a message.
//
// Shared words: each process has a word in its native heap; it alone writes the word, and others get it. A process that
// waits goes on only by an act of another process. A process that runs, or goes on, is recognised by a word that has
// changed a second later. Programs of these interfaces have one thread in each process.
// second later. Programs of these interfaces have one thread in each process.
#pragma once

#include <cstdint>
#include <vector>

#include "job.h"

namespace syncline::ports {

// Collective, before everything else here.
void open_waits(const char* call);

// Says whether this process has no work: it has ended, or waits for a function to run.
void set_idle(bool idle);

// Marks a call that waits for other processes, as long as the object lives.
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

// For a process that has ended, and checks the others again and again.
class Standstill {
  public:
    // Ends the job if none of the other processes can go on.
    void look(const char* call);

  private:
    bool see(const char* call, std::vector<uint64_t>* words) const;

    std::vector<uint64_t> words_;
    unsigned long since_us_ = 0;
    unsigned long looked_us_ = 0;
};

// Returns when all processes are idle; this one is idle from now on.
void await_idle(const char* call);

}  // namespace syncline::ports
