// SPDX-License-Identifier: BSD-3-Clause
// A build tree of Global Arrays, configured for some ARMCI: the tree's own performance program, and one of this project
// that the tree's makefile compiles and links.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "bench/measure/shmem_library.h"
#include "bench/measure/statements.h"

namespace syncline::bench {

class GlobalArrays {
  public:
    // Number of rows of the matrix product, and of a block.
    static constexpr uint64_t matrix = 512, block = 64;

    // `product`: the source of programs/ga_matrix_product.c, compiled in the folder. Throws Failure if `tree` is not
    // such a build tree.
    GlobalArrays(const std::string& tree, uint32_t processes, const std::string& folder, const std::string& product);

    // Returns the performance program of this tree. With Fortran, GA has one for four processes, in which the other
    // processes wait in GA_Sync; in the program without Fortran they sleep.
    const std::string& test_program() const { return test_program_; }
    // Runs both programs once. Returns the statements by the operations' names. Throws Failure.
    std::map<std::string, Statement> run(const ShmemLibrary& launcher, uint64_t time_limit_s) const;

  private:
    const std::string tree_, test_program_, product_;
};

// Reads the times of a get, put and accumulate of 2-D sections of 16 x 16, 64 x 64 and 256 x 256 doubles on other
// processes from the output of GA's perform.x or perf2.x. Throws Failure if they are missing.
std::map<std::string, Statement> read_sections(const std::string& output);

}  // namespace syncline::bench
