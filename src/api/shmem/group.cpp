// SPDX-License-Identifier: BSD-3-Clause
#include "api/shmem/group.h"

#include <cstring>
#include <numeric>

#include "base/clock.h"
#include "base/failure.h"
#include "core/barrier.h"
#include "core/error_text.h"

namespace syncline::shmem {
namespace {

constexpr uint64_t value_offset = 8;
constexpr int looks = 200;                         // before waiting in earnest
constexpr uint64_t patience_ns = 500 * ns_per_ms;  // before the PE that is waited for is asked
std::vector<uint64_t> consumed_of_active_sets;     // guarded by Runtime::active_sets

uint64_t* own_word(syncline_address_t address) {
    return static_cast<uint64_t*>(runtime->endpoint.local(address));
}

uint32_t node_of(int pe) {
    return runtime->endpoint.node_of(static_cast<uint32_t>(pe));
}

}  // namespace

void forget_active_sets() {
    consumed_of_active_sets.clear();
}

Group::Group(int area, int start, int stride, int size)
    : area_(area),
      start_(start),
      stride_(stride),
      size_(size),
      spans_nodes_(node_of(start) != node_of(start + (size - 1) * stride)) {
    const int offset = runtime->me - start;
    const int place = size > 1 && stride != 0 && offset % stride == 0 ? offset / stride : offset == 0 ? 0 : -1;
    me_ = place < size ? place : -1;
    if (area == Workspace::active_sets) {
        consumed_of_active_sets.resize(static_cast<size_t>(runtime->size));
        consumed_ = &consumed_of_active_sets;
    } else {
        own_counts_.resize(static_cast<size_t>(size));
        consumed_ = &own_counts_;
    }
    context_.start = start;
    context_.stride = stride;
    context_.size = size;
    context_.batch = runtime->endpoint.open_batch();
}

Group::~Group() {
    runtime->endpoint.close_batch(context_.batch);
}

// Of a member's word that this PE writes, or of the own one that the member writes.
uint64_t Group::word(int member, uint64_t offset) const {
    return workspace.area(area_) + static_cast<uint64_t>(index(member)) * 16 + offset;
}

void Group::find_rounds() {
    for (int distance = 1; distance < size_; distance *= 2) {
        Round round;
        round.to = (me_ + distance) % size_;
        round.from = (me_ + size_ - distance) % size_;
        round.mapped = static_cast<uint64_t*>(runtime->endpoint.direct(world(round.to), word(me_, 0), 8));
        round.own_word = own_word(word(round.from, 0));
        round.consumed = &(*consumed_)[static_cast<size_t>(index(round.from))];
        rounds_.push_back(round);
    }
}

void Group::signal(const char* what, const Round& round) {
    const int pe = world(round.to);
    if (round.mapped != nullptr) {
        __atomic_fetch_add(round.mapped, 1, __ATOMIC_SEQ_CST);
        written(pe);
        return;
    }
    AtomicCall add = {.operation = SYNCLINE_ADD | SYNCLINE_64, .rank = pe, .target = word(me_, 0)};
    add.operand[0] = 1;
    check(what, runtime->endpoint.atomic_post(add));
}

void Group::await(const char* what, const Round& round) {
    const uint64_t wanted = ++*round.consumed;
    const auto has_come = [&] { return __atomic_load_n(round.own_word, __ATOMIC_ACQUIRE) >= wanted; };
    if (!spans_nodes_) {
        for (int look = 0; look < looks; look++) {
            if (has_come()) {
                return;
            }
            cpu_relax();
        }
    }
    const int pe = world(round.from);
    for (;;) {
        const int waited = runtime->endpoint.wait_for(has_come, now_ns() + patience_ns);
        if (waited == SYNCLINE_OK) {
            return;
        }
        if (waited != SYNCLINE_ERR_TIMEOUT) {
            die(what, syncline_error_string(waited));
        }
        if (probe(&runtime->endpoint, static_cast<uint32_t>(pe)) != SYNCLINE_OK) {
            die(what, fmt::format("PE {} is gone, the others wait for it in vain", pe));
        }
    }
}

void Group::sync(const char* what) {
    if (meeting_) {
        int status = meeting_->start(FW_COMBINE_NONE, 0);
        if (status == SYNCLINE_OK) {
            status = meeting_->wait();
        }
        check(what, status);
        return;
    }
    if (rounds_.empty()) {
        find_rounds();
    }
    for (const Round& round : rounds_) {
        signal(what, round);
        await(what, round);
    }
}

void Group::barrier(const char* what) {
    quiet(what, context_);
    sync(what);
}

void Group::leave_value(const char* what, int member, uint64_t value) {
    check(what,
          runtime->endpoint.put_in(context_.batch, world(member), word(me_, value_offset), &value, sizeof(value)));
}

uint64_t Group::own_value(int member) const {
    return __atomic_load_n(own_word(word(member, value_offset)), __ATOMIC_ACQUIRE);
}

std::vector<uint64_t> Group::exchange(const char* what, uint64_t value) {
    for (int member = 0; member < size_; member++) {
        leave_value(what, member, value);
    }
    barrier(what);
    std::vector<uint64_t> values;
    for (int member = 0; member < size_; member++) {
        values.push_back(own_value(member));
    }
    sync(what);
    return values;
}

void Group::clear() {
    std::memset(own_word(workspace.area(area_)), 0, static_cast<size_t>(size_) * 16);
    std::fill(own_counts_.begin(), own_counts_.end(), 0);
}

void Group::open_meeting(const char* what, uint32_t number) {
    std::vector<uint32_t> ranks;
    for (int member = 0; member < size_; member++) {
        ranks.push_back(static_cast<uint32_t>(world(member)));
    }
    try {
        meeting_ = std::make_unique<Meeting>(&runtime->endpoint, number, std::move(ranks), Meeting::Options{});
    } catch (const Failure& failure) {
        die(what, failure.what());
    }
}

void Group::close_meeting(const char* what) {
    if (meeting_) {
        check(what, meeting_->close());
        meeting_.reset();
    }
}

bool Group::reduce_in_nic(const char* what, fw_combine how, uint64_t value, uint64_t* result) {
    if (!meeting_ || meeting_->start(how, value) != SYNCLINE_OK) {
        return false;
    }
    check(what, meeting_->wait());
    *result = meeting_->result();
    return true;
}

}  // namespace syncline::shmem
