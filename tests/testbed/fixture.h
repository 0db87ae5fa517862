// SPDX-License-Identifier: BSD-3-Clause
// The common part of all test bed tests: a test skips without root, and must leave nothing behind.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>

namespace syncline::testbed {

// Returns the status of the Failure that an action throws, which must have an error message; 0 if it throws none.
int status_of(const std::function<void()>& action);
bool eventually(const std::function<bool()>& condition, int timeout_ms = 5000);
// How long other processes of this machine may use a test bed that the tests take for a leftover.
inline constexpr int others_end_ms = 60000;

// The kernel's numbers of programs and maps of switches on this machine, which it knows by their names, and the entries
// of /run/netns that tests of this process have named.
struct Leftovers {
    std::set<uint32_t> programs;
    std::set<uint32_t> maps;
    std::set<std::string> namespaces;

    Leftovers without(const Leftovers& others) const;
    Leftovers common_with(const Leftovers& others) const;
    bool none() const { return programs.empty() && maps.empty() && namespaces.empty(); }
};
Leftovers find_leftovers();
// Returns the beginning of the names of this process's test beds.
std::string unit_prefix();

// Skips every test with a reason when not root, and checks after each that no namespace, program or map of a test bed
// is left. Those that other processes make meanwhile have a minute to go.
class TestbedTest : public ::testing::Test {
  protected:
    void SetUp() override;
    void TearDown() override;

  private:
    Leftovers before_;
};

}  // namespace syncline::testbed
