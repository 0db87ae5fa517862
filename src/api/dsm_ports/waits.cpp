// SPDX-License-Identifier: BSD-3-Clause
#include "waits.h"

#include <pthread.h>

#include "job.h"

namespace syncline::ports {
namespace {

constexpr uint64_t waiting = 1;
constexpr uint64_t idle = 2;
constexpr uint64_t next = 4;  // each wait adds this to the word, so that each has a number
constexpr unsigned long look_us = 20'000;
constexpr unsigned long patience_us = 1'000'000;

syncline_address_t address = 0;
uint64_t* word = nullptr;

void change(uint64_t to) {
    if (word != nullptr) {
        __atomic_store_n(word, to, __ATOMIC_RELAXED);
    }
}

// Ends the job if the process is gone.
uint64_t word_of(const char* call, int process) {
    uint64_t value = 0;
    if (syncline_get(process, address, &value, sizeof(value)) != SYNCLINE_OK) {
        await_launcher();
        end_job("%s: %s", call, syncline_last_error());
    }
    return value;
}

}  // namespace

void open_waits(const char* call) {
    check(call, syncline_alloc(sizeof(*word), 0, &address));
    word = static_cast<uint64_t*>(syncline_local(address));
    change(0);
    // A child made by fork() does not belong to the job, and the heap is not its memory.
    (void)::pthread_atfork(nullptr, nullptr, [] { word = nullptr; });
    check(call, syncline_barrier());
}

void set_idle(bool is_idle) {
    if (word != nullptr) {
        change(is_idle ? *word | idle : *word & ~idle);
    }
}

Waits::Waits() {
    if (word != nullptr) {
        change(*word + next + waiting);
    }
}

Waits::~Waits() {
    if (word != nullptr) {
        change(*word - waiting);
    }
}

// Returns false if a process runs, or if one with a lower number has ended as well and checks.
bool Standstill::see(const char* call, std::vector<uint64_t>* words) const {
    for (int process = 0; process < syncline_size(); process++) {
        const bool is_other = process != syncline_rank();
        words->push_back(is_other ? word_of(call, process) : 0);
        if (is_other && (words->back() & (waiting | idle)) == 0) {
            return false;
        }
    }
    return true;
}

void Standstill::look(const char* call) {
    const unsigned long now = microseconds();
    if (now - looked_us_ < look_us) {
        return;
    }
    looked_us_ = now;
    std::vector<uint64_t> words;
    if (!see(call, &words) || words != words_) {
        words_ = words;
        since_us_ = now;
        return;
    }
    int waits = -1;
    bool is_first = true;
    for (int process = 0; process < syncline_size(); process++) {
        waits = waits < 0 && (words[static_cast<size_t>(process)] & waiting) != 0 ? process : waits;
        is_first = is_first && (process >= syncline_rank() || (words[static_cast<size_t>(process)] & waiting) != 0);
    }
    if (waits >= 0 && is_first && now - since_us_ >= patience_us) {
        end_job(
            "%s: process %d has ended, and the others cannot go on: process %d waits for ever, in a barrier or for a "
            "lock "
            "or a condition",
            call, syncline_rank(), waits);
    }
}

void await_idle(const char* call) {
    set_idle(true);
    Standstill standstill;
    Patience patience;
    for (int process = 0; process < syncline_size();) {
        if (process == syncline_rank() || (word_of(call, process) & idle) != 0) {
            process++;
        } else {
            standstill.look(call);
            patience.wait();
        }
    }
}

}  // namespace syncline::ports
