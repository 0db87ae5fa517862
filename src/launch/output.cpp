// SPDX-License-Identifier: BSD-3-Clause
#include "launch/output.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/failure.h"

namespace syncline {

namespace {
// False and errno if it cannot be written.
bool write_all(int fd, const std::string& text) {
    for (size_t done = 0; done < text.size();) {
        const ssize_t count = ::write(fd, text.data() + done, text.size() - done);
        if (count < 0 && errno != EINTR) {
            return false;
        }
        done += count > 0 ? static_cast<size_t>(count) : 0;
    }
    return true;
}
}  // namespace

UniqueFd Output::add(uint32_t rank, int to) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot create a pipe for the output of PE {}", rank);
    }
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    streams_[ends[0]] = {UniqueFd(ends[0]), fmt::format("[{}] ", rank), to, ""};
    return UniqueFd(ends[1]);
}

std::vector<int> Output::fds() const {
    std::vector<int> all;
    for (const auto& [fd, stream] : streams_) {
        all.push_back(fd);
    }
    return all;
}

void Output::write_lines(Stream* stream, bool last) {
    std::string lines;
    size_t start = 0;
    for (size_t end; (end = stream->partial.find('\n', start)) != std::string::npos; start = end + 1) {
        lines += stream->prefix + stream->partial.substr(start, end + 1 - start);
    }
    stream->partial.erase(0, start);
    if (last && !stream->partial.empty()) {
        lines += stream->prefix + stream->partial + "\n";
        stream->partial.clear();
    }
    // The rest is read and dropped, so that the PE is not held up while the job ends.
    if (!failed() && !write_all(stream->to, lines)) {
        failure_ = fmt::format("cannot write the PEs' output: {}", std::strerror(errno));
    }
}

void Output::read(int fd) {
    const auto found = streams_.find(fd);
    if (found == streams_.end()) {
        return;
    }
    char buffer[65536];
    for (;;) {
        const ssize_t count = ::read(fd, buffer, sizeof(buffer));
        if (count > 0) {
            found->second.partial.append(buffer, static_cast<size_t>(count));
            write_lines(&found->second, false);
        } else if (count < 0 && errno == EINTR) {
            continue;
        } else {
            if (count == 0) {
                write_lines(&found->second, true);
                streams_.erase(found);
            }
            return;
        }
    }
}

void Output::finish() {
    for (const int fd : fds()) {
        read(fd);
    }
    for (auto& [fd, stream] : streams_) {
        write_lines(&stream, true);
    }
    streams_.clear();
}

}  // namespace syncline
