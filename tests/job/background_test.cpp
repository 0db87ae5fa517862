// SPDX-License-Identifier: BSD-3-Clause
// Where a thread of the library cannot begin, the caller goes on with the signals that it had.
#include <gtest/gtest.h>
#include <pthread.h>

#include <csignal>
#include <system_error>

#include "base/os.h"

namespace syncline {
namespace {

bool is_blocked(int number) {
    sigset_t now;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &now);
    return ::sigismember(&now, number) == 1;
}

TEST(Background, LeavesTheCallersSignals) {
    ASSERT_FALSE(is_blocked(SIGUSR1));
    run_in_background([] { EXPECT_TRUE(is_blocked(SIGUSR1)); }).reset();
    EXPECT_FALSE(is_blocked(SIGUSR1));

    pthread_attr_t before;
    pthread_attr_t huge;  // a stack for which there is no address space
    ::pthread_getattr_default_np(&before);
    ::pthread_getattr_default_np(&huge);
    ASSERT_EQ(::pthread_attr_setstacksize(&huge, size_t{1} << 47), 0);
    ASSERT_EQ(::pthread_setattr_default_np(&huge), 0);
    EXPECT_THROW(run_in_background([] {}), std::system_error);
    ::pthread_setattr_default_np(&before);
    ::pthread_attr_destroy(&before);
    ::pthread_attr_destroy(&huge);
    EXPECT_FALSE(is_blocked(SIGUSR1));
}

}  // namespace
}  // namespace syncline
