// SPDX-License-Identifier: BSD-3-Clause
// The operations that `syncline bench armci` measures, in the order in which the table and the picture show them, and
// how many times better than its peer this library is wanted to be.
#pragma once

#include <cstdint>
#include <optional>

#include "bench/report/quantities.h"

namespace syncline::bench {

// In ns, all of them.
struct ArmciOperation {
    const char* name;  // in the program's output and in a result's file
    const char* title;
    std::optional<double> wanted_alone = {};    // on one node
    std::optional<double> wanted_between = {};  // between nodes

    std::optional<double> wanted(uint64_t nodes) const { return nodes == 1 ? wanted_alone : wanted_between; }
};

// Those that programs/armci_program.c measures.
constexpr ArmciOperation armci_operations[] = {
    {"put_8", "put 8 bytes", 1, 2},
    {"put_8_fence", "put 8 bytes + fence", 1, 2},
    {"get_8", "get 8 bytes", 1, 2},
    {"put_64", "put 64 bytes", 1, 2},
    {"put_64_fence", "put 64 bytes + fence", 1, 2},
    {"get_64", "get 64 bytes", 1, 2},
    {"put_512", "put 512 bytes", 1, 2},
    {"put_512_fence", "put 512 bytes + fence", 1, 2},
    {"get_512", "get 512 bytes", 1, 2},
    {"put_4096", "put 4 KiB", 1, 2},
    {"put_4096_fence", "put 4 KiB + fence", 1, 2},
    {"get_4096", "get 4 KiB", 1, 2},
    {"put_32768", "put 32 KiB", 1},
    {"put_32768_fence", "put 32 KiB + fence", 1},
    {"get_32768", "get 32 KiB", 1},
    {"put_1048576", "put 1 MiB", 1},
    {"put_1048576_fence", "put 1 MiB + fence", 1},
    {"get_1048576", "get 1 MiB", 1},
    {"put_block", "put 64 x 64 block", {}, 3},
    {"put_block_fence", "put 64 x 64 block + fence", {}, 3},
    {"get_block", "get 64 x 64 block", {}, 3},
    {"acc_8", "acc 8 doubles", {}, 5},
    {"acc_8_fence", "acc 8 + fence", {}, 5},
    {"acc_8_computing", "acc 8, computing", {}, 5},
    {"acc_8_fence_computing", "acc 8 + fence, computing", {}, 5},
    {"acc_512", "acc 512 doubles", {}, 5},
    {"acc_512_fence", "acc 512 + fence", {}, 5},
    {"acc_512_computing", "acc 512, computing", {}, 5},
    {"acc_512_fence_computing", "acc 512 + fence, computing", {}, 5},
    {"acc_4096", "acc 4096 doubles", {}, 5},
    {"acc_4096_fence", "acc 4096 + fence", {}, 5},
    {"acc_4096_computing", "acc 4096, computing", {}, 5},
    {"acc_4096_fence_computing", "acc 4096 + fence, computing", {}, 5},
    {"fetch_add", "fetch&add", {}, 5},
    {"mutex", "contended mutex, a section", 5, 5},
    {"sync_after_puts", "barrier after puts to all", {}, 1},
    {"puts_and_sync", "puts to all and barrier", {}, 1},
};

// Those of Global Arrays: its own program measures them, and programs/ga_matrix_product.c the last one.
constexpr ArmciOperation global_arrays_operations[] = {
    {"ga_get_16", "GA get 16 x 16"},         {"ga_put_16", "GA put 16 x 16"},    {"ga_acc_16", "GA acc 16 x 16"},
    {"ga_get_64", "GA get 64 x 64"},         {"ga_put_64", "GA put 64 x 64"},    {"ga_acc_64", "GA acc 64 x 64"},
    {"ga_get_256", "GA get 256 x 256"},      {"ga_put_256", "GA put 256 x 256"}, {"ga_acc_256", "GA acc 256 x 256"},
    {"matrix_product", "GA matrix product"},
};

// The barrier behind puts to all, also by the algorithm of the first GA_Sync: the series and the ratio.
constexpr const char* sync_subject = "sync_after_puts";
constexpr const char* original_series = "original GA_Sync";
constexpr const char* original_ratio = "sync_original";
constexpr const char* original_title = "barrier, original GA_Sync";
constexpr uint64_t original_nodes = 16;  // where the ratio is wanted
constexpr double wanted_of_original = 9;

}  // namespace syncline::bench
