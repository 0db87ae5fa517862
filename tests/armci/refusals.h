// SPDX-License-Identifier: BSD-3-Clause
// Calls that make no sense: the program `refusals` makes each in a job of its own.
#pragma once

#include <message.h>

#include <functional>
#include <string>
#include <vector>

namespace armci_test {

struct Refusal {
    std::string call;
    std::string says;  // a regular expression: the argument's name, or the rule
    std::function<void()> make;
    bool joins = true;  // ARMCI_Init() comes first, and the memory below exists
};

std::vector<Refusal> refusals_of_transfers();
std::vector<Refusal> refusals_of_layouts();
std::vector<Refusal> refusals_of_memory();
std::vector<Refusal> refusals_of_synchronisation();
std::vector<Refusal> refusals_of_groups();
std::vector<Refusal> refusals_of_messages();
std::vector<Refusal> refusals_of_order();

// Memory of this process, the only one of its job.
constexpr int block_bytes = 4096;
struct Memory {
    char* block = nullptr;  // allocated by ARMCI_Malloc()
    char* freed = nullptr;  // allocated likewise, and freed
    alignas(64) char local[block_bytes] = {};
};
extern Memory memory;

}  // namespace armci_test
