// SPDX-License-Identifier: BSD-3-Clause
#include "launch/mpi_members.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>

namespace syncline {
namespace {

constexpr uint64_t exit_patience_ns = 1'000'000'000;

// `call`: that the process should have made before it ended.
Members::Verdict ended_without(const char* call, uint32_t rank, int status) {
    if (WIFSIGNALED(status)) {
        return {fmt::format("PE {} was killed by signal {} before {}", rank, WTERMSIG(status), call),
                128 + WTERMSIG(status)};
    }
    const int code = WEXITSTATUS(status);
    return {fmt::format("PE {} ended (exit code {}) without {}", rank, code, call), code != 0 ? code : 1};
}

constexpr const char* mpi_init = "MPI_Init, which other PEs have called";

}  // namespace

bool MpiMembers::any_inside() const {
    return std::any_of(members_.begin(), members_.end(),
                       [](const Member& member) { return member.state == State::kInside; });
}

std::optional<MpiMembers::Verdict> MpiMembers::begun(uint32_t rank) {
    if (rank >= members_.size()) {
        return std::nullopt;
    }
    members_[rank].state = State::kInside;
    members_[rank].lost_ns.reset();
    return absent_ ? std::optional(ended_without(mpi_init, absent_->rank, absent_->status)) : std::nullopt;
}

void MpiMembers::finished(uint32_t rank) {
    if (rank < members_.size()) {
        members_[rank].state = State::kFinished;
    }
}

void MpiMembers::aborted(uint32_t rank) {
    if (rank < members_.size()) {
        members_[rank].aborted = true;
    }
}

void MpiMembers::lost(uint32_t rank, uint64_t now) {
    if (rank < members_.size() && members_[rank].state == State::kInside && !members_[rank].ended) {
        members_[rank].lost_ns = now;
    }
}

std::optional<MpiMembers::Verdict> MpiMembers::process_ended(uint32_t rank, int status) {
    Member& member = members_[rank];
    member.ended = true;
    member.lost_ns.reset();
    if (member.aborted || member.state == State::kFinished) {
        return std::nullopt;
    }
    if (member.state == State::kInside) {
        return ended_without("MPI_Finalize", rank, status);
    }
    if (any_inside()) {
        return ended_without(mpi_init, rank, status);
    }
    absent_ = {rank, status};
    return std::nullopt;
}

std::optional<MpiMembers::Verdict> MpiMembers::look(uint64_t now) {
    for (uint32_t rank = 0; rank < members_.size(); rank++) {
        Member& member = members_[rank];
        if (member.lost_ns && now > *member.lost_ns + exit_patience_ns) {
            member.lost_ns.reset();
            if (!member.aborted) {
                return Verdict{fmt::format("the program of PE {} ended without MPI_Finalize", rank), 1};
            }
        }
    }
    return std::nullopt;
}

bool MpiMembers::must_look() const {
    return std::any_of(members_.begin(), members_.end(), [](const Member& member) { return member.lost_ns; });
}

}  // namespace syncline
