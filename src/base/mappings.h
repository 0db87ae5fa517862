// SPDX-License-Identifier: BSD-3-Clause
// The mappings of this process, as /proc/self/maps lists them. Reading them allocates nothing and takes no lock,
// because a signal handler may fork, whatever it has interrupted.
#pragma once

#include <sys/mman.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "base/unique_fd.h"

namespace syncline {

constexpr int usual_rights = PROT_READ | PROT_WRITE;  // rights of a program's variables

struct MappingLine {
    uintptr_t start = 0;
    uintptr_t end = 0;
    int rights = 0;  // PROT_READ and so on
    bool is_shared = false;
    dev_t device = 0;
    ino_t inode = 0;
};

class MappingLines {
  public:
    MappingLines();
    // Returns false if this system does not tell, or no descriptor is left.
    bool are_known() const { return file_.valid(); }
    // Reads the next mapping, in the order of addresses. Returns false behind the last one.
    bool next(MappingLine* line);

  private:
    int get();
    uint64_t number(unsigned base);

    UniqueFd file_;
    size_t at_ = 0;
    size_t count_ = 0;
    char buffer_[1024];
};

}  // namespace syncline
