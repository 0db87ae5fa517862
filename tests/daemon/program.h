// SPDX-License-Identifier: BSD-3-Clause
// A child process of a test, whose output is collected.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace syncline {

using Strings = std::vector<std::string>;

std::string tools_folder();      // the folder of syncline and synclined
std::string node_pe_program();   // this folder's job program
std::string attacker_program();  // this folder's PE that writes where it should not
bool everybody_can_run(std::filesystem::path path);
uint16_t free_port();  // a UDP port for a job, different for tests that run at the same time

// A child process whose output is collected.
class Program {
  public:
    explicit Program(const Strings& argv, const Strings& environment = {});
    ~Program();  // kills it
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    pid_t pid() const { return pid_; }
    // Reads until the output holds `count` lines that begin with `start`; false after `timeout_ms` or at its end.
    bool wait_for(const std::string& start, size_t count, int timeout_ms);
    // The exit code as a shell says it (128 + signal), or -1 if it still runs after `timeout_ms`.
    int wait(int timeout_ms);
    const std::string& output() const { return output_; }
    // Returns VALUE of the lines "KEY RANK VALUE".
    std::map<int, int64_t> values(const std::string& key) const;
    Strings lines(const std::string& start) const;

  private:
    bool read_some(int timeout_ms);

    pid_t pid_ = -1;
    int code_ = -1;
    UniqueFd pipe_;
    std::string output_;
};

}  // namespace syncline
