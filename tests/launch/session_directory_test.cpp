// SPDX-License-Identifier: BSD-3-Clause
// Method: directories below a TMPDIR of the test's own: of this process, of one that is killed, and foreign ones.
#include "launch/session_directory.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/failure.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

class SessionDirectories : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_NE(::mkdtemp(all_), nullptr);
        ::setenv("TMPDIR", all_, 1);
    }
    void TearDown() override {
        ::unsetenv("TMPDIR");
        fs::remove_all(all_);
    }

    // A process makes one, with something in it, and is killed.
    std::string abandon() {
        int ends[2];
        EXPECT_EQ(::pipe(ends), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            const SessionDirectory directory;
            directory.add("job");
            (void)!::write(ends[1], directory.path().data(), directory.path().size());
            for (;;) {
                ::pause();
            }
        }
        char path[200] = {};
        EXPECT_GT(::read(ends[0], path, sizeof(path) - 1), 0);
        ::close(ends[0]);
        ::close(ends[1]);
        EXPECT_EQ(::kill(child, SIGKILL), 0);
        EXPECT_EQ(::waitpid(child, nullptr, 0), child);
        return path;
    }

    char all_[32] = "/tmp/session-test-XXXXXX";
};

TEST_F(SessionDirectories, AreTheUsersAndVanish) {
    std::string path;
    {
        const SessionDirectory directory;
        path = directory.path();
        EXPECT_EQ(fs::path(path).parent_path(), all_);
        EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
        std::ofstream(directory.add("job") + "/file") << "content";
        EXPECT_THROW(directory.add("job"), Failure);
    }
    EXPECT_FALSE(fs::exists(path));
}

TEST_F(SessionDirectories, OfKilledProcessesAreRemovedByTheNextOne) {
    const std::string abandoned = abandon();
    EXPECT_TRUE(fs::exists(abandoned + "/job"));
    const SessionDirectory directory;
    EXPECT_FALSE(fs::exists(abandoned));
}

TEST_F(SessionDirectories, OfOthersStay) {
    const SessionDirectory one;
    fs::create_directory(fs::path(all_) / "another-program");
    fs::create_directory_symlink("/usr", fs::path(all_) / "syncline-mpi-link");
    const SessionDirectory other;
    EXPECT_TRUE(fs::exists(one.path()));
    EXPECT_TRUE(fs::exists(fs::path(all_) / "another-program"));
    EXPECT_TRUE(fs::exists(fs::path(all_) / "syncline-mpi-link"));
    EXPECT_NE(one.path(), other.path());
}

}  // namespace
}  // namespace syncline
