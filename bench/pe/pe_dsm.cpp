// SPDX-License-Identifier: BSD-3-Clause
// Distributed shared memory: pages that one PE has written and others read (Noronha 2004, section 5.2), locks and
// barriers.
#include <syncline/dsm.h>

#include <algorithm>
#include <ctime>
#include <numeric>
#include <random>

#include "base/clock.h"
#include "bench/pe/pe.h"

namespace syncline::bench {
namespace {

constexpr uint64_t page_words = 4096 / sizeof(uint64_t);
constexpr uint32_t counter_lock = 0, pages_lock = 1;

// The last that kSharedPages took.
volatile uint64_t* shared_words = nullptr;

volatile uint64_t* word_of_page(uint64_t page) {
    return shared_words + page * page_words;
}

uint32_t since(uint64_t* before) {
    const uint64_t now = now_ns();
    const uint64_t elapsed = now - *before;
    *before = now;
    return static_cast<uint32_t>(std::min<uint64_t>(elapsed, UINT32_MAX));
}

std::vector<uint32_t> page_order(const Command& command) {
    std::vector<uint32_t> order(command.count);
    std::iota(order.begin(), order.end(), 0);
    if (command.scattered != 0) {
        std::shuffle(order.begin(), order.end(), std::minstd_rand(static_cast<uint32_t>(1 + syncline_rank())));
    }
    return order;
}

}  // namespace

Outcome count_cpu_time() {
    timespec time = {};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    Outcome outcome;
    outcome.value = static_cast<uint64_t>(time.tv_sec) * ns_per_s + static_cast<uint64_t>(time.tv_nsec);
    return outcome;
}

Outcome open_shared(const Command& command) {
    syncline_dsm_options_t options = {};
    options.struct_size = sizeof(options);
    options.bytes = command.bytes;
    options.protocol = command.shared_protocol;
    must(syncline_dsm_init(&options));
    return {};
}

Outcome close_shared() {
    must(syncline_dsm_finalize());
    return {};
}

Outcome take_shared_pages(const Command& command) {
    shared_words = static_cast<volatile uint64_t*>(
        syncline_dsm_alloc(command.count * page_words * sizeof(uint64_t), SYNCLINE_DSM_FIRST_TOUCH));
    if (shared_words == nullptr) {
        fail(SYNCLINE_ERR_NO_MEMORY, "{}", syncline_last_error());
    }
    return {};
}

// Not a barrier: behind one the library fetches pages that their program has used before.
Outcome write_shared_pages(const Command& command) {
    must(syncline_dsm_lock(pages_lock));
    for (uint64_t page = 0; page < command.count; page++) {
        *word_of_page(page) = command.seed + page;
    }
    must(syncline_dsm_unlock(pages_lock));
    return {};
}

Outcome acquire_shared_pages() {
    must(syncline_dsm_lock(pages_lock));
    must(syncline_dsm_unlock(pages_lock));
    return {};
}

Outcome read_shared_pages(const Pe& pe, const Command& command) {
    const std::vector<uint32_t> order = page_order(command);
    Outcome outcome;
    outcome.samples.resize(command.count);
    pass_gate(pe, 0, command.gate);
    const uint64_t start = now_ns();
    uint64_t before = start;
    for (uint64_t i = 0; i < command.count; i++) {
        const uint64_t found = *word_of_page(order[i]);
        outcome.samples[i] = since(&before);
        if (found != command.seed + order[i]) {
            fail(SYNCLINE_ERR_PROTOCOL, "page {} holds {} instead of {}", order[i], found, command.seed + order[i]);
        }
    }
    outcome.elapsed_ns = before - start;
    outcome.operations = command.count;
    return outcome;
}

Outcome pass_shared_lock(const Pe& pe, const Command& command) {
    Outcome outcome;
    outcome.samples.resize(command.count);
    pass_gate(pe, 0, command.gate);
    const uint64_t start = now_ns();
    uint64_t before = start;
    for (uint32_t& sample : outcome.samples) {
        must(syncline_dsm_lock(counter_lock));
        outcome.value = *shared_words + 1;
        *shared_words = outcome.value;
        must(syncline_dsm_unlock(counter_lock));
        sample = since(&before);
    }
    outcome.elapsed_ns = before - start;
    outcome.operations = command.count;
    return outcome;
}

Outcome allocate_shared(const Command& command) {
    constexpr size_t bytes = 64;
    const auto allocate = [] {
        if (syncline_dsm_alloc_one(bytes, SYNCLINE_DSM_FIRST_TOUCH) == nullptr) {
            fail(SYNCLINE_ERR_NO_MEMORY, "{}", syncline_last_error());
        }
    };
    for (uint64_t i = 0; i < command.pieces; i++) {
        allocate();
    }
    Outcome outcome;
    outcome.samples.resize(command.count);
    const uint64_t start = now_ns();
    uint64_t before = start;
    for (uint32_t& sample : outcome.samples) {
        allocate();
        sample = since(&before);
    }
    outcome.elapsed_ns = before - start;
    outcome.operations = command.count;
    return outcome;
}

Outcome run_shared_barriers(const Command& command) {
    Outcome outcome;
    outcome.samples.resize(command.count);
    const auto me = static_cast<uint64_t>(syncline_rank());
    const uint64_t start = now_ns();
    uint64_t before = start;
    for (uint32_t& sample : outcome.samples) {
        if (command.pieces != 0) {
            *word_of_page(me) = *word_of_page(me) + 1;
        }
        must(syncline_dsm_barrier());
        sample = since(&before);
    }
    outcome.elapsed_ns = before - start;
    outcome.operations = command.count;
    return outcome;
}

}  // namespace syncline::bench
