// SPDX-License-Identifier: BSD-3-Clause
#include "fixture.h"

#include <bpf/bpf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <thread>

#include "base/failure.h"
#include "base/unique_fd.h"
#include "testbed/netns.h"

namespace syncline::testbed {
namespace {

bool is_ours(const char* name) {
    return std::string(name).starts_with("switch_");
}

template <typename Info>
std::set<uint32_t> find_objects(int (*next)(uint32_t, uint32_t*), int (*open)(uint32_t)) {
    std::set<uint32_t> found;
    for (uint32_t id = 0; next(id, &id) == 0;) {
        const UniqueFd fd(open(id));
        Info info{};
        uint32_t bytes = sizeof info;
        if (fd.valid() && bpf_obj_get_info_by_fd(fd.get(), &info, &bytes) == 0 && is_ours(info.name)) {
            found.insert(id);
        }
    }
    return found;
}

template <typename T>
std::set<T> difference(const std::set<T>& from, const std::set<T>& others) {
    std::set<T> left;
    std::set_difference(from.begin(), from.end(), others.begin(), others.end(), std::inserter(left, left.end()));
    return left;
}

template <typename T>
std::set<T> intersection(const std::set<T>& from, const std::set<T>& others) {
    std::set<T> common;
    std::set_intersection(from.begin(), from.end(), others.begin(), others.end(), std::inserter(common, common.end()));
    return common;
}

}  // namespace

void TestbedTest::SetUp() {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "test beds need root";
    }
    before_ = find_leftovers();
}

void TestbedTest::TearDown() {
    if (::geteuid() == 0) {
        EXPECT_TRUE(eventually([&] { return find_leftovers().without(before_).namespaces.empty(); }));
        const Leftovers appeared = find_leftovers().without(before_);
        Leftovers left;
        const bool clean = eventually(
            [&] {
                left = find_leftovers().common_with(appeared);
                return left.none();
            },
            others_end_ms);
        EXPECT_TRUE(clean) << left.programs.size() << " programs, " << left.maps.size() << " maps, "
                           << left.namespaces.size() << " namespaces are left";
    }
}

Leftovers Leftovers::without(const Leftovers& others) const {
    return {difference(programs, others.programs), difference(maps, others.maps),
            difference(namespaces, others.namespaces)};
}

Leftovers Leftovers::common_with(const Leftovers& others) const {
    return {intersection(programs, others.programs), intersection(maps, others.maps),
            intersection(namespaces, others.namespaces)};
}

int status_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Failure& failure) {
        EXPECT_GT(std::string(failure.what()).size(), 20u);
        return failure.status();
    }
    return 0;
}

bool eventually(const std::function<bool()>& condition, int timeout_ms) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
}

Leftovers find_leftovers() {
    Leftovers left;
    left.programs = find_objects<bpf_prog_info>(bpf_prog_get_next_id, bpf_prog_get_fd_by_id);
    left.maps = find_objects<bpf_map_info>(bpf_map_get_next_id, bpf_map_get_fd_by_id);
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(netns_directory, error)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with("syncline-" + unit_prefix())) {
            left.namespaces.insert(name);
        }
    }
    return left;
}

std::string unit_prefix() {
    return fmt::format("unit-{}-", ::getpid());
}

}  // namespace syncline::testbed
