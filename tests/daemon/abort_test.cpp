// SPDX-License-Identifier: BSD-3-Clause
// Method: a PE attaches to a daemon of this process and asks for the end of its job, once while the daemon is there and
// once when it is gone.
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <future>

#include "job/attachment/attachment.h"
#include "tests/daemon/daemon_client.h"

namespace syncline::testing_daemon {
namespace {

constexpr int code = 7;

class Abort : public testing::Test {
  protected:
    void SetUp() override {
        spdlog::set_level(spdlog::level::off);
        ::setenv("SYNCLINE_SOCKET", server->address.c_str(), 1);
        ::setenv("SYNCLINE_RANK", "0", 1);
        ::setenv("SYNCLINE_JOB", fmt::format("{:x}", spec.config.job).c_str(), 1);
        ::setenv("SYNCLINE_TOKEN", fmt::format("{:x}", spec.token).c_str(), 1);
        launcher = server->greeted();
        ASSERT_EQ(server->ask(&launcher, create_message(spec)).status, SYNCLINE_OK);
        std::future<std::unique_ptr<Attachment>> attaching =
            std::async(std::launch::async, [] { return Attachment::create(); });
        while (attaching.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
            server->daemon.do_work(1);
        }
        pe = attaching.get();
    }
    void TearDown() override {
        for (const char* const name : {"SYNCLINE_SOCKET", "SYNCLINE_RANK", "SYNCLINE_JOB", "SYNCLINE_TOKEN"}) {
            ::unsetenv(name);
        }
    }

    // Returns what the PE says on stderr.
    std::string abort_job() {
        testing::internal::CaptureStderr();
        pe->abort_job(code);
        return testing::internal::GetCapturedStderr();
    }

    std::unique_ptr<InProcess> server = std::make_unique<InProcess>("/abort");
    const JobSpec spec = small_job(0xab, 1);
    Channel launcher;
    std::unique_ptr<Attachment> pe;
};

TEST_F(Abort, ReachesTheLauncher) {
    EXPECT_EQ(abort_job(), "");
    server->pump();
    Message message;
    AbortRequest abort = {};
    ASSERT_EQ(server->receive(&launcher, &message), Channel::Received::kMessage);
    ASSERT_EQ(message.type, MessageType::kAbort);
    ASSERT_TRUE(message.read(&abort));
    EXPECT_EQ(abort.code, code);
}

TEST_F(Abort, LeavesItToTheLauncherToSayThatTheDaemonIsGone) {
    server.reset();
    EXPECT_EQ(abort_job(), "");
}

}  // namespace
}  // namespace syncline::testing_daemon
