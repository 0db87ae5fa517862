// SPDX-License-Identifier: BSD-3-Clause
// Method: a folder that looks like /proc and control groups of either version, in which the memory that is left is
// known; and what a daemon promises its jobs beside that.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/failure.h"
#include "base/memory.h"
#include "daemon/node_memory.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t mib = 1 << 20;

class MachineMemory : public testing::Test {
  protected:
    MachineMemory() : folder(fs::temp_directory_path() / ("syncline-memory-" + std::to_string(::getpid()))) {
        write("meminfo", "MemTotal: 8388608 kB\nMemFree: 1024 kB\nMemAvailable: 4194304 kB\n");
        write("self/cgroup", "");
        write("self/mountinfo", "");
    }
    ~MachineMemory() override { fs::remove_all(folder); }

    void write(const std::string& name, const std::string& text) const {
        fs::create_directories((folder / name).parent_path());
        std::ofstream(folder / name) << text;
    }
    void mount(const std::string& root, const std::string& type, const std::string& options) const {
        write("self/mountinfo", "22 1 0:20 / /sys rw - sysfs sysfs rw\n31 30 0:26 " + root + " " +
                                    (folder / "groups").string() + " rw shared:4 - " + type + " cgroup " + options +
                                    "\n");
    }
    MemoryLeft left() const { return memory_left(folder.string()); }

    const fs::path folder;
};

TEST_F(MachineMemory, WithoutControlGroupsTheMachineDecides) {
    EXPECT_EQ(left().bytes, 4096 * mib);
    EXPECT_EQ(left().whose, "this machine");
}

TEST_F(MachineMemory, TheNarrowestOfAllGroupsAboveDecides) {
    mount("/", "cgroup2", "rw,nsdelegate");
    write("self/cgroup", "0::/user/session\n");
    write("groups/user/session/memory.max", "max\n");
    write("groups/user/memory.max", std::to_string(1024 * mib) + "\n");
    write("groups/user/memory.current", std::to_string(600 * mib) + "\n");
    write("groups/user/memory.stat", "anon 1\ninactive_file " + std::to_string(100 * mib) + "\n");
    EXPECT_EQ(left().bytes, 524 * mib) << "the limit less what is used, but for the cache";
    EXPECT_EQ(left().whose, "the control group " + (folder / "groups/user").string());
    write("groups/user/session/memory.max", std::to_string(64 * mib));
    write("groups/user/session/memory.current", std::to_string(4 * mib));
    EXPECT_EQ(left().bytes, 60 * mib);
    write("groups/user/session/memory.current", std::to_string(65 * mib));
    EXPECT_EQ(left().bytes, 0u) << "more is used than the limit that was set meanwhile";
}

TEST_F(MachineMemory, GroupsOfTheFirstVersion) {
    mount("/", "cgroup", "rw,memory");
    write("self/cgroup", "5:cpu,cpuacct:/elsewhere\n4:memory:/jobs\n0::/\n");
    write("groups/elsewhere/memory.limit_in_bytes", "1");
    write("groups/memory.limit_in_bytes", "9223372036854771712");
    write("groups/jobs/memory.limit_in_bytes", std::to_string(256 * mib));
    write("groups/jobs/memory.usage_in_bytes", std::to_string(56 * mib));
    EXPECT_EQ(left().bytes, 200 * mib);
}

TEST_F(MachineMemory, AContainerSeesItsOwnGroupAsTheMount) {
    mount("/docker/f00", "cgroup2", "rw");
    write("self/cgroup", "0::/docker/f00\n");
    write("groups/memory.max", std::to_string(128 * mib));
    write("groups/memory.current", "0");
    EXPECT_EQ(left().bytes, 128 * mib);
}

TEST_F(MachineMemory, NonsenseIsNoLimit) {
    mount("/", "cgroup2", "rw");
    write("self/cgroup", "0:broken\n0::/a/../b\n");
    write("groups/memory.max", "many");
    EXPECT_EQ(left().bytes, 4096 * mib);
}

// 4 GiB are left, of which 3 may be promised.
class Promises : public MachineMemory {
  protected:
    static bool refused(NodeMemory::Share* share, uint64_t bytes) {
        try {
            share->grow(bytes);
            return false;
        } catch (const Failure& failure) {
            EXPECT_EQ(failure.status(), SYNCLINE_ERR_NO_MEMORY);
            return true;
        }
    }

    uint64_t untouched = 0;
    const std::function<uint64_t()> meter = [this] { return untouched; };
};

TEST_F(Promises, WhatIsNotTouchedCounts) {
    NodeMemory memory(UINT64_MAX, folder.string());
    NodeMemory::Share share(&memory, 0, UINT64_MAX, 1, meter);
    share.begin(2048 * mib);
    untouched = 2048 * mib;
    EXPECT_TRUE(refused(&share, 1025 * mib));
    EXPECT_FALSE(refused(&share, 1024 * mib));
    untouched = 0;  // all of it is touched, and the machine has less left
    write("meminfo", "MemAvailable: 1048576 kB\n");
    EXPECT_TRUE(refused(&share, 769 * mib));
    EXPECT_FALSE(refused(&share, 768 * mib));
    EXPECT_EQ(share.promised(), 3840 * mib);
}

TEST_F(Promises, NodesOfOneMachineGrowAtOnce) {
    NodeMemory memory(UINT64_MAX, folder.string());
    NodeMemory::Share share(&memory, 0, UINT64_MAX, 4, meter);
    EXPECT_TRUE(refused(&share, 769 * mib));
    EXPECT_FALSE(refused(&share, 768 * mib));
}

TEST_F(Promises, JobsShareTheDaemonsLimitAndGiveBack) {
    NodeMemory memory(1000 * mib, folder.string());
    NodeMemory::Share first(&memory, 0, 600 * mib, 1, meter);
    first.begin(500 * mib);
    EXPECT_TRUE(refused(&first, 101 * mib)) << "its own limit";
    {
        NodeMemory::Share second(&memory, 0, UINT64_MAX, 1, meter);
        EXPECT_TRUE(refused(&second, 501 * mib));
        EXPECT_FALSE(refused(&second, 500 * mib));
        EXPECT_TRUE(refused(&first, mib));
        second.give_back(mib);
        EXPECT_FALSE(refused(&first, mib));
    }
    EXPECT_EQ(memory.promised(), 501 * mib) << "the end of a job gives back what it had";
    EXPECT_TRUE(refused(&first, UINT64_MAX));
}

}  // namespace
}  // namespace syncline
