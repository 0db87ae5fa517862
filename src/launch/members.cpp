// SPDX-License-Identifier: BSD-3-Clause
#include "launch/members.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>

#include "base/check.h"

namespace syncline {
namespace {

Members::Verdict before_joining(uint32_t rank, int status) {
    if (WIFSIGNALED(status)) {
        return {fmt::format("PE {} was killed by signal {} before it joined the job", rank, WTERMSIG(status)),
                128 + WTERMSIG(status)};
    }
    const int code = WEXITSTATUS(status);
    return {fmt::format("PE {} ended (exit code {}) before it joined the job", rank, code), code != 0 ? code : 1};
}

}  // namespace

bool Members::any_joined() const {
    return std::any_of(members_.begin(), members_.end(),
                       [](const Member& member) { return member.state != MemberState::kAbsent; });
}

std::optional<Members::Verdict> Members::judge(uint32_t rank) const {
    SYNCLINE_ASSERT(rank < members_.size(), "PE %u of %zu", rank, members_.size());
    const Member& member = members_[rank];
    if (member.aborted) {
        return std::nullopt;
    }
    if (!member.status) {
        return Verdict{fmt::format("the program of PE {} ended without finalizing", rank), 1};
    }
    if (WIFSIGNALED(*member.status) || member.state == MemberState::kLeft) {
        return std::nullopt;
    }
    const int code = WEXITSTATUS(*member.status);
    return Verdict{fmt::format("PE {} ended (exit code {}) without finalizing", rank, code), code != 0 ? code : 1};
}

std::optional<Members::Verdict> Members::notice(const MemberNotice& notice, uint64_t now) {
    if (notice.rank >= members_.size() || notice.state > MemberState::kGone) {
        return std::nullopt;
    }
    Member& member = members_[notice.rank];
    member.state = notice.state;
    member.half_known_ns = now;
    if (notice.state == MemberState::kJoined && absent_) {
        return before_joining(*absent_, 0);
    }
    return member.status && !half_known(member) ? judge(notice.rank) : std::nullopt;
}

void Members::aborted(uint32_t rank) {
    if (rank < members_.size()) {
        members_[rank].aborted = true;
    }
}

std::optional<Members::Verdict> Members::process_ended(uint32_t rank, int status, uint64_t now) {
    SYNCLINE_ASSERT(rank < members_.size(), "PE %u of %zu", rank, members_.size());
    Member& member = members_[rank];
    SYNCLINE_ASSERT(!member.status, "PE %u ends twice", rank);
    member.status = status;
    member.half_known_ns = now;
    if (member.state == MemberState::kAbsent && !member.aborted) {
        if (status != 0 || any_joined()) {
            return before_joining(rank, status);
        }
        absent_ = rank;
        return std::nullopt;
    }
    return half_known(member) ? std::nullopt : judge(rank);
}

std::optional<Members::Verdict> Members::look(uint64_t now) {
    for (uint32_t rank = 0; rank < members_.size(); rank++) {
        Member& member = members_[rank];
        if (half_known(member) && now > member.half_known_ns + (member.status ? notice_ns : exit_ns)) {
            member.half_known_ns = now;
            if (std::optional<Verdict> verdict = judge(rank)) {
                return verdict;
            }
        }
    }
    return std::nullopt;
}

bool Members::must_look() const {
    return std::any_of(members_.begin(), members_.end(), half_known);
}

}  // namespace syncline
