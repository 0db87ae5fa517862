// SPDX-License-Identifier: BSD-3-Clause
// How the two interfaces report failures, and the clock and the sleep that they share. Neither interface can return a
// status: a message ends the job.
#pragma once

#include "syncline/dsm.h"

namespace syncline::ports {

// Prints "syncline: " and the message on stderr. Ends the job, or this process if it has joined none.
[[noreturn]] void end_job(const char* format, ...) __attribute__((format(printf, 1, 2)));
void say(const char* format, ...) __attribute__((format(printf, 1, 2)));

// If the status is not OK, ends the job with the message of the call that failed.
void check(const char* call, int status);

// Returns the first of `count` numbers that no other lock, condition or flag of the program has.
uint32_t take_numbers(const char* call, uint32_t count);

// Returns shared memory of this process, or ends the job.
void* take_shared(const char* call, size_t bytes);

// Remembers that this process, and no child that it makes by fork(), belongs to the job.
void remember_process();
bool is_remembered_process();

// Has `leave` called once when the program ends: by exit(), before everything else that happens then, or at the end of
// main(). A status other than 0 ends the job at once, with a message, and `leave` is not called. Children that the
// program makes by fork() are not affected.
void at_end(void (*leave)());
void end(int status);

unsigned long microseconds();

// Called when another process is gone. A launcher that has seen the end reports it, and ends the job, within a second.
void await_launcher();

// Waits longer each time: for a process that has no work.
class Patience {
  public:
    void wait();
    void reset() { turns_ = 0; }
    int turns() const { return turns_; }

  private:
    int turns_ = 0;
};

}  // namespace syncline::ports
