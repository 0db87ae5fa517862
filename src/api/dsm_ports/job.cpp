// SPDX-License-Identifier: BSD-3-Clause
#include "job.h"

#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace syncline::ports {
namespace {

// Prints by one write, so that messages of several processes do not mix.
void say_list(const char* format, va_list values) {
    char text[1024];
    const int prefix = std::snprintf(text, sizeof(text), "syncline: ");
    int length = std::vsnprintf(text + prefix, sizeof(text) - static_cast<size_t>(prefix) - 1, format, values);
    length = prefix + (length < 0 ? 0 : length);
    const int most = static_cast<int>(sizeof(text)) - 2;
    length = length > most ? most : length;
    text[length++] = '\n';
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, static_cast<size_t>(length));
}

void (*leave_job)() = nullptr;
pid_t own_pid = 0;

}  // namespace

void remember_process() {
    own_pid = ::getpid();
}

bool is_remembered_process() {
    return ::getpid() == own_pid;
}

void at_end(void (*leave)()) {
    leave_job = leave;
    ::on_exit([](int status, void*) { end(status); }, nullptr);
}

void end(int status) {
    if (leave_job == nullptr || !is_remembered_process()) {
        return;
    }
    void (*const leave)() = leave_job;
    leave_job = nullptr;
    if (status != EXIT_SUCCESS) {
        std::fflush(nullptr);
        say("PE %d ended (exit code %d): ending the job", syncline_rank(), status & 0xff);
        syncline_abort((status & 0xff) == 0 ? EXIT_FAILURE : status & 0xff);
    }
    leave();
}

void say(const char* format, ...) {
    va_list values;
    va_start(values, format);
    say_list(format, values);
    va_end(values);
}

void end_job(const char* format, ...) {
    va_list values;
    va_start(values, format);
    say_list(format, values);
    va_end(values);
    std::fflush(stdout);
    if (syncline_rank() >= 0) {
        syncline_abort(1);
    }
    ::_exit(1);
}

void check(const char* call, int status) {
    if (status != SYNCLINE_OK) {
        end_job("%s: %s", call, syncline_last_error());
    }
}

uint32_t take_numbers(const char* call, uint32_t count) {
    uint32_t first = 0;
    check(call, syncline_dsm_take_numbers(count, &first));
    return first;
}

void* take_shared(const char* call, size_t bytes) {
    void* const memory = syncline_dsm_alloc_one(bytes, SYNCLINE_DSM_MINE);
    if (memory == nullptr) {
        end_job("%s: %s", call, syncline_last_error());
    }
    return memory;
}

}  // namespace syncline::ports
