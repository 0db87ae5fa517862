// SPDX-License-Identifier: BSD-3-Clause
#include "base/read_whole.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/unique_fd.h"

namespace syncline {

std::optional<std::string> read_whole(const std::string& path) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) {
        return std::nullopt;
    }
    std::string text;
    char some[4096];
    for (;;) {
        const ssize_t count = ::read(file.get(), some, sizeof(some));
        if (count == 0) {
            return text;
        }
        if (count > 0) {
            text.append(some, static_cast<size_t>(count));
        } else if (errno != EINTR) {
            return std::nullopt;
        }
    }
}

}  // namespace syncline
