// SPDX-License-Identifier: BSD-3-Clause
#include "tests/daemon/job_run.h"

#include <bpf/bpf.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "base/clock.h"
#include "tests/read_file.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

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

// Looks without a descriptor: the kernel loses its count of an array of programs whose last descriptor is closed twice
// in a moment, and the array stays for ever.
bool exists(uint32_t id, int (*next_of)(uint32_t, uint32_t*)) {
    uint32_t next = 0;
    return next_of(id - 1, &next) == 0 && next == id;
}

}  // namespace

JobRun::JobRun(const Strings& options, uint32_t ranks, const Strings& arguments, const Strings& before,
               const Strings& wrapper)
    : mark_("SYNCLINE_TEST_MARK=" + std::to_string(::getpid()) + "." + std::to_string(now_ns())),
      launcher_(
          [&] {
              Strings argv = before;
              for (const Strings& part : {Strings{tools_folder() + "/syncline", "run", "-q", "-n"},
                                          Strings{std::to_string(ranks)}, options, Strings{"--"}, wrapper}) {
                  argv.insert(argv.end(), part.begin(), part.end());
              }
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
        if (exists(id, bpf_prog_get_next_id)) {
            found.push_back("BPF program " + std::to_string(id));
        }
    }
    for (const uint32_t id : maps_) {
        if (exists(id, bpf_map_get_next_id)) {
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
