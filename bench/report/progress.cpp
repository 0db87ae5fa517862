// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/clock.h"

namespace syncline::bench {

namespace {
constexpr uint64_t silence_ns = 2 * ns_per_s;
constexpr uint64_t interval_ns = ns_per_s / 5;

// As if the steps to come took as long as those that are done.
std::string time_left(uint64_t elapsed_ns, uint64_t done, uint64_t steps) {
    if (done == 0 || done >= steps) {
        return "";
    }
    const uint64_t seconds = elapsed_ns / done * (steps - done) / ns_per_s;
    return fmt::format("{}:{:02} left  ", seconds / 60, seconds % 60);
}
}  // namespace

Progress::Progress(uint64_t steps) : steps_(steps), shown_(::isatty(STDERR_FILENO) != 0), start_ns_(now_ns()) {}

Progress::~Progress() {
    if (last_ns_ != 0) {
        fmt::print(stderr, "\r\033[K");
    }
}

void Progress::step(const std::string& what) {
    done_++;
    const uint64_t now = now_ns();
    if (shown_ && now - start_ns_ > silence_ns && now - last_ns_ > interval_ns) {
        last_ns_ = now;
        fmt::print(stderr, "\r\033[K{:3} %  {}{}", std::min<uint64_t>(100 * done_ / std::max<uint64_t>(steps_, 1), 100),
                   time_left(now - start_ns_, done_ - 1, steps_), what);
        std::fflush(stderr);
    }
}

}  // namespace syncline::bench
