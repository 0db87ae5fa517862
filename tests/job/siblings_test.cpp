// SPDX-License-Identifier: BSD-3-Clause
// Method: this process is the launcher. Processes with the marks of a launch live, end, hide their marks or are of
// another launch, and one of them says which ranks have no process.
#include "job/launchers/siblings.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "base/emulator.h"
#include "base/unique_fd.h"
#include "tests/folders.h"

namespace syncline {
namespace {

using Strings = std::vector<std::string>;

std::string sibling_program() {
    return build_folder() + "/tests/job/job_sibling";
}

class SiblingsOf : public testing::Test {
  protected:
    ~SiblingsOf() override {
        for (const pid_t pid : started_) {
            ::kill(-pid, SIGKILL);
            ::waitpid(pid, nullptr, 0);
        }
    }

    // A process of that rank. Returns the pipe of its output.
    UniqueFd start(int rank, const Strings& argv, const std::string& launch = "one") {
        std::array<int, 2> ends = {};
        EXPECT_EQ(::pipe(ends.data()), 0);
        const pid_t pid = ::fork();
        if (pid == 0) {
            ::setpgid(0, 0);
            ::dup2(ends[1], STDOUT_FILENO);
            ::close(ends[0]);
            ::close(ends[1]);
            const std::string mark = "TEST_LAUNCH=" + launch + "." + std::to_string(::getppid());
            const std::string own = "TEST_RANK=" + std::to_string(rank);
            std::array<char*, 3> environment = {const_cast<char*>(mark.c_str()), const_cast<char*>(own.c_str()),
                                                nullptr};
            std::vector<char*> arguments;
            for (const std::string& argument : argv) {
                arguments.push_back(const_cast<char*>(argument.c_str()));
            }
            arguments.push_back(nullptr);
            ::execvpe(arguments[0], arguments.data(), environment.data());
            ::_exit(127);
        }
        started_.push_back(pid);
        ::close(ends[1]);
        return UniqueFd(ends[0]);
    }
    void start_sleeper(int rank, const std::string& launch = "one") {
        const UniqueFd output = start(rank, {"sh", "-c", "echo ready; exec sleep 60"}, launch);
        EXPECT_EQ(line_of(output), "ready");
    }
    static std::string line_of(const UniqueFd& output) {
        std::string line;
        for (char byte = 0; ::read(output.get(), &byte, 1) == 1 && byte != '\n';) {
            line += byte;
        }
        return line;
    }
    // Rank 0 looks.
    std::string absent_of(int ranks, const Strings& wrapper = {}) {
        Strings argv = wrapper;
        argv.insert(argv.end(), {sibling_program(), "look", std::to_string(ranks)});
        return line_of(start(0, argv));
    }

    std::vector<pid_t> started_;
};

TEST_F(SiblingsOf, AllAreThere) {
    start_sleeper(1);
    start_sleeper(2);
    EXPECT_EQ(absent_of(3), "absent: ");
}

TEST_F(SiblingsOf, OneWasNeverThere) {
    start_sleeper(1);
    EXPECT_EQ(absent_of(3), "absent: 2");
}

TEST_F(SiblingsOf, OneHasEndedAndIsNotReaped) {
    start_sleeper(2);
    start(1, {"true"});
    siginfo_t info = {};
    EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(started_.back()), &info, WEXITED | WNOWAIT), 0);
    EXPECT_EQ(absent_of(3), "absent: 1");
}

TEST_F(SiblingsOf, AWrapperIsAProcessOfItsRank) {
    const UniqueFd output = start(1, {"sh", "-c", "echo ready; sleep 60; true"});
    EXPECT_EQ(line_of(output), "ready");
    EXPECT_EQ(absent_of(2), "absent: ");
    EXPECT_EQ(absent_of(3, {"sh", "-c", "\"$@\"; true", "sh"}), "absent: 2") << "the one that looks has a wrapper";
}

TEST_F(SiblingsOf, AnotherLaunchHasRanksOfItsOwn) {
    start_sleeper(1, "other");
    EXPECT_EQ(absent_of(2), "absent: 1");
}

TEST_F(SiblingsOf, OneThatHidesMayBeAnyOfThem) {
    if (is_emulated()) {
        GTEST_SKIP() << "/proc shows the environment of the emulator, which its program does not overwrite";
    }
    const UniqueFd output = start(1, {sibling_program(), "hide"});
    EXPECT_EQ(line_of(output), "hidden");
    EXPECT_EQ(absent_of(3), "absent: ");
}

TEST_F(SiblingsOf, AProcessInAContainerDoesNotSeeTheOthers) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "a PID namespace needs root";
    }
    EXPECT_EQ(absent_of(2), "absent: 1");
    EXPECT_EQ(absent_of(2, {"unshare", "--pid", "--fork", "--mount-proc"}), "absent: ");
    EXPECT_EQ(absent_of(2, {"unshare", "--pid", "--fork"}), "absent: ") << "/proc is that of the outer namespace";
}

}  // namespace
}  // namespace syncline
