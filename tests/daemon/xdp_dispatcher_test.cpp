// SPDX-License-Identifier: BSD-3-Clause
// Method: a daemon's dispatcher comes and goes on one end of a veth, in a network namespace of its own, while another
// thread asks whether a job can go there, as the offers to jobs do. A descriptor that the test holds keeps a program
// attached, as the kernel does for a moment. Another process plays another daemon.
#include "daemon/targets/xdp_dispatcher.h"

#include <bpf/bpf.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "base/failure.h"
#include "base/unique_fd.h"

namespace syncline {
namespace {

constexpr const char* interface = "dispatched";

// Returns a descriptor that keeps the program on the interface.
UniqueFd hold_link() {
    uint32_t id = 0;
    while (bpf_link_get_next_id(id, &id) == 0) {
        UniqueFd link(bpf_link_get_fd_by_id(id));
        bpf_link_info info = {};
        uint32_t length = sizeof(info);
        if (link && bpf_obj_get_info_by_fd(link.get(), &info, &length) == 0 && info.type == BPF_LINK_TYPE_XDP &&
            info.xdp.ifindex == ::if_nametoindex(interface)) {
            return link;
        }
    }
    return {};
}

class Dispatcher : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        // The kernel's numbers of interfaces repeat in other namespaces, so this interface has one that no other has.
        ready_ = ::geteuid() == 0 && ::unshare(CLONE_NEWNET) == 0 &&
                 std::system(
                     "ip link add dispatched index 774411 type veth peer name other && ip link set dispatched "
                     "up && ip link set other up") == 0;
    }
    void SetUp() override {
        if (::geteuid() != 0) {
            GTEST_SKIP() << "XDP needs root";
        }
        ASSERT_TRUE(ready_);
    }

    static std::shared_ptr<XdpDispatcher> attach() { return XdpDispatcher::on(interface, {}); }

    inline static bool ready_ = false;
};

TEST_F(Dispatcher, OnItsWayOffIsNotAnotherDaemons) {
    std::shared_ptr<XdpDispatcher> dispatcher = attach();
    UniqueFd link = hold_link();
    ASSERT_TRUE(link);
    dispatcher.reset();
    EXPECT_EQ(XdpDispatcher::why_not_on(interface), "");
    std::thread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        link.reset();
    });
    EXPECT_NO_THROW(dispatcher = attach());
    later.join();
    EXPECT_EQ(XdpDispatcher::why_not_on(interface), "");
}

TEST_F(Dispatcher, ThatComesAndGoesIsNotAnotherDaemons) {
    std::atomic<bool> done = false;
    std::thread jobs([&] {
        for (int i = 0; i < 30; i++) {
            EXPECT_NO_THROW(attach());
        }
        done = true;
    });
    std::string refusal;
    while (!done) {
        refusal += XdpDispatcher::why_not_on(interface);
    }
    jobs.join();
    EXPECT_EQ(refusal, "");
}

TEST_F(Dispatcher, OfAnotherProcessIsNamed) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t other = ::fork();
    if (other == 0) {
        const std::shared_ptr<XdpDispatcher> dispatcher = attach();
        (void)!::write(ready[1], "r", 1);
        (void)::pause();
        ::_exit(0);
    }
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    EXPECT_NE(XdpDispatcher::why_not_on(interface).find("another synclined"), std::string::npos);
    EXPECT_THROW(attach(), Failure);
    ::kill(other, SIGKILL);
    EXPECT_EQ(::waitpid(other, nullptr, 0), other);
    ::close(ready[0]);
    ::close(ready[1]);
    for (int i = 0; i < 500 && !XdpDispatcher::why_not_on(interface).empty(); i++) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_NO_THROW(attach());
}

}  // namespace
}  // namespace syncline
