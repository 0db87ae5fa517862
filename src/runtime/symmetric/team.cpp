// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/symmetric/team.h"

#include <bit>

#include "runtime/collective/barrier_numbers.h"
#include "runtime/symmetric/world.h"

namespace syncline {

Team::Team(World* world, int number, Members members)
    : world_(world), number_(number), group_(world, number, std::move(members)) {
    world_->team_numbers()->in_use.fetch_or(1ull << number, std::memory_order_relaxed);
}

Team::~Team() {
    world_->team_numbers()->in_use.fetch_and(~(1ull << number_), std::memory_order_relaxed);
}

int Team::agree_on_number(World* world, Group* parent, int* number) {
    std::vector<uint64_t> at_members;
    const int status = parent->exchange(~world->team_numbers()->in_use.load(std::memory_order_relaxed), &at_members);
    uint64_t free = UINT64_MAX;
    for (const uint64_t at_member : at_members) {
        free &= at_member;
    }
    *number = status == SYNCLINE_OK && free != 0 ? std::countr_zero(free) : -1;
    return status;
}

// Member 0 takes the number and tells the other members.
int Team::open_numbered_barrier() {
    int status = SYNCLINE_OK;
    if (group_.me() == 0) {
        status = take_barrier_number(&world_->endpoint().atomics(), &barrier_number_);
        for (int member = 1; member < group_.size() && status == SYNCLINE_OK; member++) {
            status = group_.leave_value(member, static_cast<uint64_t>(barrier_number_));
        }
    }
    status = status == SYNCLINE_OK ? group_.barrier() : status;
    if (group_.me() != 0) {
        barrier_number_ = static_cast<int>(group_.own_value(0));
    }
    // Only after this may the next collective of a faster member overwrite the value.
    status = status == SYNCLINE_OK ? group_.sync() : status;
    return status == SYNCLINE_OK && barrier_number_ >= 0
               ? group_.open_numbered_barrier(static_cast<uint32_t>(barrier_number_))
               : status;
}

int Team::join() {
    return group_.spans_nodes() ? open_numbered_barrier() : static_cast<int>(SYNCLINE_OK);
}

int Team::leave() {
    const int status = group_.close_numbered_barrier();
    if (status == SYNCLINE_OK && barrier_number_ >= 0 && group_.me() == 0) {
        return give_back_barrier_number(&world_->endpoint().atomics(), barrier_number_);
    }
    return status;
}

}  // namespace syncline
