// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace syncline {

// Returns the numbers of the BPF programs that a process has descriptors of.
inline std::set<uint32_t> programs_of(pid_t pid) {
    std::set<uint32_t> programs;
    for (const std::filesystem::directory_entry& entry :
         std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fdinfo")) {
        std::ifstream file(entry.path());
        for (std::string line; std::getline(file, line);) {
            if (line.starts_with("prog_id:")) {
                programs.insert(static_cast<uint32_t>(std::stoul(line.substr(line.find_first_not_of("\t ", 8)))));
            }
        }
    }
    return programs;
}

}  // namespace syncline
