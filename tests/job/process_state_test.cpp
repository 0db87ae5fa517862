// SPDX-License-Identifier: BSD-3-Clause
// Method: files that can be opened and not read, as those of /proc whose process has just ended; and processes that end
// while they are looked at.
#include "base/process_state.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

#include "base/read_whole.h"

namespace syncline {
namespace {

TEST(ReadWhole, AFileThatOpensAndCannotBeRead) {
    for (const auto& [path, why] : {std::pair{"/", EISDIR}, {"/proc/self/mem", EIO}, {"/no/such/file", ENOENT}}) {
        errno = 0;
        EXPECT_FALSE(read_whole(path).has_value()) << path;
        EXPECT_EQ(errno, why) << path;
    }
    EXPECT_EQ(read_whole("/dev/null"), "");
}

TEST(ProcessState, OfThisProcessAndOfNone) {
    EXPECT_EQ(process_state(::getpid()).parent, ::getppid());
    EXPECT_EQ(process_state(1 << 30).letter, 0);
    EXPECT_EQ(process_state(1 << 30).parent, 0);
}

TEST(ProcessState, OfProcessesThatEndMeanwhile) {
    std::atomic<pid_t> last = 0;
    std::atomic<bool> over = false;
    std::thread looks([&] {
        while (!over) {
            const ProcessState state = process_state(last);
            EXPECT_NE(std::strchr("RSDZX", state.letter), nullptr) << state.letter;  // 0, too
        }
    });
    for (int i = 0; i < 1000; i++) {
        const pid_t child = ::fork();
        if (child == 0) {
            ::_exit(0);
        }
        EXPECT_GT(child, 0);
        last = child;
        ::waitpid(std::max(child, 0), nullptr, 0);
    }
    over = true;
    looks.join();
}

}  // namespace
}  // namespace syncline
