// SPDX-License-Identifier: BSD-3-Clause
#include "testbed/netns.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "base/failure.h"
#include "testbed/testbed.h"

namespace syncline::testbed {
namespace {

constexpr const char* own_netns_path = "/proc/thread-self/ns/net";

UniqueFd open_own_netns() {
    UniqueFd fd(::open(own_netns_path, O_RDONLY | O_CLOEXEC));
    if (!fd) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "opening {} failed (is /proc mounted?)", own_netns_path);
    }
    return fd;
}

std::string netns_path(const std::string& name) {
    return std::string(netns_directory) + "/" + name;
}

// Does what `ip netns add` does: names appear in every mount namespace that shares this mount, and can be removed from
// each.
void prepare_netns_directory() {
    if (::mkdir(netns_directory, 0755) != 0 && errno != EEXIST) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "making the folder {} failed", netns_directory);
    }
    if (::mount("", netns_directory, "none", MS_SHARED | MS_REC, nullptr) == 0) {
        return;
    }
    // EINVAL: it is not a mount point yet.
    if (errno != EINVAL || ::mount(netns_directory, netns_directory, "none", MS_BIND | MS_REC, nullptr) != 0 ||
        ::mount("", netns_directory, "none", MS_SHARED | MS_REC, nullptr) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "making {} a shared mount failed (this needs CAP_SYS_ADMIN)", netns_directory);
    }
}

}  // namespace

void enter_netns(int netns_fd) {
    if (::setns(netns_fd, CLONE_NEWNET) != 0) {
        const int status = errno == EPERM ? SYNCLINE_ERR_PERMISSION : SYNCLINE_ERR_SYSTEM;
        fail_errno(status, "entering a network namespace with setns(fd {}) failed (this needs CAP_SYS_ADMIN)",
                   netns_fd);
    }
}

NetnsScope::NetnsScope(int netns_fd) : home_(open_own_netns()) {
    enter_netns(netns_fd);
}

NetnsScope::~NetnsScope() {
    // The return cannot fail with the rights that leaving took; a thread lost in a node's namespace would do harm.
    if (::setns(home_.get(), CLONE_NEWNET) != 0) {
        std::perror("syncline: returning to the first network namespace with setns() failed");
        std::abort();
    }
}

UniqueFd create_netns() {
    const UniqueFd home = open_own_netns();
    if (::unshare(CLONE_NEWNET) != 0) {
        const int status = errno == EPERM ? SYNCLINE_ERR_PERMISSION : SYNCLINE_ERR_SYSTEM;
        fail_errno(status,
                   "making a network namespace with unshare() failed (this needs CAP_SYS_ADMIN, and "
                   "/proc/sys/user/max_net_namespaces limits how many there are)");
    }
    UniqueFd made(::open(own_netns_path, O_RDONLY | O_CLOEXEC));
    const int error = errno;
    enter_netns(home.get());
    if (!made) {
        errno = error;
        fail_errno(SYNCLINE_ERR_SYSTEM, "opening a new network namespace failed");
    }
    return made;
}

void name_netns(int netns_fd, const std::string& name) {
    prepare_netns_directory();
    const std::string path = netns_path(name);
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0));
    if (!file) {
        const int status = errno == EEXIST ? SYNCLINE_ERR_BUSY : SYNCLINE_ERR_SYSTEM;
        fail_errno(status, "making {} for a network namespace failed", path);
    }
    const std::string source = fmt::format("/proc/thread-self/fd/{}", netns_fd);
    if (::mount(source.c_str(), path.c_str(), "none", MS_BIND, nullptr) != 0) {
        const int error = errno;
        ::unlink(path.c_str());
        errno = error;
        fail_errno(SYNCLINE_ERR_SYSTEM, "mounting a network namespace at {} failed", path);
    }
}

UniqueFd open_named_netns(const std::string& name) {
    const std::string path = netns_path(name);
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) {
        const int status = errno == ENOENT ? SYNCLINE_ERR_NOT_FOUND : SYNCLINE_ERR_SYSTEM;
        fail_errno(status, "opening the network namespace {} failed", path);
    }
    return fd;
}

void remove_named_netns(const std::string& name) {
    const std::string path = netns_path(name);
    ::umount2(path.c_str(), MNT_DETACH);  // EINVAL when only the file was left
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "removing the network namespace {} failed", path);
    }
}

}  // namespace syncline::testbed
