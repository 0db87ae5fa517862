// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report/gnuplot.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/failure.h"
#include "base/memory_file.h"
#include "base/read_whole.h"
#include "bench/report/gnuplot_script.h"

namespace syncline::bench {

namespace {

PictureFormat format_of(const std::string& file) {
    return file.ends_with(".png")   ? PictureFormat::kPng
           : file.ends_with(".pdf") ? PictureFormat::kPdf
                                    : PictureFormat::kSvg;
}

// Its standard input, output or error is a file in memory: it holds any amount without a reader.
UniqueFd make_stream(const char* name) {
    UniqueFd file = make_memory_file(name, 0);
    if (!file) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot make a file in memory for gnuplot");
    }
    return file;
}

UniqueFd stream_of(const std::string& text) {
    UniqueFd file = make_stream("gnuplot-script");
    for (size_t done = 0; done < text.size();) {
        const ssize_t written = ::write(file.get(), text.data() + done, text.size() - done);
        if (written < 0) {
            fail_errno(SYNCLINE_ERR_SYSTEM, "cannot write the script for gnuplot");
        }
        done += static_cast<size_t>(written);
    }
    ::lseek(file.get(), 0, SEEK_SET);
    return file;
}

std::string contents(const UniqueFd& file) {
    return read_whole(fmt::format("/proc/self/fd/{}", file.get())).value_or("");
}

// Starts gnuplot without its user's settings; no shell takes part. Signals that this process holds back reach it.
pid_t start(const UniqueFd& input, const UniqueFd& output, const UniqueFd& messages) {
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, input.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, output.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, messages.get(), STDERR_FILENO);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    char program[] = "gnuplot", defaults[] = "-d";
    char* const argv[] = {program, defaults, nullptr};
    pid_t pid = 0;
    const int error = ::posix_spawnp(&pid, program, &actions, &attributes, argv, environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        fail(SYNCLINE_ERR_NOT_FOUND,
             "gnuplot draws pictures and cannot be started ({}): install it (Debian's package gnuplot-nox)",
             describe_errno(error));
    }
    return pid;
}

bool has_succeeded(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// On one line.
std::string last_words(const std::string& messages) {
    std::string line;
    for (const char letter : messages) {
        line += letter == '\n' || letter == '\t' ? ' ' : letter;
    }
    const size_t begin = line.find_first_not_of(" ^"), end = line.find_last_not_of(' ');
    return begin == std::string::npos ? "it gave no reason" : line.substr(begin, end - begin + 1);
}

// Its standard output.
std::string output_of(const std::string& script) {
    const UniqueFd input = stream_of(script), output = make_stream("gnuplot-output"),
                   messages = make_stream("gnuplot-errors");
    if (!has_succeeded(start(input, output, messages))) {
        fail(SYNCLINE_ERR_SYSTEM, "gnuplot failed: {}", last_words(contents(messages)));
    }
    return contents(output);
}

}  // namespace

void check_gnuplot(const std::string& file) {
    (void)output_of(terminal_command(format_of(file), 100, 100));
}

std::string drawn(const Figure& figure, const std::string& file) {
    if (figure.panels.empty()) {
        fail(SYNCLINE_ERR_INVALID,
             "there is nothing to draw: the result has none of the quantities that its picture shows");
    }
    return output_of(gnuplot_script(figure, format_of(file)));
}

}  // namespace syncline::bench
