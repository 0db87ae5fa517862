// SPDX-License-Identifier: BSD-3-Clause
// Log lines that a client can cause: few of a kind, fewer of a kind for one user, and then a count of the omitted
// lines.
#pragma once

#include <fmt/format.h>
#include <sys/types.h>

#include <array>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "base/rate_limit.h"

namespace syncline {

class LimitedLog {
  public:
    enum class Kind { kNonsense, kTurnedAway, kNoDescriptors, kSilent, kNotReading, kGone, kRefused, kJob };
    static constexpr size_t kinds = 8;

    using Sink = std::function<void(Kind kind, const std::string& line)>;
    explicit LimitedLog(Sink sink) : sink_(std::move(sink)) {}

    template <typename... Args>
    void write(Kind kind, uid_t user, uint64_t now, fmt::format_string<Args...> format, Args&&... args) {
        if (allows(kind, user, now)) {
            sink_(kind, fmt::format(format, std::forward<Args>(args)...));
        }
    }

    // Logs how many lines were omitted, at most once in an interval; call it now and then while there are any.
    void summarise(uint64_t now);
    bool has_summary() const;

  private:
    static constexpr RateLimit of_user = RateLimit::every(5, 10);
    static constexpr RateLimit of_all = RateLimit::every(20, 1);
    static constexpr uint64_t summary_ns = 10 * ns_per_s;
    static constexpr size_t users_max = 1024;

    struct State {
        RateLimit limit = of_all;
        uint64_t left_out = 0;
        uint64_t summary_ns = 0;  // when the next summary is due
    };

    bool allows(Kind kind, uid_t user, uint64_t now);

    const Sink sink_;
    std::array<State, kinds> states_;
    std::map<std::pair<Kind, uid_t>, RateLimit> users_;
};

}  // namespace syncline
