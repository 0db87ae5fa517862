// SPDX-License-Identifier: BSD-3-Clause
// Copies to and from memory that other PEs write and read at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace syncline {

// The integer type of a type's size and alignment; void if there is none.
template <typename T>
using WordFor = std::conditional_t<
    sizeof(T) == 1, uint8_t,
    std::conditional_t<sizeof(T) == 2, uint16_t,
                       std::conditional_t<sizeof(T) == 4, uint32_t,
                                          std::conditional_t<sizeof(T) == 8 && alignof(T) == 8, uint64_t, void>>>>;

template <typename Word>
inline Word load_direct(const uint8_t* source) {
    if (reinterpret_cast<uintptr_t>(source) % sizeof(Word) == 0) {
        return __atomic_load_n(reinterpret_cast<const Word*>(source), __ATOMIC_ACQUIRE);
    }
    Word word;
    std::memcpy(&word, source, sizeof(word));
    return word;
}

template <typename Word>
inline void store_direct(uint8_t* target, Word word) {
    if (reinterpret_cast<uintptr_t>(target) % sizeof(Word) == 0) {
        __atomic_store_n(reinterpret_cast<Word*>(target), word, __ATOMIC_RELEASE);
    } else {
        std::memcpy(target, &word, sizeof(word));
    }
}

template <typename Word>
inline void copy_word(uint8_t* target, const uint8_t* source) {
    store_direct(target, load_direct<Word>(source));
}

// Copies in parts: from about 1 MiB on, glibc's memcpy() uses another method, which takes a fifth longer if both sides
// are in a cache.
inline void copy_long(uint8_t* target, const uint8_t* source, size_t bytes) {
    constexpr size_t part = 64 << 10;
    for (; bytes > part; bytes -= part, target += part, source += part) {
        std::memcpy(target, source, part);
    }
    std::memcpy(target, source, bytes);
}

// Copies; an aligned word of 1, 2, 4 or 8 bytes is one load and one store.
inline void copy_direct(uint8_t* target, const uint8_t* source, size_t bytes) {
    switch (bytes) {
        case 8:
            return copy_word<uint64_t>(target, source);
        case 4:
            return copy_word<uint32_t>(target, source);
        case 2:
            return copy_word<uint16_t>(target, source);
        case 1:
            return copy_word<uint8_t>(target, source);
        default:
            copy_long(target, source, bytes);
    }
}

}  // namespace syncline
