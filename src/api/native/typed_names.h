// SPDX-License-Identifier: BSD-3-Clause
// The names of the typed atomics of syncline.h, for their error messages: a caller of syncline_fetch_add64() should not
// read of syncline_atomic().
#pragma once

#include <cstdint>

#include "syncline.h"

namespace syncline {

// By operation (ADD, AND, OR, XOR, SWAP, CAS) and width (32, 64, 128).
using TypedNames = const char* [6][3];

#define SYNCLINE_NAMES_OF_WIDTHS_(name, end) \
    {"syncline_" name "32" end, "syncline_" name "64" end, "syncline_" name "128" end}
#define SYNCLINE_NAMES_OF_FETCHES_(end)                                                        \
    {SYNCLINE_NAMES_OF_WIDTHS_("fetch_add", end), SYNCLINE_NAMES_OF_WIDTHS_("fetch_and", end), \
     SYNCLINE_NAMES_OF_WIDTHS_("fetch_or", end),  SYNCLINE_NAMES_OF_WIDTHS_("fetch_xor", end), \
     SYNCLINE_NAMES_OF_WIDTHS_("swap", end),      SYNCLINE_NAMES_OF_WIDTHS_("cas", end)}

inline constexpr TypedNames fetch_names = SYNCLINE_NAMES_OF_FETCHES_("");
inline constexpr TypedNames fetch_nb_names = SYNCLINE_NAMES_OF_FETCHES_("_nb");
inline constexpr TypedNames post_names = {SYNCLINE_NAMES_OF_WIDTHS_("add", ""),   SYNCLINE_NAMES_OF_WIDTHS_("and", ""),
                                          SYNCLINE_NAMES_OF_WIDTHS_("or", ""),    SYNCLINE_NAMES_OF_WIDTHS_("xor", ""),
                                          SYNCLINE_NAMES_OF_WIDTHS_("store", ""), SYNCLINE_NAMES_OF_WIDTHS_("cas", "")};

#undef SYNCLINE_NAMES_OF_FETCHES_
#undef SYNCLINE_NAMES_OF_WIDTHS_

// A program that calls the functions behind the typed ones by itself may pass any value.
inline const char* name_of(const TypedNames& names, int operation) {
    const auto kind = static_cast<uint32_t>(operation) & 7;
    const uint32_t width = (static_cast<uint32_t>(operation) >> 3 & 7) - (SYNCLINE_32 >> 3);
    return kind < 6 && width < 3 ? names[kind][width] : "syncline_atomic";
}

}  // namespace syncline
