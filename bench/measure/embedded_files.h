// SPDX-License-Identifier: BSD-3-Clause
// The sources of programs that a benchmark compiles where it runs, as they were when the command was compiled.
#pragma once

#include <string>

namespace syncline::bench {

std::string timing_source();
std::string shmem_program_source();
std::string mpi_program_source();
std::string armci_program_source();
std::string ga_matrix_product_source();
std::string random_access_source();
std::string dsm_common_header();
std::string dsm_common_source();
std::string dsm_barnes_source();
std::string dsm_radix_source();
std::string dsm_is_source();
std::string dsm_fft_source();
std::string dsm_water_source();

}  // namespace syncline::bench
