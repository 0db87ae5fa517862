// SPDX-License-Identifier: BSD-3-Clause
// The places of processes when another process, the victim, dies: in calls that only the victim could end, in page
// faults, or in no call at all. The victim has lock_of_victim, and has first written a byte of each page.
#pragma once

#include <cstddef>
#include <cstring>

#include "syncline/dsm.h"

constexpr size_t pages = 64;
constexpr uint32_t lock_of_victim = 7;
constexpr uint32_t other_lock = 8;

[[noreturn]] inline void write_and_release(volatile char* memory) {
    for (int round = 0;; round++) {
        for (size_t page = 0; page < pages; page++) {
            memory[page * 4096 + static_cast<size_t>(syncline_dsm_process())] = static_cast<char>(round);
        }
        (void)syncline_dsm_lock(other_lock);
        (void)syncline_dsm_unlock(other_lock);
    }
}

inline void be_in(const char* place, volatile char* memory) {
    const auto is = [&](const char* name) { return std::strcmp(place, name) == 0; };
    if (is("barrier")) {
        (void)syncline_dsm_barrier();
    } else if (is("lock")) {
        (void)syncline_dsm_lock(lock_of_victim);
    } else if (is("flag")) {
        (void)syncline_dsm_flag_wait(5, 1, nullptr);
    } else if (is("alloc")) {
        (void)syncline_dsm_alloc(4096, SYNCLINE_DSM_CYCLIC);
    } else if (is("condition")) {
        (void)syncline_dsm_lock(other_lock);
        for (;;) {
            (void)syncline_dsm_cond_wait(5, other_lock);
        }
    } else if (is("write")) {
        write_and_release(memory);
    } else if (is("fetch")) {
        for (size_t page = 0; page < pages; page++) {
            (void)memory[page * 4096];
        }
    } else {
        for (;;) {
            asm volatile("");
        }
    }
}
