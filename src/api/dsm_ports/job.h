// SPDX-License-Identifier: BSD-3-Clause
// How the two interfaces speak about failures, and the clock and the sleep that they share. Neither interface has a
// status to return: a sentence ends the job.
#pragma once

#include "syncline/dsm.h"

namespace syncline::ports {

// "syncline: " and the sentence, on stderr. Ends the job, or this process if it has joined none.
[[noreturn]] void end_job(const char* format, ...) __attribute__((format(printf, 1, 2)));
void say(const char* format, ...) __attribute__((format(printf, 1, 2)));

// Ends the job with the sentence of the call that failed.
void check(const char* call, int status);

// A number that no other lock, condition or flag of the program has.
uint32_t take_numbers(const char* call, uint32_t count);

// Shared memory of one process, or the end of the job.
void* take_shared(const char* call, size_t bytes);

// This process, and no child that it makes by fork(), is the job's.
void remember_process();
bool is_remembered_process();

// Has `leave` called once when the program ends: by exit(), in front of everything else that happens then, or at the
// end of main(). A status other than 0 ends the job at once, with a sentence, and `leave` is not called. A child that
// the program makes by fork() is none of this.
void at_end(void (*leave)());
void end(int status);

unsigned long microseconds();

// Another process is gone. A launcher that has seen it end says so, and ends the job, within a second.
void await_launcher();

// Waits longer each time: for a process that has nothing to do.
class Patience {
  public:
    void wait();
    void reset() { turns_ = 0; }
    int turns() const { return turns_; }

  private:
    int turns_ = 0;
};

}  // namespace syncline::ports
