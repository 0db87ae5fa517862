// SPDX-License-Identifier: BSD-3-Clause
#include "tests/daemon/program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <sstream>

#include "base/clock.h"
#include "launch/child.h"
#include "tests/folders.h"

namespace syncline {

std::string tools_folder() {
    return build_folder() + "/tools";
}
std::string node_pe_program() {
    return build_folder() + "/tests/daemon/daemon_pe";
}
std::string attacker_program() {
    return build_folder() + "/tests/daemon/daemon_attacker";
}

bool everybody_can_run(std::filesystem::path path) {
    struct stat status = {};
    for (; !path.empty() && path != path.root_path(); path = path.parent_path()) {
        if (::stat(path.c_str(), &status) != 0 || (status.st_mode & S_IXOTH) == 0) {
            return false;
        }
    }
    return true;
}

uint16_t free_port() {
    return static_cast<uint16_t>(10000 + ::getpid() % 20000);
}

Program::Program(const Strings& argv, const Strings& environment) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        return;
    }
    pipe_.reset(ends[0]);
    const UniqueFd writer(ends[1]);
    ChildSpec child;
    child.argv = argv;
    child.environment = environment;
    child.stdout_fd = child.stderr_fd = writer.get();
    pid_ = start_child(child);
}

Program::~Program() {
    if (pid_ > 0 && code_ < 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
}

bool Program::read_some(int timeout_ms) {
    pollfd polled = {pipe_.get(), POLLIN, 0};
    char bytes[4096];
    if (::poll(&polled, 1, timeout_ms) <= 0) {
        return true;
    }
    const ssize_t count = ::read(pipe_.get(), bytes, sizeof(bytes));
    if (count > 0) {
        output_.append(bytes, static_cast<size_t>(count));
    }
    return count > 0;
}

bool Program::wait_for(const std::string& start, size_t count, int timeout_ms) {
    const uint64_t deadline = now_ns() + static_cast<uint64_t>(timeout_ms) * ns_per_ms;
    while (lines(start).size() < count) {
        if (now_ns() > deadline || !read_some(50)) {
            return lines(start).size() >= count;
        }
    }
    return true;
}

int Program::wait(int timeout_ms) {
    const uint64_t deadline = now_ns() + static_cast<uint64_t>(timeout_ms) * ns_per_ms;
    int status = 0;
    while (code_ < 0 && now_ns() < deadline) {
        if (!read_some(10)) {
            ::usleep(5000);
        }
        if (::waitpid(pid_, &status, WNOHANG) == pid_) {
            code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        }
    }
    for (size_t before = SIZE_MAX; before != output_.size();) {
        before = output_.size();
        read_some(0);
    }
    return code_;
}

Strings Program::lines(const std::string& start) const {
    Strings found;
    std::istringstream text(output_.substr(0, output_.rfind('\n') + 1));
    for (std::string line; std::getline(text, line);) {
        if (line.starts_with(start)) {
            found.push_back(line);
        }
    }
    return found;
}

std::map<int, int64_t> Program::values(const std::string& key) const {
    std::map<int, int64_t> found;
    for (const std::string& line : lines(key + " ")) {
        std::istringstream text(line.substr(key.size()));
        int rank = 0;
        int64_t value = 0;
        text >> rank >> value;
        found[rank] = value;
    }
    return found;
}

}  // namespace syncline
