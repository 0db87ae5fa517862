// SPDX-License-Identifier: BSD-3-Clause
// A daemon with a well-behaved client, the client's job and one PE of the job. Neither client nor PE may notice what
// others send to the daemon.
#pragma once

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include "tests/daemon/daemon_client.h"

namespace syncline::testing_daemon {

class Protocol : public testing::Test {
  protected:
    Protocol() {
        spdlog::set_level(spdlog::level::off);
        creator = server.greeted();
        EXPECT_EQ(server.ask(&creator, create_message(spec)).status, SYNCLINE_OK);
        process = server.greeted();
        const Message attached = server.ask(&process, attach_message(spec, 0));
        EXPECT_EQ(attached.status, SYNCLINE_OK) << attached.text();
        EXPECT_GE(attached.fds.size(), 4u);
    }

    // Checks that the first client and its job work as if nothing had happened.
    void TearDown() override {
        const Message stat = server.ask(&creator, message_of(MessageType::kStat));
        EXPECT_EQ(stat.status, SYNCLINE_OK);
        EXPECT_NE(stat.text().find("000000a1"), std::string::npos) << stat.text();
        const Message segment = server.ask(&process, message_of(MessageType::kSegment, SegmentRequest{1, 0}));
        EXPECT_EQ(segment.type, MessageType::kSegment);
        EXPECT_EQ(segment.status, SYNCLINE_OK);
        EXPECT_EQ(segment.fds.size(), 1u);
    }

    void expect_refused(Channel* channel, const Message& request, int status) {
        const Message answer = server.ask(channel, request);
        EXPECT_EQ(answer.type, request.type);
        EXPECT_EQ(answer.status, status) << answer.text();
        EXPECT_TRUE(answer.status == SYNCLINE_OK || !answer.text().empty()) << "a refusal has a sentence";
        EXPECT_TRUE(answer.status == SYNCLINE_OK || answer.fds.empty());
    }

    void expect_hung_up(const Message& request) {
        Channel channel = server.greeted();
        EXPECT_EQ(server.ask(&channel, request).type, MessageType::kAbort);
        EXPECT_TRUE(server.hung_up(&channel));
    }

    void expect_raw_hung_up(const void* bytes, size_t count, bool greeted = true) {
        Channel channel = greeted ? server.greeted() : server.connect();
        EXPECT_EQ(::send(channel.fd(), bytes, count, MSG_NOSIGNAL), static_cast<ssize_t>(count));
        EXPECT_TRUE(server.hung_up(&channel)) << count << " bytes";
    }

    InProcess server{"/protocol"};
    const JobSpec spec = small_job(0xa1, 3);
    Channel creator, process;
};

}  // namespace syncline::testing_daemon
