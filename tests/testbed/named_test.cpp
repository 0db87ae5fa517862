// SPDX-License-Identifier: BSD-3-Clause
// Method: makes named test beds (all called unit-<process id>-...), uses them from another process, breaks
// them in every way that a killed `up` or `down` leaves behind, and removes them. Skipped when not root.
#include <bpf/libbpf.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/failure.h"
#include "fixture.h"
#include "testbed/named.h"
#include "testbed/netns.h"
#include "traffic.h"

namespace syncline::testbed {
namespace {

namespace fs = std::filesystem;

class NamedTest : public TestbedTest {
  protected:
    // A failed test may have left one.
    void TearDown() override {
        if (::geteuid() == 0) {
            remove_named(name_);
        }
        TestbedTest::TearDown();
    }

    Options options(SwitchKind kind = SwitchKind::kXdp) const {
        return {.nodes = 2, .kind = kind, .mtus = {9000, 1500}, .name = name_};
    }
    std::string state_folder() const { return "/run/syncline/testbed/" + name_; }
    bool is_listed() const {
        const auto names = Testbed::list();
        return std::find(names.begin(), names.end(), name_) != names.end();
    }
    int namespaces() const {
        int count = 0;
        for (const std::string& netns : find_leftovers().namespaces) {
            count += netns.starts_with("syncline-" + name_ + "-");
        }
        return count;
    }

    const std::string name_ = unit_prefix() + "bed";
};

// In a child, so that no descriptor of ours keeps anything.
void in_child(const std::function<void()>& action) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::_exit(status_of(action) == 0 ? 0 : 1);
    }
    int state = 0;
    ::waitpid(child, &state, 0);
    EXPECT_EQ(state, 0);
}

TEST_F(NamedTest, OutlivesItsMakerUntilDestroyed) {
    in_child([&] { Testbed::create(options()); });
    EXPECT_TRUE(is_listed());
    EXPECT_EQ(namespaces(), 3);
    in_child([&] { Testbed::open(name_).set_faults({.loss = 0.25, .seed = 9}); });
    {
        Testbed bed = Testbed::open(name_);
        EXPECT_EQ(bed.options().nodes, 2);
        EXPECT_EQ(bed.nodes()[0].mtu, 9000);
        EXPECT_EQ(bed.nodes()[1].mtu, 1500);
        EXPECT_EQ(bed.options().faults.loss, 0.25);
        EXPECT_EQ(bed.options().faults.seed, 9u);
        const Arrivals arrivals = stream(bed, {.datagrams = 1000});
        EXPECT_LT(arrivals.numbers.size(), 1000u);
        EXPECT_EQ(bed.counters().lost, 1000 - arrivals.numbers.size());
        bed.set_faults({});
        expect_longest_everywhere(bed, 1);
    }
    Testbed::destroy(name_);
    EXPECT_FALSE(is_listed());
    EXPECT_FALSE(fs::exists(state_folder()));
    EXPECT_EQ(namespaces(), 0);
}

TEST_F(NamedTest, BridgeToo) {
    in_child([&] { Testbed::create(options(SwitchKind::kBridge)); });
    Testbed bed = Testbed::open(name_);
    EXPECT_EQ(bed.options().kind, SwitchKind::kBridge);
    expect_udp_everywhere(bed);
    EXPECT_EQ(status_of([&] { bed.set_faults({.loss = 0.1}); }), SYNCLINE_ERR_UNSUPPORTED);
    Testbed::destroy(name_);
}

// Through a switch one port of which has lost its program nothing works, or no NIC program can answer.
TEST_F(NamedTest, OpensOnlyWithAProgramOnEveryPort) {
    for (const SwitchKind kind : {SwitchKind::kXdp, SwitchKind::kBridge}) {
        in_child([&] { Testbed::create(options(kind)); });
        {
            const Testbed bed = Testbed::open(name_);
            const NetnsScope scope(bed.switch_netns());
            const auto port = static_cast<int>(::if_nametoindex("sw1"));
            ASSERT_EQ(bpf_xdp_detach(port, XDP_FLAGS_DRV_MODE, nullptr), 0);
        }
        EXPECT_EQ(status_of([&] { Testbed::open(name_); }), SYNCLINE_ERR_NOT_FOUND);
        EXPECT_TRUE(is_listed());
        Testbed::destroy(name_);
    }
}

TEST_F(NamedTest, NameIsTakenOnce) {
    Testbed::create(options());
    EXPECT_EQ(status_of([&] { Testbed::create(options()); }), SYNCLINE_ERR_BUSY);
    expect_udp_everywhere(Testbed::open(name_));  // the second attempt has not hurt it
    Testbed::destroy(name_);
    EXPECT_EQ(status_of([&] { Testbed::destroy(name_); }), SYNCLINE_ERR_NOT_FOUND);
    EXPECT_EQ(status_of([&] { Testbed::open(name_); }), SYNCLINE_ERR_NOT_FOUND);
}

TEST_F(NamedTest, RefusesBadNames) {
    for (const char* name : {"-x", "a/b", "..", "a b", "\n"}) {
        EXPECT_EQ(status_of([&] { Testbed::create({.name = name}); }), SYNCLINE_ERR_INVALID) << name;
        EXPECT_EQ(status_of([&] { Testbed::destroy(name); }), SYNCLINE_ERR_INVALID) << name;
    }
    EXPECT_EQ(status_of([&] { Testbed::open(""); }), SYNCLINE_ERR_INVALID);
}

TEST_F(NamedTest, DestroyDoesNotTouchASimilarName) {
    Options similar = options();
    similar.name = name_ + "-0";  // its namespaces: syncline-<name>-0-<i>
    similar.nodes = 1;
    similar.mtus = {1500};
    Testbed::create(options());
    Testbed::create(similar);
    Testbed::destroy(name_);
    EXPECT_EQ(namespaces(), 2);
    Testbed::destroy(similar.name);
    EXPECT_EQ(namespaces(), 0);
}

TEST_F(NamedTest, StateWithoutNamespacesIsRemoved) {
    Testbed::create(options());
    remove_named_netns(switch_netns_name(name_));
    EXPECT_EQ(status_of([&] { Testbed::open(name_); }), SYNCLINE_ERR_NOT_FOUND);
    remove_named_netns(node_netns_name(name_, 0));
    remove_named_netns(node_netns_name(name_, 1));
    EXPECT_TRUE(is_listed());
    EXPECT_EQ(status_of([&] { Testbed::create(options()); }), SYNCLINE_ERR_BUSY);
    Testbed::destroy(name_);
    EXPECT_FALSE(is_listed());
}

TEST_F(NamedTest, NamespacesWithoutStateAreRemoved) {
    Testbed::create(options());
    fs::remove_all(state_folder());
    EXPECT_TRUE(is_listed());
    EXPECT_EQ(status_of([&] { Testbed::open(name_); }), SYNCLINE_ERR_NOT_FOUND);
    EXPECT_EQ(status_of([&] { Testbed::create(options()); }), SYNCLINE_ERR_BUSY);
    EXPECT_EQ(namespaces(), 3);
    EXPECT_FALSE(fs::exists(state_folder()));
    Testbed::destroy(name_);
    EXPECT_EQ(namespaces(), 0);
}

// With fewer descriptors than it needs, create() fails at a different step for each limit.
TEST_F(NamedTest, FailedCreateRemovesAllItMade) {
    int failures = 0;
    bool made = false;
    for (rlim_t limit = 6; limit < 60 && !made; limit++) {
        const pid_t child = ::fork();
        if (child == 0) {
            const rlimit few{limit, limit};
            ::setrlimit(RLIMIT_NOFILE, &few);
            libbpf_set_print(nullptr);
            ::_exit(status_of([&] { Testbed::create(options()); }) == 0 ? 0 : 1);
        }
        int state = 0;
        ::waitpid(child, &state, 0);
        made = state == 0;
        failures += made ? 0 : 1;
        EXPECT_EQ(is_listed(), made) << "limit " << limit;
    }
    EXPECT_TRUE(made);
    EXPECT_GT(failures, 5);
    Testbed::destroy(name_);
}

}  // namespace
}  // namespace syncline::testbed
