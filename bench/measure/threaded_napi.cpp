// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/threaded_napi.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "base/failure.h"
#include "base/unique_fd.h"
#include "testbed/testbed.h"

namespace syncline::bench {
namespace {

// The kernel's threads have the names napi/<interface>-<number>; the kernel chooses the number.
std::set<pid_t> find_threads(const std::string& interface) {
    const std::string wanted = "napi/" + interface + "-";
    std::set<pid_t> found;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
        const std::string name = entry.path().filename();
        std::string comm;
        if (std::isdigit(static_cast<unsigned char>(name[0])) != 0 &&
            std::getline(std::ifstream(entry.path() / "comm"), comm) && comm.starts_with(wanted)) {
            found.insert(static_cast<pid_t>(std::stol(name)));
        }
    }
    return found;
}

// A sysfs shows the network namespace of the thread that made it. The sysfs that is made here is mounted nowhere.
void write_attribute(int netns_fd, const std::string& path, const char* value) {
    testbed::enter_netns(netns_fd);
    const UniqueFd context(::fsopen("sysfs", FSOPEN_CLOEXEC));
    if (!context || ::fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
        fail_errno(SYNCLINE_ERR_UNSUPPORTED, "cannot make a sysfs");
    }
    const UniqueFd root(::fsmount(context.get(), FSMOUNT_CLOEXEC, 0));
    const UniqueFd attribute(::openat(root.get(), path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!attribute || ::write(attribute.get(), value, 1) != 1) {
        fail_errno(SYNCLINE_ERR_UNSUPPORTED, "cannot write {} to {}", value, path);
    }
}

}  // namespace

ThreadedNapi::ThreadedNapi(int netns_fd, std::string interface, int cpu)
    : netns_fd_(netns_fd), interface_(std::move(interface)) {
    const std::set<pid_t> before = find_threads(interface_);
    set("1");
    cpu_set_t there;
    CPU_ZERO(&there);
    CPU_SET(static_cast<size_t>(cpu), &there);
    static std::set<pid_t> ours;  // before Linux 6.17 a thread stays after its use
    bool found = false;
    for (const pid_t thread : find_threads(interface_)) {
        if (!before.contains(thread) || ours.contains(thread)) {
            ours.insert(thread);
            found |= ::sched_setaffinity(thread, sizeof(there), &there) == 0;
        }
    }
    if (!found) {
        set("0");
        fail(SYNCLINE_ERR_UNSUPPORTED, "the kernel's thread for {} is not to be seen, or cannot be moved", interface_);
    }
}

ThreadedNapi::~ThreadedNapi() {
    try {
        set("0");
    } catch (const Failure&) {
        // The namespace goes soon.
    }
}

// Runs in a thread of its own, because a thread that has entered a namespace stays there.
void ThreadedNapi::set(const char* value) const {
    std::string why;
    std::thread([&] {
        try {
            write_attribute(netns_fd_, "class/net/" + interface_ + "/threaded", value);
        } catch (const Failure& failure) {
            why = failure.what();
        }
    }).join();
    if (!why.empty()) {
        fail(SYNCLINE_ERR_UNSUPPORTED, "{}", why);
    }
}

}  // namespace syncline::bench
