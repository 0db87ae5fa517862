// SPDX-License-Identifier: BSD-3-Clause
// Method: the tables of both performance programs of Global Arrays, in their forms, with numbers of this test; and
// texts that are not such tables.
#include "bench/measure/global_arrays.h"

#include <gtest/gtest.h>

#include "base/failure.h"

namespace syncline::bench {
namespace {

// A table of own memory, which does not count, and one of another process; a blank may be missing before a unit.
constexpr const char* fortran_table =
    " > Performance\n"
    "                     ACCESS [  1: 355,  1: 355]\n"
    " bytes  loop         get                    put                 accumulate\n"
    "  2048  361 0.900D-07 0.62D+02MB/s 0.900D-07 0.32D+03MB/s 0.900D-07 0.15D+03MB/s\n"
    " 32768   25 0.900D-07 0.62D+02MB/s 0.900D-07 0.32D+03MB/s 0.900D-07 0.15D+03MB/s\n"
    "524288    1 0.900D-07 0.62D+02MB/s 0.900D-07 0.32D+03MB/s 0.900D-07 0.15D+03MB/s\n"
    "                     ACCESS [356: 710,356: 710]\n"
    " bytes  loop         get                    put                 accumulate\n"
    "     8  841 0.700D-07 0.62D+02MB/s 0.700D-07 0.32D+03MB/s 0.700D-07 0.15D+03MB/s\n"
    "  2048  361 0.100D-05 0.62D+02MB/s 0.200D-05 0.32D+03MB/s 0.300D-05 0.15D+03MB/s\n"
    " 32768   25 0.400D-04 0.62D+02MB/s 0.500D-04 0.32D+03MB/s 0.600D-04 0.15D+03MB/s\n"
    "524288    1 0.100D-02 0.62D+02MB/s 0.200D-02 0.32D+03MB/s 0.300D-02 0.15D+03MB/s\n"
    " All tests successful\n";

constexpr const char* c_table =
    "\t\t\tContiguous Data Transfer\n"
    "bytes   loop      usec      MB/s      usec      MB/s      usec      MB/s\n"
    "2048\t40\t9.00e+00  1.00e+00  9.00e+00  1.00e+00  9.00e+00  1.00e+00\n"
    "\t\t\tStrided Data Transfer\n"
    "bytes   loop      usec      MB/s      usec      MB/s      usec      MB/s\n"
    "2048\t40\t1.00e+00  1.00e+00  2.00e+00  1.00e+00  3.00e+00  1.00e+00\n"
    "32768\t10\t4.00e+01  1.00e+00  5.00e+01  1.00e+00  6.00e+01  1.00e+00\n"
    "524288\t2\t1.00e+03  1.00e+00  2.00e+03  1.00e+00  3.00e+03  1.00e+00\n";

TEST(GlobalArrays, BothTables) {
    for (const char* const table : {fortran_table, c_table}) {
        std::map<std::string, Statement> read = read_sections(table);
        EXPECT_EQ(read.size(), 9u);
        EXPECT_NEAR(read["ga_get_16"].median, 1000, 1e-6);
        EXPECT_NEAR(read["ga_put_16"].median, 2000, 1e-6);
        EXPECT_NEAR(read["ga_acc_16"].median, 3000, 1e-6);
        EXPECT_NEAR(read["ga_put_64"].median, 50'000, 1e-6);
        EXPECT_NEAR(read["ga_acc_256"].median, 3'000'000, 1e-3);
    }
}

TEST(GlobalArrays, NoTable) {
    const std::string cut = std::string(c_table).substr(0, std::string(c_table).rfind("524288"));
    for (const std::string& text : {std::string(), std::string("All tests successful\n"), cut}) {
        EXPECT_THROW((void)read_sections(text), Failure) << text;
    }
}

}  // namespace
}  // namespace syncline::bench
