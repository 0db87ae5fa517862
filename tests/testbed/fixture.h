// SPDX-License-Identifier: BSD-3-Clause
// The common part of all test bed tests: a test skips without root, and must leave nothing behind.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace syncline::testbed {

// Returns the status of the Failure that an action throws, which must have an error message; 0 if it throws none.
int status_of(const std::function<void()>& action);
bool eventually(const std::function<bool()>& condition, int timeout_ms = 5000);

// Programs and maps of switches on this machine, by the name the kernel keeps, and namespaces under Returns the entries
// of /run/netns that tests of this process have named.
struct Leftovers {
    int programs = 0;
    int maps = 0;
    std::vector<std::string> namespaces;

    bool within(const Leftovers& before) const {
        return programs <= before.programs && maps <= before.maps && namespaces.size() <= before.namespaces.size();
    }
};
Leftovers find_leftovers();
// Returns the beginning of the names of this process's test beds.
std::string unit_prefix();

// Skips every test with a reason when not root, and checks after each that no namespace, program or map of a
// test bed is left. (It counts, so no other test may make test beds meanwhile.)
class TestbedTest : public ::testing::Test {
  protected:
    void SetUp() override;
    void TearDown() override;

  private:
    Leftovers before_;
};

}  // namespace syncline::testbed
