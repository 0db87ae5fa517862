// SPDX-License-Identifier: BSD-3-Clause
// The CPU executes an atomic operation on a word that is mapped here.
#pragma once

#include <cstdint>

#include "syncline/operations.h"

namespace syncline {

// Executes `operation` (SYNCLINE_*; its width does not matter) on the word, and returns the old value. Sequentially
// consistent. The caller has checked that there is such an operation.
template <typename Word>
[[gnu::always_inline]] inline Word apply(int operation, Word* word, Word operand, Word comparand) {
    static_assert(sizeof(Word) == 4 || sizeof(Word) == 8);
#define SYNCLINE_APPLY_AS_(name, bits, type)                                                                    \
    static_cast<Word>(syncline_apply_##name##bits##_(reinterpret_cast<type*>(word), static_cast<type>(operand), \
                                                     static_cast<type>(comparand)))
#define SYNCLINE_APPLY_CASE_(name, NAME, number, forms, how, sign, next) \
    case SYNCLINE_CODE_(number):                                         \
        if constexpr (sizeof(Word) == 8) {                               \
            return SYNCLINE_APPLY_AS_(name, 64, sign##64##_t);           \
        } else {                                                         \
            return SYNCLINE_APPLY_AS_(name, 32, sign##32##_t);           \
        }
    switch (operation & SYNCLINE_CODE_(31)) {
        SYNCLINE_OPERATIONS_(SYNCLINE_APPLY_CASE_)
        default:
            __builtin_trap();
    }
#undef SYNCLINE_APPLY_CASE_
#undef SYNCLINE_APPLY_AS_
}

}  // namespace syncline
