// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/global_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/failure.h"
#include "bench/measure/run_program.h"
#include "bench/report/result_files.h"

namespace syncline::bench {
namespace {

constexpr uint64_t make_time_limit_s = 120;
constexpr uint32_t fortran_program_processes = 4;  // the program refuses another number

constexpr uint64_t section_sides[] = {16, 64, 256};
constexpr const char* section_operations[] = {"get", "put", "acc"};

// Automake's variables say how to compile and link a test program, wherever the tree's ARMCI and MPI are.
constexpr const char* makefile =
    "include Makefile\n"
    "$(PROGRAM): $(SOURCE)\n"
    "\t$(CC) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) -O3 -c -o $@.o $(SOURCE)\n"
    "\t$(LINK) $@.o $(LDADD) $(LIBS)\n";

std::string find_test_program(const std::string& tree, uint32_t processes) {
    for (const char* const name : {"perform.x", "perf2.x"}) {
        if (std::filesystem::exists(fmt::format("{}/global/testing/{}", tree, name)) &&
            (processes == fortran_program_processes || name == std::string("perf2.x"))) {
            return name;
        }
    }
    fail(SYNCLINE_ERR_NOT_FOUND, "{0} has no global/testing/perf2.x: `make -C {0} global/testing/perf2.x`", tree);
}

std::string compile_in(const std::string& tree, const std::string& folder, const std::string& source) {
    std::string program = folder + "/ga_matrix_product";
    write_file(folder + "/makefile", makefile);
    ChildSpec spec;
    // -o: takes the program as it is, even if it is older than the tree's sources.
    spec.argv = {"make",
                 "-s",
                 "-C",
                 tree,
                 "-o",
                 "Makefile",
                 "-f",
                 folder + "/makefile",
                 "PROGRAM=" + program,
                 "SOURCE=" + source,
                 program};
    (void)output_of(spec, make_time_limit_s);
    return program;
}

// Finds the table after the last heading: the one for other processes, and for two dimensions.
std::string last_table(const std::string& output) {
    const size_t fortran = output.rfind("ACCESS ["), c = output.rfind("Strided Data Transfer");
    const size_t start = fortran != std::string::npos ? fortran : c;
    return start == std::string::npos ? "" : output.substr(start);
}

// Fortran's numbers have a D; its units follow without a blank.
std::string in_plain_numbers(std::string line) {
    std::replace(line.begin(), line.end(), 'D', 'E');
    for (size_t at = line.find("MB/s"); at != std::string::npos; at = line.find("MB/s")) {
        std::fill_n(line.begin() + static_cast<ptrdiff_t>(at), 4, ' ');
    }
    return line;
}

}  // namespace

std::map<std::string, Statement> read_sections(const std::string& output) {
    const std::string table = last_table(output);
    const double unit_ns = table.starts_with("ACCESS") ? 1e9 : 1e3;
    std::map<std::string, Statement> read;
    std::istringstream lines(table);
    std::string line;
    while (std::getline(lines, line)) {
        std::istringstream numbers(in_plain_numbers(line));
        uint64_t bytes = 0, loops = 0;
        double times[3], rates[3];
        if (!(numbers >> bytes >> loops >> times[0] >> rates[0] >> times[1] >> rates[1] >> times[2] >> rates[2])) {
            continue;
        }
        for (const uint64_t side : section_sides) {
            for (size_t i = 0; bytes == side * side * sizeof(double) && i < std::size(section_operations); i++) {
                const double ns = times[i] * unit_ns;
                read[fmt::format("ga_{}_{}", section_operations[i], side)] = {ns, 0, ns};
            }
        }
    }
    if (read.size() != std::size(section_sides) * std::size(section_operations)) {
        fail(SYNCLINE_ERR_SYSTEM, "the performance program of Global Arrays says: {}", output);
    }
    return read;
}

GlobalArrays::GlobalArrays(const std::string& tree, uint32_t processes, const std::string& folder,
                           const std::string& product)
    : tree_(std::filesystem::absolute(tree)),
      test_program_(find_test_program(tree_, processes)),
      product_(compile_in(tree_, folder, product)) {}

std::map<std::string, Statement> GlobalArrays::run(const ShmemLibrary& launcher, uint64_t time_limit_s) const {
    std::map<std::string, Statement> read =
        read_sections(output_of(launcher.start({tree_ + "/global/testing/" + test_program_}), time_limit_s));
    read.merge(read_statements(
        output_of(launcher.start({product_, std::to_string(matrix), std::to_string(block)}), time_limit_s),
        launcher.name()));
    if (!read.contains("matrix_product")) {
        fail(SYNCLINE_ERR_SYSTEM, "the matrix product with {} says nothing", launcher.name());
    }
    return read;
}

}  // namespace syncline::bench
