// SPDX-License-Identifier: BSD-3-Clause
#include "base/pages.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#define SYNCLINE_ANY_WORD __attribute__((no_sanitize_address, no_sanitize_thread))

namespace syncline {
namespace {

using Word = uint64_t __attribute__((may_alias));
constexpr uint64_t page_words = page_bytes / sizeof(Word);

SYNCLINE_ANY_WORD void copy_page(void* to, const void* from) {
    auto* const target = static_cast<volatile Word*>(to);
    const auto* const source = static_cast<const volatile Word*>(from);
    uint64_t first = 0;
    while (first < page_words && source[first] == 0) {
        first++;
    }
    for (uint64_t i = first; i < page_words; i++) {
        target[i] = source[i];
    }
}

uint8_t* plus_bytes(void* base, uint64_t bytes) {
    return static_cast<uint8_t*>(base) + bytes;
}
const uint8_t* plus_bytes(const void* base, uint64_t bytes) {
    return static_cast<const uint8_t*>(base) + bytes;
}

// Returns whether an entry of the page map says that the page is in memory or swapped out.
bool is_touched(uint64_t entry) {
    return (entry & 3ull << 62) != 0;
}

}  // namespace

SYNCLINE_ANY_WORD void copy_pages(void* to, const void* from, uint64_t bytes) {
    for (uint64_t at = 0; at < bytes; at += page_bytes) {
        copy_page(plus_bytes(to, at), plus_bytes(from, at));
    }
}

SYNCLINE_ANY_WORD void copy_touched_pages(int page_map, void* to, const void* from, uint64_t bytes) {
    uint64_t entries[512];
    constexpr uint64_t part = sizeof(entries) / sizeof(entries[0]) * page_bytes;
    for (uint64_t at = 0; at < bytes; at += part) {
        const uint64_t some = std::min(part, bytes - at);
        const uint64_t wanted = some / page_bytes * sizeof(entries[0]);
        const uint64_t place = reinterpret_cast<uint64_t>(plus_bytes(from, at)) / page_bytes * sizeof(entries[0]);
        const bool known =
            ::pread(page_map, entries, wanted, static_cast<off_t>(place)) == static_cast<ssize_t>(wanted);
        for (uint64_t page = 0; page < some / page_bytes; page++) {
            if (!known || is_touched(entries[page])) {
                copy_page(plus_bytes(to, at + page * page_bytes), plus_bytes(from, at + page * page_bytes));
            }
        }
    }
}

SYNCLINE_ANY_WORD void copy_file_pages(int file, uint64_t offset, void* to, const void* from, uint64_t bytes) {
    const auto end = static_cast<off_t>(offset + bytes);
    for (auto at = static_cast<off_t>(offset); at < end;) {
        off_t data = ::lseek(file, at, SEEK_DATA);
        if (data < 0 && errno == ENXIO) {
            return;  // the rest is a hole
        }
        off_t hole = data < 0 ? end : ::lseek(file, data, SEEK_HOLE);
        data = data < 0 ? at : data;
        hole = hole < 0 ? end : std::min(hole, end);
        if (data >= end) {
            return;
        }
        const uint64_t first = static_cast<uint64_t>(data) - offset;
        copy_pages(plus_bytes(to, first), plus_bytes(from, first), static_cast<uint64_t>(hole - data));
        at = hole;
    }
}

}  // namespace syncline
