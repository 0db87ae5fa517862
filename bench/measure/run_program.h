// SPDX-License-Identifier: BSD-3-Clause
// Whole programs as what is measured: made in a folder of their own, run to their end, their output read.
#pragma once

#include <string>

#include "bench/measure/shmem_library.h"
#include "launch/child.h"

namespace syncline::bench {

// A folder that goes with all that is in it.
class Folder {
  public:
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    const std::string& name() const { return name_; }
    std::string file(const std::string& name) const { return name_ + "/" + name; }

  private:
    std::string name_;
};

// What it wrote to its standard output. Throws Failure if it fails or takes longer, and then ends it.
std::string output_of(ChildSpec spec, uint64_t time_limit_s);

// Compiles a C program with the library's own compiler; returns the file that can be started.
std::string compile(const ShmemLibrary& library, const Folder& folder, const std::string& source);

}  // namespace syncline::bench
