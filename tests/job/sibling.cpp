// SPDX-License-Identifier: BSD-3-Clause
// sibling look <ranks>: says which ranks of its launch have no process. sibling hide: overwrites its environment, as
// programs do that write a title there, says "hidden", and waits for its end.
#include "job/launchers/siblings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
    if (argc > 1 && std::strcmp(argv[1], "hide") == 0) {
        std::memset(::environ[0], 0, std::strlen(::environ[0]));
        std::puts("hidden");
        std::fflush(stdout);
        ::pause();
    }
    std::vector<uint32_t> ranks;
    for (int rank = 0; argc > 2 && rank < std::atoi(argv[2]); rank++) {
        ranks.push_back(static_cast<uint32_t>(rank));
    }
    const char* const launch = std::getenv("TEST_LAUNCH");
    const syncline::Siblings siblings({fmt::format("TEST_LAUNCH={}", launch != nullptr ? launch : ""), "TEST_RANK="},
                                      ranks);
    fmt::print("absent: {}\n", fmt::join(siblings.absent(), ","));
    return 0;
}
