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
#include <utility>

#include "base/clock.h"
#include "base/failure.h"
#include "base/interruption.h"
#include "base/unique_fd.h"
#include "bench/measure/embedded_files.h"
#include "bench/report/result_files.h"
#include "launch/keeper.h"

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

std::string Folder::folder(const std::string& name) const {
    std::string path = file(name);
    std::filesystem::create_directory(path);
    return path;
}

namespace {

constexpr int look_interval_ms = 100;  // time between two looks for an interruption

// Ends the program and all processes that it has started, unless it has ended: a launcher's processes are in groups of
// their own, and a keeper finds them, even if this process is killed.
class Child {
  public:
    explicit Child(const ChildSpec& spec) : pid_(start_child(spec)) {}
    ~Child() {
        if (pid_ > 0) {
            signal_kept(pid_, SIGTERM);
            ::sleep(1);
            signal_kept(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
        }
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    bool has_succeeded() {
        int status = 0;
        ::waitpid(std::exchange(pid_, 0), &status, 0);
        return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }

  private:
    pid_t pid_;
};

std::string read_to_end(int fd, const std::vector<std::string>& argv, uint64_t time_limit_s) {
    const uint64_t deadline = now_ns() + time_limit_s * ns_per_s;
    std::string output;
    for (;;) {
        check_interruption();
        if (now_ns() >= deadline) {
            fail(SYNCLINE_ERR_TIMEOUT, "'{}' did not end within {} s", fmt::join(argv, " "), time_limit_s);
        }
        pollfd readable = {fd, POLLIN, 0};
        if (::poll(&readable, 1, look_interval_ms) <= 0) {
            continue;
        }
        char some[4096];
        const ssize_t bytes = ::read(fd, some, sizeof(some));
        if (bytes <= 0) {
            return output;
        }
        output.append(some, static_cast<size_t>(bytes));
    }
}

}  // namespace

std::string output_of(ChildSpec spec, uint64_t time_limit_s) {
    int pipe[2];
    if (::pipe2(pipe, O_CLOEXEC) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot create a pipe");
    }
    const UniqueFd reader(pipe[0]);
    UniqueFd writer(pipe[1]);
    spec.stdout_fd = writer.get();
    spec.kept = true;
    Child child(spec);
    writer.reset();
    std::string output = read_to_end(reader.get(), spec.argv, time_limit_s);
    if (!child.has_succeeded()) {
        fail(SYNCLINE_ERR_SYSTEM, "'{}' failed", fmt::join(spec.argv, " "));
    }
    return output;
}

std::string compile(const ShmemLibrary& library, const Folder& folder, const std::string& source,
                    const std::string& what) {
    write_file(folder.file("timing.h"), timing_source());
    std::string program = folder.file(what + " of " + library.name());
    std::replace(program.begin(), program.end(), ' ', '-');
    ChildSpec spec;
    spec.argv = {library.compiler(), "-O2", "-o", program, source};
    const std::vector<std::string> linked = library.linked();
    spec.argv.insert(spec.argv.end(), linked.begin(), linked.end());
    (void)output_of(spec, compile_time_limit_s);
    return program;
}

}  // namespace syncline::bench
