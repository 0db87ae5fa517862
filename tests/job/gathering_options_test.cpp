// SPDX-License-Identifier: BSD-3-Clause
// Method: variables of the environment, good and bad ones; each bad one is named in the error message.
#include "job/launchers/gathering_options.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/failure.h"
#include "base/variables.h"
#include "job/job.h"

namespace syncline {
namespace {

struct Environment {
    Environment(const char* of, const char* value) : name(of) { ::setenv(name, value, 1); }
    ~Environment() { ::unsetenv(name); }
    const char* const name;
};

GatheringOptions with(const char* name, const char* value) {
    const Environment environment(name, value);
    return gathering_options_from_environment(4);
}

std::string refusal(const char* name, const char* value) {
    try {
        with(name, value);
        return "none";
    } catch (const Failure& failure) {
        return failure.what();
    }
}

TEST(GatheringOptions, AnEmptyEnvironment) {
    const GatheringOptions options = gathering_options_from_environment(4);
    EXPECT_EQ(options.window, 0u) << "by the number of nodes";
    EXPECT_EQ(default_window(1024), 32u);
    EXPECT_EQ(default_window(1025), 16u);
    EXPECT_TRUE(options.authenticate);
    EXPECT_EQ(options.peer_timeout_ms, 5000u);
    EXPECT_EQ(options.timeout_ms, 60000u);
}

// Every default that the table of variables shows is the one that holds.
TEST(GatheringOptions, TheTableSaysTheDefaults) {
    const auto preset = [](const char* name) { return with(name, variable_named(name).preset); };
    const GatheringOptions plain = gathering_options_from_environment(4);
    EXPECT_EQ(preset("SYNCLINE_DAEMON").daemon, plain.daemon);
    EXPECT_EQ(preset("SYNCLINE_HEAP_SIZE").heap_bytes, plain.heap_bytes);
    EXPECT_EQ(preset("SYNCLINE_TRANSPORT").transport, plain.transport);
    EXPECT_EQ(preset("SYNCLINE_JOIN_TIMEOUT").timeout_ms, plain.timeout_ms);
    EXPECT_EQ(preset("SYNCLINE_WINDOW").window, default_window(2));
    EXPECT_EQ(preset("SYNCLINE_AUTHENTICATE").authenticate, plain.authenticate);
    EXPECT_EQ(preset("SYNCLINE_PEER_TIMEOUT").peer_timeout_ms, plain.peer_timeout_ms);
}

TEST(GatheringOptions, GoodValues) {
    EXPECT_EQ(with("SYNCLINE_WINDOW", "1").window, 1u);
    EXPECT_EQ(with("SYNCLINE_WINDOW", "64").window, 64u);
    EXPECT_FALSE(with("SYNCLINE_AUTHENTICATE", "no").authenticate);
    EXPECT_TRUE(with("SYNCLINE_AUTHENTICATE", "yes").authenticate);
    EXPECT_EQ(with("SYNCLINE_PEER_TIMEOUT", "700").peer_timeout_ms, 700u);
    EXPECT_EQ(with("SYNCLINE_JOIN_TIMEOUT", "800").timeout_ms, 800u);
}

TEST(GatheringOptions, BadValuesAreNamed) {
    for (const char* const value : {"", "0", "65", "-1", "8 ", "8x", "many"}) {
        EXPECT_EQ(refusal("SYNCLINE_WINDOW", value),
                  fmt::format("SYNCLINE_WINDOW is '{}': needs packets in flight from a PE to a node, 1 to 64", value));
    }
    for (const char* const value : {"", "1", "No", "yes "}) {
        EXPECT_EQ(refusal("SYNCLINE_AUTHENTICATE", value),
                  fmt::format("SYNCLINE_AUTHENTICATE is '{}': needs yes or no", value));
    }
    EXPECT_EQ(refusal("SYNCLINE_PEER_TIMEOUT", "0"), "SYNCLINE_PEER_TIMEOUT is '0': needs milliseconds");
    EXPECT_EQ(refusal("SYNCLINE_PEER_TIMEOUT", "4294967296"),
              "SYNCLINE_PEER_TIMEOUT is '4294967296': needs milliseconds");
    EXPECT_EQ(refusal("SYNCLINE_JOIN_TIMEOUT", "soon"), "SYNCLINE_JOIN_TIMEOUT is 'soon': needs milliseconds");
}

}  // namespace
}  // namespace syncline
