// SPDX-License-Identifier: BSD-3-Clause
// Compiles whole programs in a folder of their own, runs them to their end and reads their output.
#pragma once

#include <string>

#include "bench/measure/shmem_library.h"
#include "launch/child.h"

namespace syncline::bench {

// A temporary folder, which is removed with all its contents when the object is destroyed.
class Folder {
  public:
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    const std::string& name() const { return name_; }
    std::string file(const std::string& name) const { return name_ + "/" + name; }
    // Makes a folder in the folder.
    std::string folder(const std::string& name) const;

  private:
    std::string name_;
};

// Runs a program and returns its standard output. Throws Failure if the program fails or takes longer than the limit,
// and Interrupted when a signal comes that DeferredSignals hold back; both end the program.
std::string output_of(ChildSpec spec, uint64_t time_limit_s);

// Compiles a C program of the folder, which may include programs/timing.h, with the library's own compiler. Returns the
// executable, whose name contains `what`.
std::string compile(const ShmemLibrary& library, const Folder& folder, const std::string& source,
                    const std::string& what = "program");

}  // namespace syncline::bench
