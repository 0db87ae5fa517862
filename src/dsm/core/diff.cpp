// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/core/diff.h"

#include <bit>
#include <cstring>

#include "base/check.h"
#include "dsm/core/view.h"

namespace syncline::dsm {
namespace {

constexpr uint32_t word_bytes = 8;
constexpr uint32_t line_bytes = 64;

uint64_t load(const uint8_t* from) {
    uint64_t word;
    std::memcpy(&word, from, sizeof(word));
    return word;
}

// Returns 0x80 in each byte of `word` that is not 0.
uint64_t nonzero_bytes(uint64_t word) {
    constexpr uint64_t low = 0x7F7F7F7F7F7F7F7Fu;
    return (((word & low) + low) | word) & ~low;
}

// Calls take(first, last, bytes) for each run of changed bytes within a word.
template <typename Take>
void visit_word(const uint8_t* page, uint8_t* twin, uint32_t at, Take&& take) {
    const uint64_t now = __atomic_load_n(reinterpret_cast<const uint64_t*>(page + at), __ATOMIC_RELAXED);
    uint64_t changed = nonzero_bytes(now ^ load(twin + at));
    std::memcpy(twin + at, &now, sizeof(now));
    while (changed != 0) {
        const auto first = static_cast<uint32_t>(std::countr_zero(changed)) / 8;
        const uint64_t rest = ~(changed | 0x7F7F7F7F7F7F7F7Fu) >> (first * 8);
        const uint32_t length = rest != 0 ? static_cast<uint32_t>(std::countr_zero(rest)) / 8 : word_bytes - first;
        const uint64_t value = now >> (first * 8);
        take(at + first, length, value);
        const uint32_t end = first + length;
        SYNCLINE_CHECK(length >= 1 && end <= word_bytes, "%u bytes from %u on", length, first);
        changed = end < word_bytes ? changed >> (end * 8) << (end * 8) : 0;
    }
}

template <typename Take>
void visit_changes(const uint8_t* page, uint8_t* twin, Take&& take) {
    for (uint32_t line = 0; line < page_bytes; line += line_bytes) {
        if (std::memcmp(page + line, twin + line, line_bytes) == 0) {
            continue;
        }
        for (uint32_t at = line; at < line + line_bytes; at += word_bytes) {
            visit_word(page, twin, at, take);
        }
    }
}

// The pieces rise, do not overlap, and have as many bytes as there are.
void check_pieces([[maybe_unused]] const Diff& diff) {
#ifdef SYNCLINE_CHECKS
    uint64_t bytes = 0;
    for (size_t i = 0; i < diff.pieces.size(); i++) {
        SYNCLINE_CHECK(diff.pieces[i].bytes != 0, "piece %zu is empty", i);
        bytes += diff.pieces[i].bytes;
    }
    SYNCLINE_CHECK(bytes == diff.bytes.size(), "%lu bytes in pieces, and %zu of data", bytes, diff.bytes.size());
#endif
}

}  // namespace

uint32_t append_changes(const uint8_t* page, uint8_t* twin, uint64_t base, Diff* diff) {
    uint8_t bytes[page_bytes + word_bytes];  // a run is stored as a whole word, whose rest the next run overwrites
    uint32_t count = 0;
    visit_changes(page, twin, [&](uint32_t at, uint32_t length, uint64_t value) {
        const uint64_t offset = base + at;
        if (!diff->pieces.empty() && diff->pieces.back().offset + diff->pieces.back().bytes == offset) {
            diff->pieces.back().bytes += length;
        } else {
            diff->pieces.push_back({offset, length});
        }
        std::memcpy(bytes + count, &value, sizeof(value));
        count += length;
    });
    SYNCLINE_ASSERT(count <= page_bytes, "%u changed bytes", count);
    diff->bytes.insert(diff->bytes.end(), bytes, bytes + count);
    check_pieces(*diff);
    return count;
}

}  // namespace syncline::dsm
