// SPDX-License-Identifier: BSD-3-Clause
// Latency and rate of atomics, seen from the PE that starts them. Everything that is measured is checked too.
#include "base/clock.h"
#include "bench/pe/pe.h"

namespace syncline::bench {
namespace {

void expect(uint64_t found, uint64_t expected) {
    if (found != expected) {
        fail(SYNCLINE_ERR_PROTOCOL, "wrong result of an atomic: {} instead of {}", found, expected);
    }
}

// Reads the clock once for each operation, so a sample includes one reading, some 25 ns.
template <typename Once>
void repeat(uint64_t count, std::vector<uint32_t>* samples, Once&& once) {
    uint64_t before = now_ns();
    for (uint64_t i = 0; i < count; i++) {
        once();
        const uint64_t after = now_ns();
        (*samples)[i] = sample(before, after);
        before = after;
    }
}

// Operations of one kind; each result is checked against the value that the word must have held.
class Sequence {
  public:
    Sequence(const Pe& pe, const Command& command)
        : target_(static_cast<int>(command.target)), word_(pe.word + command.word_offset), atomic_(command.atomic) {
        must(syncline_get(target_, word_, &value_, sizeof(value_)));
    }

    void once() {
        uint64_t old;
        switch (atomic_) {
            case Atomic::kFetchAdd:
                must(syncline_fetch_add64(target_, word_, 1, &old));
                expect(old, value_++);
                break;
            case Atomic::kSwap:
                must(syncline_swap64(target_, word_, value_ + 1, &old));
                expect(old, value_++);
                break;
            case Atomic::kCasHit:
                must(syncline_cas64(target_, word_, value_, value_ + 1, &old));
                expect(old, value_++);
                break;
            case Atomic::kCasMiss:
                must(syncline_cas64(target_, word_, value_ + 1, 0, &old));
                expect(old, value_);
                break;
        }
    }

  private:
    const int target_;
    const syncline_address_t word_;
    const Atomic atomic_;
    uint64_t value_ = 0;
};

// Calls `chunk`(operations) until the time is up, or until told.
template <typename Chunk>
Outcome run_chunks(const Pe& pe, uint64_t duration_ns, Chunk&& chunk) {
    constexpr uint64_t per_chunk = 512;
    Outcome outcome;
    const uint64_t start = now_ns();
    uint64_t look = start + look_interval_ns;
    for (;;) {
        chunk(per_chunk);
        outcome.operations += per_chunk;
        const uint64_t now = now_ns();
        outcome.elapsed_ns = now - start;
        if (duration_ns != 0 ? outcome.elapsed_ns >= duration_ns : now >= look && pe.told()) {
            return outcome;
        }
        look = now >= look ? now + look_interval_ns : look;
    }
}

}  // namespace

Outcome measure_latency(const Pe& pe, const Command& command) {
    Outcome outcome;
    outcome.samples.assign(command.count, 0);
    Sequence sequence(pe, command);
    for (uint64_t i = 0; i < 20 + command.count / 10; i++) {
        sequence.once();
    }
    if (command.gate != 0) {
        pass_gate(pe, 0, command.gate);
    }
    const uint64_t start = now_ns();
    repeat(command.count, &outcome.samples, [&] { sequence.once(); });
    outcome.elapsed_ns = now_ns() - start;
    outcome.operations = command.count;
    return outcome;
}

Outcome measure_local(const Pe& pe, const Command& command) {
    const auto target = static_cast<int>(command.target);
    auto* const word = static_cast<uint64_t*>(syncline_pointer(target, pe.word));
    if (word == nullptr) {
        fail(SYNCLINE_ERR_UNSUPPORTED, "PE {} is not on this node", target);
    }
    uint64_t sum = 0;
    Outcome outcome;
    if (command.bare != 0) {
        outcome = run_chunks(pe, command.duration_ns, [&](uint64_t count) {
            for (uint64_t i = 0; i < count; i++) {
                sum += __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
            }
        });
    } else {
        outcome = run_chunks(pe, command.duration_ns, [&](uint64_t count) {
            for (uint64_t i = 0; i < count; i++) {
                uint64_t old;
                must(syncline_fetch_add64(target, pe.word, 1, &old));
                sum += old;
            }
        });
    }
    outcome.value = sum;  // so that no result is thrown away by the compiler
    return outcome;
}

Outcome measure_in_flight(const Pe& pe, const Command& command) {
    struct Seen {
        uint64_t completed = 0;
        int status = SYNCLINE_OK;
    } seen;
    const auto note = [](uint64_t, int status, void* context) {
        auto* const to = static_cast<Seen*>(context);
        to->completed++;
        to->status = status != SYNCLINE_OK ? status : to->status;
    };
    const auto target = static_cast<int>(command.target);
    std::vector<uint64_t> old(command.count);
    uint64_t first;
    must(syncline_get(target, pe.word, &first, sizeof(first)));
    const uint64_t start = now_ns();
    for (uint64_t i = 0; i < command.count; i++) {
        must(syncline_fetch_add64_nb(target, pe.word, 1, &old[i], i, nullptr));
        if (i % 16 == 15) {
            must(syncline_poll(note, &seen, 64));
        }
    }
    while (seen.completed < command.count) {
        must(syncline_poll(note, &seen, 64));
    }
    const uint64_t elapsed = now_ns() - start;
    must(seen.status);
    uint64_t last;
    must(syncline_get(target, pe.word, &last, sizeof(last)));
    expect(last, first + command.count);
    return {.elapsed_ns = elapsed, .operations = command.count};
}

Outcome measure_posted(const Pe& pe, const Command& command) {
    const auto target = static_cast<int>(command.target);
    const uint64_t words = command.bytes / sizeof(uint64_t);
    uint64_t state = command.seed | 1;
    uint64_t fold = 0;
    const uint64_t start = now_ns();
    for (uint64_t i = 0; i < command.count; i++) {
        const uint64_t value = next_random(&state);
        fold ^= value;
        must(syncline_xor64(target, pe.table + (value >> 20) % words * sizeof(uint64_t), value));
    }
    must(syncline_fence(target));
    return {.elapsed_ns = now_ns() - start, .operations = command.count, .value = fold};
}

Outcome fold_table(const Pe& pe, const Command& command) {
    const auto* const words = static_cast<const uint64_t*>(syncline_local(pe.table));
    Outcome outcome;
    for (uint64_t i = 0; i < command.bytes / sizeof(uint64_t); i++) {
        outcome.value ^= words[i];
    }
    return outcome;
}

}  // namespace syncline::bench
