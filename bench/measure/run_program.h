// SPDX-License-Identifier: BSD-3-Clause
// Whole programs that are measured: compiled in a folder of their own, run to their end, their output read.
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
    // Makes a folder in it.
    std::string folder(const std::string& name) const;

  private:
    std::string name_;
};

// Runs it and returns its standard output. Throws Failure if the program fails, and if it takes longer, which ends it.
// Throws Interrupted when a signal comes that DeferredSignals hold back, and ends it.
std::string output_of(ChildSpec spec, uint64_t time_limit_s);

// Compiles a C program of the folder, which may include programs/timing.h, with the library's own compiler; returns the
// file that can be started, whose name has `what` in it.
std::string compile(const ShmemLibrary& library, const Folder& folder, const std::string& source,
                    const std::string& what = "program");

}  // namespace syncline::bench
