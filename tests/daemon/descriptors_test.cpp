// SPDX-License-Identifier: BSD-3-Clause
// Method: on every transport a job of another user, whose PE tries to write behind each descriptor that it gets
// (attacker.cpp). Exactly those writes succeed that docs/PROTOCOL.md, part 2, Attach, allows.
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <set>
#include <sstream>

#include "tests/daemon/program.h"

namespace syncline {
namespace {

using Attacks = std::set<std::string>;

const Attacks memfd_writable = {"map", "protect", "reopen", "write", "punch"};

class Descriptors : public testing::TestWithParam<const char*> {
  protected:
    bool xdp() const { return std::string(GetParam()) == "xdp"; }

    // The rights of the PE to a table that it writes.
    void expect_writable(const std::string& name) {
        Attacks left = attacks.at(name);
        if (!xdp()) {
            EXPECT_EQ(left, memfd_writable) << name;
            return;
        }
        EXPECT_TRUE(left.contains("map") && left.contains("update")) << name;
        // To write by another name and to stop writing are no more than to write.
        for (const char* const allowed : {"map", "protect", "update", "pin", "freeze"}) {
            left.erase(allowed);
        }
        EXPECT_EQ(left, Attacks{}) << name;
    }

    std::map<std::string, Attacks> attacks;
};

// A job of one node has tables for packets if it asks for faults.
TEST_P(Descriptors, AreWritableWhereDocumented) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "running PEs as another user needs root";
    }
    if (!everybody_can_run(attacker_program())) {
        GTEST_SKIP() << "other users cannot reach the build folder";
    }
    Program job({tools_folder() + "/syncline", "run", "-q", "-n", "1", "-t", GetParam(), "--user", "nobody",
                 "--udp-port", std::to_string(free_port()), "--faults", "seed=1,duplicate=0.0001", attacker_program()});
    ASSERT_EQ(job.wait(30000), 0) << job.output();
    std::istringstream text(job.output());
    for (std::string line; std::getline(text, line);) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        for (std::string word; words >> word;) {
            attacks[name].insert(word);
        }
        (void)attacks[name];
    }
    EXPECT_EQ(attacks["user"], Attacks{"65534"});
    for (const char* const name : {"ports", "completions", "requests", "barriers", "directory", "heap", "registered"}) {
        ASSERT_TRUE(attacks.contains(name)) << job.output();
        expect_writable(name);
    }
    if (std::string(GetParam()) == "shm") {
        expect_writable("sources");
    } else {
        EXPECT_EQ(attacks.at("sources"), Attacks{});
    }
    EXPECT_EQ(attacks.at("segments"), Attacks{});
    EXPECT_EQ(attacks.at("event"), Attacks{}) << "but 8 bytes that are added to it";
    EXPECT_EQ(attacks.contains("ring"), xdp());
    if (xdp()) {
        EXPECT_EQ(job.lines("ring"), Strings{"ring map"}) << "its first page, alone";
        for (const char* const shared : {"ports", "barriers"}) {
            EXPECT_FALSE(attacks.at(shared).contains("freeze")) << shared << " of all PEs";
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Transports, Descriptors, testing::Values("shm", "udp", "xdp"),
                         [](const auto& transport) { return std::string(transport.param); });

}  // namespace
}  // namespace syncline
