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
        fmt::print(stderr, "\r\033[K{:3} %  {}", std::min<uint64_t>(100 * done_ / std::max<uint64_t>(steps_, 1), 100),
                   what);
        std::fflush(stderr);
    }
}

}  // namespace syncline::bench
