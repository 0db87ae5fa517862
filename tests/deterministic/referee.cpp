// SPDX-License-Identifier: BSD-3-Clause
#include "tests/deterministic/referee.h"

#include <algorithm>

#include "base/status.h"

namespace syncline::deterministic {

void Referee::begin(LockKind kind, syncline_address_t base, uint32_t home, uint32_t units) {
    kind_ = kind;
    base_ = base;
    home_ = home;
    units_ = units;
    pes_.assign(world_->size(), {});
    last_holder_ = -1;
}

void Referee::wrong(std::string what) {
    if (wrong_.empty()) {
        wrong_ = fmt::format("at {} us: {}", world_->scheduler().now() / ns_per_us, what);
    }
}

void Referee::died(uint32_t rank) {
    pes_[rank].dead = true;
}

void Referee::asks(uint32_t rank, bool reader, uint64_t deadline_ns) {
    Pe& pe = pes_[rank];
    pe.doing = Doing::kAsking;
    pe.reader = reader;
    pe.deadline_ns = deadline_ns;
    pe.since = world_->scheduler().now();
    pe.tail = tail();
    pe.ever_asked = true;
    note_order(rank);
}

// Is its place in the queue, or its ticket, to be seen? Not of a PE that may leave its place, or had one already.
bool Referee::is_surely_queued(uint32_t rank) const {
    const Pe& pe = pes_[rank];
    if (pe.dead || pe.doing != Doing::kAsking || pe.deadline_ns != no_deadline || pe.gave_up || pe.reader) {
        return false;
    }
    switch (kind_) {
        case LockKind::kMcs:
        case LockKind::kReadersWriter:
            return tail() == rank + 1;
        case LockKind::kLocalRelease:
            return tail() >> 1 == rank + 1 && tail() != pe.tail;
        case LockKind::kTicket:
        case LockKind::kHybrid:
            return world_->peek(rank, base_ + LockLayout::own) >= 2;
        default:
            return false;  // a semaphore's PEs pass the turnstile on before their call returns
    }
}

void Referee::note_order(uint32_t rank) {
    pes_[rank].behind.clear();
    if (pes_[rank].reader || pes_[rank].gave_up) {
        return;
    }
    for (uint32_t other = 0; other < pes_.size(); other++) {
        if (other != rank && is_surely_queued(other)) {
            pes_[rank].behind.push_back(other);
        }
    }
}

void Referee::check_order(uint32_t rank) {
    for (const uint32_t other : pes_[rank].behind) {
        if (pes_[other].doing == Doing::kAsking && !pes_[other].dead && pes_[other].since <= pes_[rank].since) {
            wrong(fmt::format("PE {} has the lock before PE {}, which was in the queue first", rank, other));
        }
    }
}

void Referee::check_exclusion(uint32_t rank) {
    uint32_t readers = 0;
    uint32_t others = 0;
    for (uint32_t other = 0; other < pes_.size(); other++) {
        if (pes_[other].doing == Doing::kHolding && other != rank) {
            (pes_[other].reader ? readers : others)++;
        }
    }
    const bool fits =
        kind_ == LockKind::kSemaphore ? others < units_ : others == 0 && (readers == 0 || pes_[rank].reader);
    if (!fits) {
        wrong(fmt::format("PE {} is let in while it is taken; in are{}", rank, who_is_in()));
    }
}

// A waiter has a PE to wait for, and is in front of another waiter or behind one.
const char* Referee::role_of(uint32_t rank) const {
    const Pe& pe = pes_[rank];
    if (pe.doing == Doing::kHolding) {
        return pe.reader ? "reading holder" : "holder";
    }
    if (pe.doing != Doing::kAsking) {
        return pe.doing == Doing::kLeaving ? "releaser" : "bystander";
    }
    bool taken = false;
    bool has_earlier = false;
    bool has_later = false;
    for (const Pe& other : pes_) {
        taken = taken || other.doing == Doing::kHolding;
        has_earlier = has_earlier || (other.doing == Doing::kAsking && other.since < pe.since);
        has_later = has_later || (other.doing == Doing::kAsking && other.since > pe.since);
    }
    return !taken        ? "entering PE"
           : has_later   ? (has_earlier ? "waiter between others" : "first waiter")
           : has_earlier ? "last waiter"
                         : "only waiter";
}

std::string Referee::who_is_in() const {
    const char* const names[] = {"", "asks", "holds", "leaves"};
    std::string text;
    for (uint32_t rank = 0; rank < pes_.size(); rank++) {
        if (pes_[rank].doing != Doing::kElse) {
            text += fmt::format(" PE {} ({}{}{} since {} us)", rank, pes_[rank].dead ? "dead, " : "",
                                names[static_cast<int>(pes_[rank].doing)], pes_[rank].reader ? " as a reader" : "",
                                pes_[rank].since / ns_per_us);
        }
    }
    return text;
}

void Referee::check_status(uint32_t rank, int status, const char* call) {
    const uint64_t now = world_->scheduler().now();
    const uint64_t since = excused() ? std::max({pes_[rank].since, excused_at_, moved_at_}) : pes_[rank].since;
    if (status == SYNCLINE_ERR_BROKEN || status == SYNCLINE_ERR_PEER || status == SYNCLINE_ERR_NODE) {
        if (!excused()) {
            wrong(fmt::format("PE {}: {} says '{}', and no PE has died", rank, call, status_text(status)));
        }
        slowest_ = std::max(slowest_, now - since);
        if (now - since > answer_ns_max) {
            wrong(fmt::format("PE {}: {} says '{}' after {} ms only", rank, call, status_text(status),
                              (now - since) / ns_per_ms));
        }
    } else if (status != SYNCLINE_OK && status != SYNCLINE_ERR_TIMEOUT && status != SYNCLINE_ERR_BUSY) {
        wrong(fmt::format("PE {}: {} says '{}'", rank, call, status_text(status)));
    }
}

void Referee::answers(uint32_t rank, int status) {
    Pe& pe = pes_[rank];
    check_status(rank, status, "acquire");
    if (status == SYNCLINE_ERR_TIMEOUT && world_->scheduler().now() < pe.deadline_ns) {
        wrong(fmt::format("PE {} gave up before its deadline", rank));
    }
    if (status == SYNCLINE_ERR_BUSY && pe.deadline_ns != 0) {
        wrong(fmt::format("PE {}: an acquire that may wait says that the lock is busy", rank));
    }
    if (status == SYNCLINE_OK) {
        moved_at_ = world_->scheduler().now();
        grants_++;
        if (pe.deadline_ns != 0) {
            check_order(rank);
        }
        check_exclusion(rank);
    }
    // A reader may be let in past the turnstile, in which it has left a place.
    const bool gives_up = status == SYNCLINE_ERR_TIMEOUT || status == SYNCLINE_ERR_BUSY;
    pe.gave_up = (status != SYNCLINE_OK || pe.reader) && (pe.gave_up || gives_up);
    pe.doing = status == SYNCLINE_OK ? Doing::kHolding : Doing::kElse;
    pe.since = world_->scheduler().now();
}

void Referee::leaves(uint32_t rank) {
    pes_[rank].doing = Doing::kLeaving;
    last_holder_ = static_cast<int>(rank);
    pes_[rank].since = world_->scheduler().now();
}

void Referee::left(uint32_t rank, int status) {
    check_status(rank, status, "release");
    if (status == SYNCLINE_OK) {
        moved_at_ = world_->scheduler().now();
    }
    pes_[rank].doing = Doing::kElse;
}

void Referee::reads(uint32_t rank, int status, uint64_t count) {
    if (status != SYNCLINE_OK) {
        check_status(rank, status, "a get in the critical section");
        return;
    }
    if (certain_ && count != count_) {
        wrong(fmt::format("PE {} finds {} in the guarded counter, which is {}", rank, count, count_));
    }
    count_ = count;
    certain_ = true;
}

}  // namespace syncline::deterministic
