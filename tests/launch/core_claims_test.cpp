// SPDX-License-Identifier: BSD-3-Clause
// Method: claims on cores that no machine has, so that other jobs of this one play no part. Another process claims,
// too, and is killed.
#include "launch/core_claims.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace syncline {
namespace {

// Four cores with names of this process's own.
Topology own_cores() {
    Topology topology;
    for (uint32_t i = 0; i < 4; i++) {
        topology.cores.push_back({i, 0, 1'000'000 + 4 * static_cast<uint32_t>(::getpid()) + i, {i}});
    }
    return topology;
}

using Flags = std::vector<bool>;

TEST(CoreClaims, OneJobHasACoreAtATime) {
    const Topology cores = own_cores();
    EXPECT_EQ(CoreClaims::claimed(cores), Flags(4));
    {
        const std::optional<CoreClaims> one = CoreClaims::claim(cores, {1, 2});
        ASSERT_TRUE(one);
        EXPECT_EQ(CoreClaims::claimed(cores), (Flags{false, true, true, false}));
        EXPECT_FALSE(CoreClaims::claim(cores, {0, 2})) << "all or none";
        EXPECT_EQ(CoreClaims::claimed(cores), (Flags{false, true, true, false}));
        EXPECT_TRUE(CoreClaims::claim(cores, {0, 3}));
    }
    EXPECT_EQ(CoreClaims::claimed(cores), Flags(4));
    EXPECT_TRUE(CoreClaims::claim(cores, {}));
}

TEST(CoreClaims, EndWithTheProcess) {
    const Topology cores = own_cores();
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const std::optional<CoreClaims> claims = CoreClaims::claim(cores, {0, 3});
        const bool have = claims && ::write(ready[1], "x", 1) == 1;
        ::pause();
        ::_exit(have ? 0 : 1);
    }
    ::close(ready[1]);
    char byte;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    EXPECT_EQ(CoreClaims::claimed(cores), (Flags{true, false, false, true}));
    EXPECT_FALSE(CoreClaims::claim(cores, {3}));
    ::kill(child, SIGKILL);
    EXPECT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_EQ(CoreClaims::claimed(cores), Flags(4));
}

}  // namespace
}  // namespace syncline
