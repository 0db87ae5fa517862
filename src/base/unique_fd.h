// SPDX-License-Identifier: BSD-3-Clause
// A file descriptor with one owner.
#pragma once

#include <unistd.h>

#include <utility>
#include <vector>

namespace syncline {

class UniqueFd {
  public:
    UniqueFd() = default;
    explicit UniqueFd(int fd) : fd_(fd) {}
    UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    UniqueFd& operator=(UniqueFd&& other) noexcept {
        if (this != &other) {
            reset(std::exchange(other.fd_, -1));
        }
        return *this;
    }
    UniqueFd(const UniqueFd&) = delete;
    UniqueFd& operator=(const UniqueFd&) = delete;
    ~UniqueFd() { reset(); }

    int get() const { return fd_; }
    bool valid() const { return fd_ >= 0; }
    explicit operator bool() const { return valid(); }
    int release() { return std::exchange(fd_, -1); }
    void reset(int fd = -1) {
        if (fd_ >= 0) {
            ::close(fd_);
        }
        fd_ = fd;
    }

  private:
    int fd_ = -1;
};

inline std::vector<int> numbers_of(const std::vector<UniqueFd>& fds) {
    std::vector<int> numbers;
    for (const UniqueFd& fd : fds) {
        numbers.push_back(fd.get());
    }
    return numbers;
}

}  // namespace syncline
