// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/limited_log.h"

#include <algorithm>

namespace syncline {
namespace {

const char* text_of(LimitedLog::Kind kind) {
    switch (kind) {
        case LimitedLog::Kind::kNonsense:
            return "clients that do not speak this protocol";
        case LimitedLog::Kind::kTurnedAway:
            return "clients that were turned away";
        case LimitedLog::Kind::kSilent:
            return "clients that sent no message for too long";
        case LimitedLog::Kind::kNotReading:
            return "clients that did not take their answers";
        case LimitedLog::Kind::kRefused:
            return "requests that were refused";
        case LimitedLog::Kind::kJob:
            return "jobs that began or ended";
        default:
            return "PEs that are gone";
    }
}

}  // namespace

bool LimitedLog::allows(Kind kind, uid_t user, uint64_t now) {
    State& state = states_[static_cast<size_t>(kind)];
    if (users_.size() >= users_max) {
        std::erase_if(users_, [&](const auto& entry) { return entry.second.idle(now); });
    }
    // If there are too many users to know each, one limit for the kind holds for all of them.
    const bool known = users_.size() < users_max || users_.contains({kind, user});
    const bool allowed = !known || users_.try_emplace({kind, user}, of_user).first->second.take(now);
    if (allowed && state.limit.take(now)) {
        return true;
    }
    if (state.left_out++ == 0) {
        state.summary_ns = now + summary_ns;
    }
    return false;
}

void LimitedLog::summarise(uint64_t now) {
    for (size_t i = 0; i < kinds; i++) {
        State& state = states_[i];
        if (state.left_out != 0 && now >= state.summary_ns) {
            const auto kind = static_cast<Kind>(i);
            sink_(kind, fmt::format("{} more {}, which are not logged one by one", std::exchange(state.left_out, 0),
                                    text_of(kind)));
        }
    }
}

bool LimitedLog::has_summary() const {
    return std::any_of(states_.begin(), states_.end(), [](const State& state) { return state.left_out != 0; });
}

}  // namespace syncline
