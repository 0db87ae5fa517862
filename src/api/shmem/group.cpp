// SPDX-License-Identifier: BSD-3-Clause
#include "api/shmem/group.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/clock.h"
#include "base/failure.h"
#include "runtime/process/error_text.h"

namespace syncline::shmem {
namespace {

constexpr uint64_t value_offset = 8;
constexpr int looks = 200;                      // before waiting in earnest
std::vector<uint64_t> consumed_of_active_sets;  // guarded by Runtime::active_sets

uint64_t* own_word(syncline_address_t address) {
    return static_cast<uint64_t*>(runtime->endpoint.local(address));
}

uint32_t node_of(int pe) {
    return runtime->endpoint.node_of(static_cast<uint32_t>(pe));
}

bool spans_nodes(const Members& members) {
    const uint32_t first = node_of(members.world(0));
    for (int member = 1; member < members.size; member++) {
        if (node_of(members.world(member)) != first) {
            return true;
        }
    }
    return false;
}

}  // namespace

Members Members::of(std::vector<int> pes) {
    const int size = static_cast<int>(pes.size());
    const int stride = size > 1 ? pes[1] - pes[0] : 1;
    for (int member = 2; member < size; member++) {
        if (pes[static_cast<size_t>(member)] != pes[0] + member * stride) {
            return {pes[0], 1, size, std::move(pes)};
        }
    }
    return {pes[0], stride, size};
}

Members Members::part(int first, int step, int count) const {
    if (list.empty()) {
        return {world(first), step * stride, count};
    }
    std::vector<int> pes;
    for (int member = 0; member < count; member++) {
        pes.push_back(world(first + member * step));
    }
    return {pes[0], 1, count, std::move(pes)};
}

int Members::find(int pe) const {
    if (!list.empty()) {
        const auto found = std::find(list.begin(), list.end(), pe);
        return found == list.end() ? -1 : static_cast<int>(found - list.begin());
    }
    const int offset = pe - start;
    const int place = size > 1 && stride != 0 && offset % stride == 0 ? offset / stride : offset == 0 ? 0 : -1;
    return place >= 0 && place < size ? place : -1;
}

void forget_active_sets() {
    consumed_of_active_sets.clear();
}

Group::Group(int area, Members members)
    : area_(area),
      members_(std::move(members)),
      size_(members_.size),
      me_(members_.find(runtime->me)),
      spans_nodes_(::syncline::shmem::spans_nodes(members_)) {
    if (area == Workspace::active_sets) {
        consumed_of_active_sets.resize(static_cast<size_t>(runtime->size));
        consumed_ = &consumed_of_active_sets;
    } else {
        own_counts_.resize(static_cast<size_t>(size_));
        consumed_ = &own_counts_;
    }
    describe(&context_);
    context_.batch = runtime->endpoint.open_batch();
    if (!spans_nodes_ && me_ >= 0 && area != Workspace::active_sets) {
        find_node();
    }
}

void Group::describe(Context* context) const {
    context->start = members_.start;
    context->stride = members_.stride;
    context->size = size_;
    context->list = members_.list.empty() ? nullptr : members_.list.data();
}

Group::~Group() {
    runtime->endpoint.close_batch(context_.batch);
}

// Of a member's word that this PE writes, or of the own one that the member writes.
uint64_t Group::word(int member, uint64_t offset) const {
    return workspace.area(area_) + static_cast<uint64_t>(index(member)) * 16 + offset;
}

void Group::find_node() {
    for (int member = 0; member < size_; member++) {
        auto* const node = static_cast<Workspace::Node*>(
            runtime->endpoint.direct(world(member), workspace.node(area_), sizeof(Workspace::Node)));
        if (node == nullptr) {
            nodes_.clear();  // by packets, then
            return;
        }
        nodes_.push_back(node);
    }
}

const Group::Peer& Group::peer(int member) {
    if (peers_.empty()) {
        for (int other = 0; other < size_; other++) {
            peers_.push_back({static_cast<uint64_t*>(runtime->endpoint.direct(world(other), word(me_, 0), 8)),
                              own_word(word(other, 0)), &(*consumed_)[static_cast<size_t>(index(other))]});
        }
    }
    return peers_[static_cast<size_t>(member)];
}

void Group::signal(const char* what, int member) {
    const Peer& to = peer(member);
    if (to.mapped != nullptr) {
        __atomic_fetch_add(to.mapped, 1, __ATOMIC_SEQ_CST);
        written(world(member));
        return;
    }
    AtomicCall add = {.operation = SYNCLINE_ADD | SYNCLINE_64, .rank = world(member), .target = word(me_, 0)};
    add.operand[0] = 1;
    check(what, runtime->endpoint.atomic_post(add));
}

void Group::await_signal(const char* what, int member) {
    const Peer& from = peer(member);
    const uint64_t wanted = ++*from.consumed;
    wait_for(what, spans_nodes_ ? 0 : looks, world(member),
             [&] { return __atomic_load_n(from.own_word, __ATOMIC_ACQUIRE) >= wanted; });
}

// The add of the last member acquires what all others released by theirs, and its store hands that on.
void Group::meet_on_node(const char* what) {
    Workspace::Node* const node = nodes_[0];
    const uint64_t meeting = ++meetings_;
    if (__atomic_add_fetch(&node->arrived, 1, __ATOMIC_ACQ_REL) != meeting * static_cast<uint64_t>(size_)) {
        wait_for(what, looks, -1, [&] { return __atomic_load_n(&node->opened, __ATOMIC_ACQUIRE) >= meeting; });
        return;
    }
    __atomic_store_n(&node->opened, meeting, __ATOMIC_RELEASE);
    for (int member = 0; member < size_ && runtime->somebody_sleeps; member++) {
        written(world(member));
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
    if (runtime->crowded && has_node()) {
        meet_on_node(what);
        return;
    }
    for (int distance = 1; distance < size_; distance *= 2) {
        signal(what, (me_ + distance) % size_);
        await_signal(what, (me_ + size_ - distance) % size_);
    }
}

void Group::share(const char* what, const void* data, size_t bytes) {
    Value& own = nodes_[static_cast<size_t>(me_)]->value[++shares_ & 1];
    own.bytes = bytes;
    if (bytes <= sizeof(own.data)) {
        std::memcpy(own.data, data, bytes);
    }
    sync(what);
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
    std::memset(runtime->endpoint.local(workspace.node(area_)), 0, sizeof(Workspace::Node));
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
