// SPDX-License-Identifier: BSD-3-Clause
// The names of the typed atomics of syncline.h, for their error messages: a caller of syncline_fetch_add64() should not
// read of syncline_atomic().
#pragma once

#include <cstdint>

#include "syncline.h"

namespace syncline {

// By number of the operation and width (32, 64, 128).
using TypedNames = const char* [32][3];

#define SYNCLINE_NAMES_OF_WIDTHS_(name, end) \
    {"syncline_" name "32" end, "syncline_" name "64" end, "syncline_" name "128" end},
#define SYNCLINE_FETCH_NAME_INSTRUCTION_(name) "fetch_" #name
#define SYNCLINE_FETCH_NAME_LOOP_(name) "fetch_" #name
#define SYNCLINE_FETCH_NAME_EXCHANGE_(name) #name
#define SYNCLINE_FETCH_NAME_COMPARE_(name) #name
#define SYNCLINE_POST_NAME_INSTRUCTION_(name) #name
#define SYNCLINE_POST_NAME_LOOP_(name) #name
#define SYNCLINE_POST_NAME_EXCHANGE_(name) "store"
#define SYNCLINE_POST_NAME_COMPARE_(name) #name
#define SYNCLINE_FETCH_NAMES_(name, NAME, number, forms, how, sign, next) \
    SYNCLINE_NAMES_OF_WIDTHS_(SYNCLINE_FETCH_NAME_##how##_(name), "")
#define SYNCLINE_FETCH_NB_NAMES_(name, NAME, number, forms, how, sign, next) \
    SYNCLINE_NAMES_OF_WIDTHS_(SYNCLINE_FETCH_NAME_##how##_(name), "_nb")
#define SYNCLINE_POST_NAMES_(name, NAME, number, forms, how, sign, next) \
    SYNCLINE_NAMES_OF_WIDTHS_(SYNCLINE_POST_NAME_##how##_(name), "")

inline constexpr TypedNames fetch_names = {SYNCLINE_OPERATIONS_(SYNCLINE_FETCH_NAMES_)};
inline constexpr TypedNames fetch_nb_names = {SYNCLINE_OPERATIONS_(SYNCLINE_FETCH_NB_NAMES_)};
inline constexpr TypedNames post_names = {SYNCLINE_OPERATIONS_(SYNCLINE_POST_NAMES_)};

#undef SYNCLINE_POST_NAMES_
#undef SYNCLINE_FETCH_NB_NAMES_
#undef SYNCLINE_FETCH_NAMES_
#undef SYNCLINE_POST_NAME_COMPARE_
#undef SYNCLINE_POST_NAME_EXCHANGE_
#undef SYNCLINE_POST_NAME_LOOP_
#undef SYNCLINE_POST_NAME_INSTRUCTION_
#undef SYNCLINE_FETCH_NAME_COMPARE_
#undef SYNCLINE_FETCH_NAME_EXCHANGE_
#undef SYNCLINE_FETCH_NAME_LOOP_
#undef SYNCLINE_FETCH_NAME_INSTRUCTION_
#undef SYNCLINE_NAMES_OF_WIDTHS_

// A program that calls the functions behind the typed ones by itself may pass any value.
inline const char* name_of(const TypedNames& names, int operation) {
    const auto code = static_cast<uint32_t>(operation);
    const uint32_t width = (code >> 3 & 7) - (SYNCLINE_32 >> 3);
    const char* const name = width < 3 ? names[SYNCLINE_NUMBER_(code)][width] : nullptr;
    return name != nullptr ? name : "syncline_atomic";
}

}  // namespace syncline
