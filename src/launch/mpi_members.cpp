// SPDX-License-Identifier: BSD-3-Clause
#include "launch/mpi_members.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>

namespace syncline {
namespace {

constexpr uint64_t exit_patience_ns = 1'000'000'000;

// How a process has ended that should have made one more call: the sentence up to "without" or "before", and the code.
Members::Verdict ended(uint32_t rank, int status) {
    if (WIFSIGNALED(status)) {
        return {fmt::format("PE {} was killed by signal {} before", rank, WTERMSIG(status)), 128 + WTERMSIG(status)};
    }
    const int code = WEXITSTATUS(status);
    return {fmt::format("PE {} ended (exit code {}) without", rank, code), code != 0 ? code : 1};
}

Members::Verdict without_init(uint32_t rank, int status) {
    Members::Verdict verdict = ended(rank, status);
    verdict.sentence += " MPI_Init, which other PEs have called";
    return verdict;
}

Members::Verdict without_finalize(uint32_t rank, int status) {
    Members::Verdict verdict = ended(rank, status);
    verdict.sentence += " MPI_Finalize";
    return verdict;
}

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
    return absent_ ? std::optional(without_init(absent_->rank, absent_->status)) : std::nullopt;
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
        return without_finalize(rank, status);
    }
    if (any_inside()) {
        return without_init(rank, status);
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
