// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/symmetric/group.h"

#include <cstring>

#include "base/check.h"
#include "base/failure.h"
#include "runtime/endpoint/wait_for_pes.h"
#include "runtime/ground/error_text.h"
#include "runtime/symmetric/world.h"

namespace syncline {
namespace {

constexpr uint64_t value_offset = 8;
constexpr int looks = 200;  // before a wait sends posted operations and may sleep

bool are_on_several_nodes(const RankMap& map, const Members& members) {
    const uint32_t first = map.node_of(static_cast<uint32_t>(members.pe(0)));
    for (int member = 1; member < members.size; member++) {
        if (map.node_of(static_cast<uint32_t>(members.pe(member))) != first) {
            return true;
        }
    }
    return false;
}

}  // namespace

Group::Group(World* world, int area, Members members)
    : world_(world),
      endpoint_(&world->endpoint()),
      area_(area),
      members_(std::move(members)),
      me_(members_.find(static_cast<int>(endpoint_->rank()))),
      spans_nodes_(are_on_several_nodes(endpoint_->attachment().job().map, members_)),
      signal_barrier_(this, members_.size, me_) {
    if (area == Workspace::active_sets) {
        consumed_ = world->consumed_of_active_sets();
    } else {
        own_counts_.resize(static_cast<size_t>(members_.size));
        consumed_ = &own_counts_;
    }
    context_ = {endpoint_->batches().open(), members_.start, members_.stride, members_.size,
                members_.list.empty() ? nullptr : members_.list.data()};
    if (!spans_nodes_ && me_ >= 0 && area != Workspace::active_sets) {
        find_node();
    }
}

Group::~Group() {
    endpoint_->batches().close(context_.batch);
}

// Returns the address of the word of a member that this PE writes; the member writes this PE's word at the same
// address.
syncline_address_t Group::word(int member, uint64_t offset) const {
    return world_->workspace().area(area_) + static_cast<uint64_t>(index(member)) * 16 + offset;
}

uint64_t* Group::own(syncline_address_t address) const {
    return static_cast<uint64_t*>(endpoint_->memory().local(address));
}

void Group::find_node() {
    for (int member = 0; member < size(); member++) {
        auto* const node = static_cast<Workspace::Node*>(
            endpoint_->memory().pointer(world(member), world_->workspace().node(area_), sizeof(Workspace::Node)));
        if (node == nullptr) {
            nodes_.clear();  // then all members signal by packets
            return;
        }
        nodes_.push_back(node);
    }
}

const Group::Peer& Group::peer(int member) {
    SYNCLINE_ASSERT(member >= 0 && member < size(), "member %d of %d", member, size());
    if (peers_.empty()) {
        for (int other = 0; other < size(); other++) {
            peers_.push_back({static_cast<uint64_t*>(endpoint_->memory().pointer(world(other), word(me_, 0), 8)),
                              own(word(other, 0)), &(*consumed_)[static_cast<size_t>(index(other))]});
        }
    }
    return peers_[static_cast<size_t>(member)];
}

int Group::signal(int member) {
    const Peer& to = peer(member);
    if (to.mapped != nullptr) {
        __atomic_fetch_add(to.mapped, 1, __ATOMIC_SEQ_CST);
        world_->written(world(member));
        return SYNCLINE_OK;
    }
    const AtomicCall add = {
        .operation = SYNCLINE_ADD | SYNCLINE_64, .rank = world(member), .target = word(me_, 0), .operand = {1, 0}};
    return endpoint_->posting().post(add);
}

bool Group::take(int member, const Step&, uint64_t*) {
    const Peer& from = peer(member);
    const bool has_come = __atomic_load_n(from.own_word, __ATOMIC_ACQUIRE) > *from.consumed;
    *from.consumed += has_come ? 1 : 0;
    return has_come;
}

int Group::await_signal(int member) {
    const Peer& from = peer(member);
    const uint64_t wanted = ++*from.consumed;
    return wait_for_pes(endpoint_, spans_nodes_ ? 0 : looks, world(member), {WaitFor::kPe, world(member)},
                        [&] { return __atomic_load_n(from.own_word, __ATOMIC_ACQUIRE) >= wanted; });
}

// The add of the last member acquires the writes that all others released by their adds, and its store releases them.
int Group::run_node_barrier() {
    SYNCLINE_ASSERT(nodes_.size() == static_cast<size_t>(size()), "%zu of %d members are mapped", nodes_.size(),
                    size());
    Workspace::Node* const node = nodes_[0];
    const uint64_t number = ++node_barriers_;
    SYNCLINE_CHECK_SHARED(__atomic_load_n(&node->opened, __ATOMIC_ACQUIRE) == number - 1, "barrier %lu behind %lu",
                          number, __atomic_load_n(&node->opened, __ATOMIC_ACQUIRE));
    if (__atomic_add_fetch(&node->arrived, 1, __ATOMIC_ACQ_REL) != number * static_cast<uint64_t>(size())) {
        return wait_for_pes(endpoint_, looks, -1, {WaitFor::kPe},
                            [&] { return __atomic_load_n(&node->opened, __ATOMIC_ACQUIRE) >= number; });
    }
    __atomic_store_n(&node->opened, number, __ATOMIC_RELEASE);
    for (int member = 0; member < size() && world_->has_sleepers(); member++) {
        world_->written(world(member));
    }
    return SYNCLINE_OK;
}

int Group::sync() {
    if (numbered_barrier_) {
        return numbered_barrier_->pass();
    }
    return world_->is_crowded() && has_node() ? run_node_barrier() : signal_barrier_.pass();
}

int Group::share(const void* data, size_t bytes) {
    SYNCLINE_ASSERT(me_ >= 0 && static_cast<size_t>(me_) < nodes_.size(), "member %d of %zu", me_, nodes_.size());
    Value& own = nodes_[static_cast<size_t>(me_)]->value[++shares_ & 1];
    own.bytes = bytes;
    if (bytes <= sizeof(own.data)) {
        std::memcpy(own.data, data, bytes);
    }
    return sync();
}

int Group::barrier() {
    const int status = world_->complete(context_);
    return status == SYNCLINE_OK ? sync() : status;
}

int Group::leave_value(int member, uint64_t value) {
    return endpoint_->batches().put(context_.batch, world(member), word(me_, value_offset), &value, sizeof(value));
}

uint64_t Group::own_value(int member) const {
    return __atomic_load_n(own(word(member, value_offset)), __ATOMIC_ACQUIRE);
}

int Group::exchange(uint64_t value, std::vector<uint64_t>* values) {
    int status = SYNCLINE_OK;
    for (int member = 0; member < size() && status == SYNCLINE_OK; member++) {
        status = leave_value(member, value);
    }
    status = status == SYNCLINE_OK ? barrier() : status;
    if (status != SYNCLINE_OK) {
        return status;
    }
    values->clear();
    for (int member = 0; member < size(); member++) {
        values->push_back(own_value(member));
    }
    return sync();
}

void Group::clear() {
    std::memset(own(world_->workspace().area(area_)), 0, static_cast<size_t>(size()) * 16);
    std::memset(endpoint_->memory().local(world_->workspace().node(area_)), 0, sizeof(Workspace::Node));
    std::fill(own_counts_.begin(), own_counts_.end(), 0);
}

int Group::open_numbered_barrier(uint32_t number) {
    std::vector<uint32_t> ranks;
    for (int member = 0; member < size(); member++) {
        ranks.push_back(static_cast<uint32_t>(world(member)));
    }
    try {
        numbered_barrier_ = open_barrier(endpoint_, &world_->process().barrier_history(), number, std::move(ranks), {});
    } catch (const Failure& failure) {
        return error(failure.status(), "{}", failure.what());
    }
    return SYNCLINE_OK;
}

int Group::close_numbered_barrier() {
    const int status = numbered_barrier_ ? numbered_barrier_->close() : static_cast<int>(SYNCLINE_OK);
    numbered_barrier_.reset();
    return status;
}

int Group::reduce_in_barrier(Reduction how, uint64_t value, uint64_t* result) {
    if (!numbered_barrier_ || numbered_barrier_->start(how, value) != SYNCLINE_OK) {
        return SYNCLINE_ERR_UNSUPPORTED;
    }
    const int status = numbered_barrier_->wait();
    *result = numbered_barrier_->result();
    return status;
}

}  // namespace syncline
