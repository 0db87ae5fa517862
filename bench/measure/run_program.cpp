// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/run_program.h"

#include <fcntl.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "base/clock.h"
#include "base/failure.h"
#include "base/unique_fd.h"

namespace syncline::bench {

namespace {
constexpr uint64_t compile_time_limit_s = 120;
}

Folder::Folder() {
    name_ = (std::filesystem::temp_directory_path() / "syncline-bench-XXXXXX").string();
    if (::mkdtemp(name_.data()) == nullptr) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot make the folder {}", name_);
    }
}

Folder::~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(name_, ignored);
}

std::string output_of(ChildSpec spec, uint64_t time_limit_s) {
    int pipe[2];
    if (::pipe2(pipe, O_CLOEXEC) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot create a pipe");
    }
    const UniqueFd reader(pipe[0]);
    UniqueFd writer(pipe[1]);
    spec.stdout_fd = writer.get();
    spec.own_group = true;
    const pid_t pid = start_child(spec);
    writer.reset();
    const uint64_t deadline = now_ns() + time_limit_s * ns_per_s;
    std::string output;
    for (;;) {
        const uint64_t now = now_ns();
        pollfd readable = {reader.get(), POLLIN, 0};
        char some[4096];
        if (now >= deadline || ::poll(&readable, 1, static_cast<int>((deadline - now) / ns_per_ms) + 1) == 0) {
            ::kill(-pid, SIGTERM);
            ::sleep(1);
            ::kill(-pid, SIGKILL);
            ::waitpid(pid, nullptr, 0);
            fail(SYNCLINE_ERR_TIMEOUT, "'{}' did not end within {} s", fmt::join(spec.argv, " "), time_limit_s);
        }
        const ssize_t bytes = ::read(reader.get(), some, sizeof(some));
        if (bytes <= 0) {
            break;
        }
        output.append(some, static_cast<size_t>(bytes));
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fail(SYNCLINE_ERR_SYSTEM, "'{}' failed", fmt::join(spec.argv, " "));
    }
    return output;
}

std::string compile(const ShmemLibrary& library, const Folder& folder, const std::string& source) {
    std::string program = folder.file("program of " + library.name());
    std::replace(program.begin(), program.end(), ' ', '-');
    ChildSpec spec;
    spec.argv = {library.compiler(), "-O2", "-o", program, source};
    (void)output_of(spec, compile_time_limit_s);
    return program;
}

}  // namespace syncline::bench
