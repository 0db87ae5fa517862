// SPDX-License-Identifier: BSD-3-Clause
// Names of `syncline bench bulk`, in the order in which tables and pictures show them.
#pragma once

#include <string_view>

#include "bench/report/quantities.h"

namespace syncline::bench {

struct BulkSubject {
    const char* name;  // name in a result's file, and in the output of programs/mpi_program.c
    const char* title;
    Quantity quantity;

    bool is_of(const Quantity& wanted) const { return std::string_view(quantity.benchmark) == wanted.benchmark; }
};

constexpr BulkSubject bulk_subjects[] = {
    {"fetch_add", "fetch&add", quantities::bulk},
    {"get_8", "get 8 bytes", quantities::bulk},
    {"get_4k", "get 4 KiB", quantities::bulk},
    {"get_64k", "get 64 KiB", quantities::bulk},
    {"get_1m", "get 1 MiB", quantities::bulk},
    {"put_8", "put 8 bytes + quiet", quantities::bulk},
    {"put_4k", "put 4 KiB + quiet", quantities::bulk},
    {"put_64k", "put 64 KiB + quiet", quantities::bulk},
    {"put_1m", "put 1 MiB + quiet", quantities::bulk},
    {"accumulate_waiting", "accumulate, target waits", quantities::bulk},
    {"accumulate_computing", "accumulate, target computes", quantities::bulk},
    {"put_64x8", "put 64 pieces of 8 bytes", quantities::pieces},
    {"put_64x64", "put 64 pieces of 64 bytes", quantities::pieces},
    {"put_64x512", "put 64 pieces of 512 bytes", quantities::pieces},
    {"get_64x8", "get 64 pieces of 8 bytes", quantities::pieces},
    {"get_64x64", "get 64 pieces of 64 bytes", quantities::pieces},
    {"get_64x512", "get 64 pieces of 512 bytes", quantities::pieces},
    {"target_work", "work of the target", quantities::undisturbed},
    {"xor_128k", "xor, packed, 128 KiB table", quantities::rate},
    {"xor_16m", "xor, packed, 16 MiB table", quantities::rate},
};

// The series, in the order in which they are shown.
namespace conditions {
constexpr const char* xdp = "xdp";
constexpr const char* tagged = "xdp+auth";
constexpr const char* bare = "bare";
constexpr const char* peer = "openmpi tcp";
constexpr const char* pieces = "pieces";  // one call with a list
constexpr const char* each = "each";      // one call for each piece
constexpr const char* alone = "alone";
constexpr const char* loaded = "accumulates arrive";
constexpr const char* all[] = {xdp, tagged, bare, peer, pieces, each, alone, loaded};
}  // namespace conditions

}  // namespace syncline::bench
