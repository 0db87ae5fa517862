// SPDX-License-Identifier: BSD-3-Clause
// The one exception type of the privileged and command-line parts (daemon, test bed, tools).
//
// The library that a program links (src/fabric, src/runtime, src/api) never throws across its C boundary: it returns a
// status. Code that sets things up throws Failure with one whole message: the action, its object, why it failed and the
// remedy.
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "syncline.h"

namespace syncline {

class Failure : public std::runtime_error {
  public:
    Failure(int status, const std::string& sentence) : std::runtime_error(sentence), status_(status) {}

    // One of the negative SYNCLINE_ERR_* values.
    int status() const { return status_; }

  private:
    int status_;
};

template <typename... Args>
[[noreturn]] void fail(int status, fmt::format_string<Args...> format, Args&&... args) {
    throw Failure(status, fmt::format(format, std::forward<Args>(args)...));
}

// Returns the text of errno; for a limit also the setting to raise.
inline std::string describe_errno(int error) {
    const char* const setting = error == EMFILE  ? ": raise the limit of open files (ulimit -n)"
                                : error == EFBIG ? ": raise the limit of a file's size (ulimit -f)"
                                                 : "";
    return std::string(std::strerror(error)) + setting;
}

// Returns " (it needs CAP_BPF)" for a part of the kernel. If a lack of descriptors is the reason, this is empty.
inline std::string needs_unless_limited(int error, const std::string& needs) {
    return error == EMFILE || error == ENFILE ? "" : " (" + needs + ")";
}

// For a system call that just failed: appends ": " and the text of errno.
template <typename... Args>
[[noreturn]] void fail_errno(int status, fmt::format_string<Args...> format, Args&&... args) {
    const int error = errno;
    throw Failure(status, fmt::format(format, std::forward<Args>(args)...) + ": " + describe_errno(error));
}

}  // namespace syncline
