// SPDX-License-Identifier: BSD-3-Clause
// Method: a launcher whose daemon is stopped: before it is ready (a synclined that stops itself stands beside a link to
// the real command), while it owes an answer (a socket at a resident daemon's place that accepts and is silent), and
// while PEs run. Each signal to end ends the launcher soon, with its number in the status, and nothing stays.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/clock.h"
#include "job/protocol/channel.h"
#include "testbed/testbed.h"
#include "tests/daemon/job_run.h"
#include "tests/read_file.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

constexpr int soon_ms = 5000;

class Startup : public testing::TestWithParam<int> {
  protected:
    Startup() : mark_("SYNCLINE_TEST_MARK=startup." + std::to_string(::getpid()) + "." + std::to_string(now_ns())) {}

    // Other processes of this test, by a mark in their environment.
    Strings processes(const Program& but) const {
        Strings found;
        for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
            const std::string environment = read_file(entry.path() / "environ");
            const std::string name = entry.path().filename().string();
            if (environment.find(mark_) != std::string::npos && name != std::to_string(but.pid())) {
                found.push_back(name);
            }
        }
        return found;
    }

    bool becomes(size_t count, const Program& but) const {
        const uint64_t deadline = now_ns() + static_cast<uint64_t>(patience_ms) * ns_per_ms;
        // A process has no environment for a moment while it executes a program, so one look decides.
        while ((count == 0) != processes(but).empty()) {
            if (now_ns() > deadline) {
                return false;
            }
            ::usleep(10'000);
        }
        return true;
    }

    void expect_end(Program* launcher) const {
        EXPECT_EQ(launcher->wait(100), -1) << "it waits for the daemon: " << launcher->output();
        ::kill(launcher->pid(), GetParam());
        EXPECT_EQ(launcher->wait(soon_ms), 128 + GetParam()) << launcher->output();
        EXPECT_NE(launcher->output().find("ended by signal"), std::string::npos) << launcher->output();
        EXPECT_TRUE(becomes(0, *launcher)) << testing::PrintToString(processes(*launcher));
    }

    const std::string mark_;
};

TEST_P(Startup, ADaemonThatIsStoppedBeforeItIsReady) {
    const fs::path folder = fs::path(tools_folder()) / ("startup-" + std::to_string(::getpid()));
    fs::create_directory(folder);
    fs::create_hard_link(tools_folder() + "/syncline", folder / "syncline");
    std::ofstream(folder / "synclined") << "#!/bin/sh\nkill -STOP $$\n";
    ::chmod((folder / "synclined").c_str(), 0755);
    {
        Program launcher(Strings{(folder / "syncline").string(), "run", "-n", "2", "-N", "2", "-t", "udp", "true"},
                         Strings{mark_});
        EXPECT_TRUE(becomes(1, launcher)) << launcher.output();
        expect_end(&launcher);
    }
    fs::remove_all(folder);
}

TEST_P(Startup, ADaemonThatOwesAnAnswer) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "a named test bed needs root";
    }
    const std::string name = "startup-" + std::to_string(::getpid());
    const std::string socket = "/run/syncline/syncline-" + name + "-0.sock";
    const testbed::Testbed bed = testbed::Testbed::create({.nodes = 1, .name = name});
    {
        const UniqueFd silent = Channel::listen(socket, 0600);
        Program launcher(Strings{tools_folder() + "/syncline", "run", "-t", "xdp", "--testbed", name, "true"},
                         Strings{mark_});
        const UniqueFd client(::accept(silent.get(), nullptr, nullptr));
        EXPECT_TRUE(client.valid());
        expect_end(&launcher);
    }
    ::unlink(socket.c_str());
    testbed::Testbed::destroy(name);
}

TEST_P(Startup, ADaemonThatIsStoppedWhilePesRun) {
    JobRun job({"-N", "2", "-t", "udp", "--udp-port", std::to_string(free_port())}, 2, {"wait"});
    ASSERT_TRUE(job.ready()) << job.launcher().output();
    const pid_t daemon = job.daemons().begin()->first;
    ::kill(daemon, SIGSTOP);
    ::kill(job.launcher().pid(), GetParam());
    EXPECT_EQ(job.launcher().wait(soon_ms), 128 + GetParam()) << job.launcher().output();
    const Strings left = job.leftovers(1000);
    EXPECT_TRUE(left.empty()) << testing::PrintToString(left);
}

INSTANTIATE_TEST_SUITE_P(Signals, Startup, testing::Values(SIGTERM, SIGINT, SIGHUP));

}  // namespace
}  // namespace syncline
