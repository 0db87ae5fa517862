// SPDX-License-Identifier: BSD-3-Clause
#include "tests/node/job_run.h"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/clock.h"
#include "launch/child.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string read_link(const fs::path& path) {
    std::error_code ignored;
    return fs::read_symlink(path, ignored).string();
}

fs::path proc(pid_t pid) {
    return fs::path("/proc") / std::to_string(pid);
}

// Field `number` (from 3 on, as in proc(5)) of a process's stat, or 0.
uint64_t stat_field(pid_t pid, int number) {
    const std::string text = read_file(proc(pid) / "stat");
    const size_t name_end = text.rfind(')');
    std::istringstream fields(name_end == std::string::npos ? "" : text.substr(name_end + 1));
    std::string field;
    for (int i = 2; i < number && fields >> field; i++) {
    }
    return std::strtoull(field.c_str(), nullptr, 10);
}

std::vector<pid_t> all_processes() {
    std::vector<pid_t> all;
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
        if (const pid_t pid = std::atoi(entry.path().filename().c_str()); pid > 0) {
            all.push_back(pid);
        }
    }
    return all;
}

bool alive(pid_t pid, uint64_t started) {
    return stat_field(pid, 22) == started && started != 0 &&
           read_file(proc(pid) / "stat").find(") Z ") == std::string::npos;
}

}  // namespace

std::string tools_folder() {
    return SYNCLINE_TOOLS;
}
std::string node_pe_program() {
    return SYNCLINE_NODE_PE;
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

JobRun::JobRun(const Strings& options, uint32_t ranks, const Strings& arguments)
    : mark_("SYNCLINE_TEST_MARK=" + std::to_string(::getpid()) + "." + std::to_string(now_ns())),
      launcher_(
          [&] {
              Strings argv = {tools_folder() + "/syncline", "run", "-q", "-n", std::to_string(ranks)};
              argv.insert(argv.end(), options.begin(), options.end());
              argv.push_back(node_pe_program());
              argv.insert(argv.end(), arguments.begin(), arguments.end());
              return argv;
          }(),
          {mark_}) {
    ready_ = launcher_.wait_for("ready ", ranks, 20000);
    for (const std::string& line : launcher_.lines("ready ")) {
        std::istringstream text(line.substr(6));
        int rank = 0;
        pid_t pid = 0;
        text >> rank >> pid >> job_;
        pes_[rank] = pid;
    }
    if (!job_.empty()) {
        job_.insert(0, 8 - std::min<size_t>(8, job_.size()), '0');
    }
    note_processes();
}

void JobRun::note_processes() {
    const std::string home = read_link("/proc/self/ns/net");
    for (const pid_t pid : all_processes()) {
        if (pid != launcher_.pid() && stat_field(pid, 4) != static_cast<uint64_t>(launcher_.pid())) {
            continue;
        }
        if (const std::string name = read_link(proc(pid) / "ns/net"); name != home && !name.empty()) {
            namespaces_.insert(name);
        }
        note_bpf_objects(pid);
        const std::string command = read_file(proc(pid) / "cmdline");
        if (const size_t node = command.find("/node-"); node != std::string::npos) {
            daemons_[pid] = static_cast<uint32_t>(std::atoi(command.c_str() + node + 6));
        }
    }
}

// The kernel names the objects behind a process's descriptors.
void JobRun::note_bpf_objects(pid_t pid) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(proc(pid) / "fdinfo", ignored)) {
        std::istringstream text(read_file(entry.path()));
        for (std::string key, line; text >> key && std::getline(text, line);) {
            const auto id = static_cast<uint32_t>(std::strtoul(line.c_str(), nullptr, 10));
            if (key == "prog_id:") {
                programs_.insert(id);
            } else if (key == "map_id:") {
                maps_.insert(id);
            }
        }
    }
}

Strings JobRun::leftovers_now() const {
    Strings found;
    for (const pid_t pid : all_processes()) {
        if (read_file(proc(pid) / "environ").find(mark_) != std::string::npos && alive(pid, stat_field(pid, 22))) {
            found.push_back("process " + std::to_string(pid) + " " + read_file(proc(pid) / "comm"));
        }
        if (namespaces_.contains(read_link(proc(pid) / "ns/net"))) {
            found.push_back("namespace of process " + std::to_string(pid));
        }
    }
    if (!job_.empty() && read_file("/proc/net/unix").find(job_) != std::string::npos) {
        found.push_back("socket of job " + job_);
    }
    const std::string mounts = read_file("/proc/self/mountinfo");
    for (const std::string& name : namespaces_) {
        if (mounts.find(name) != std::string::npos) {
            found.push_back("mounted " + name);
        }
    }
    for (const uint32_t id : programs_) {
        if (const UniqueFd fd(bpf_prog_get_fd_by_id(id)); fd) {
            found.push_back("BPF program " + std::to_string(id));
        }
    }
    for (const uint32_t id : maps_) {
        if (const UniqueFd fd(bpf_map_get_fd_by_id(id)); fd) {
            found.push_back("BPF map " + std::to_string(id));
        }
    }
    return found;
}

Strings JobRun::leftovers(int timeout_ms) const {
    const uint64_t deadline = now_ns() + static_cast<uint64_t>(timeout_ms) * ns_per_ms;
    for (;;) {
        Strings found = leftovers_now();
        if (found.empty() || now_ns() > deadline) {
            return found;
        }
        ::usleep(50'000);
    }
}

}  // namespace syncline
