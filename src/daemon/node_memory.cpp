// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/node_memory.h"

#include <unistd.h>

#include <algorithm>

#include "base/failure.h"
#include "base/memory.h"

namespace syncline {
namespace {

void check(const char* what, uint64_t bytes, uint64_t held, uint64_t limit, const std::string& whose) {
    if (held > limit || bytes > limit - held) {
        fail(SYNCLINE_ERR_NO_MEMORY, "{}: {} beside the {} in use on this node are more than {}'s limit of {}", what,
             format_bytes(bytes), format_bytes(held), whose, format_bytes(limit));
    }
}

}  // namespace

NodeMemory::Share::Share(NodeMemory* memory, uid_t owner, uint64_t limit, uint32_t nodes,
                         std::function<uint64_t()> untouched)
    : memory_(memory), owner_(owner), limit_(limit), nodes_(std::max(1u, nodes)), untouched_(std::move(untouched)) {
    memory_->shares_.insert(this);
}

NodeMemory::Share::~Share() {
    [[maybe_unused]] const size_t found = memory_->shares_.erase(this);
    SYNCLINE_ASSERT(found == 1, "%lu bytes of user %u", promised_, owner_);
}

void NodeMemory::Share::promise(const char* what, uint64_t bytes, uint64_t times) {
    check(what, bytes, promised_, limit_, "this job");
    if (owner_ != 0 && owner_ != ::geteuid()) {
        check(what, bytes, memory_->promised_to(owner_), memory_->limit_of_user_, fmt::format("user {}", owner_));
    }
    check(what, bytes, memory_->promised(), memory_->limit_, "the daemon");
    uint64_t untouched = 0;
    for (const Share* const share : memory_->shares_) {
        untouched += share->untouched_();
    }
    const MemoryLeft left = memory_left(memory_->proc_);
    const uint64_t of_node = promisable(left.bytes) / times;
    if (untouched > of_node || bytes > of_node - untouched) {
        fail(SYNCLINE_ERR_NO_MEMORY,
             "{}: {} beside {} that are promised and not in use yet are more than this node's part of the {} that {} "
             "has left",
             what, format_bytes(bytes), format_bytes(untouched), format_bytes(left.bytes), left.whose);
    }
    SYNCLINE_ASSERT(promised_ <= limit_ && bytes <= limit_ - promised_, "%lu and %lu bytes", promised_, bytes);
    promised_ += bytes;
}

uint64_t NodeMemory::promised() const {
    uint64_t sum = 0;
    for (const Share* const share : shares_) {
        sum += share->promised_;
    }
    return sum;
}

uint64_t NodeMemory::promised_to(uid_t user) const {
    uint64_t sum = 0;
    for (const Share* const share : shares_) {
        sum += share->owner_ == user ? share->promised_ : 0;
    }
    return sum;
}

void NodeMemory::set_limits(uint64_t limit, uint64_t limit_of_user) {
    limit_ = limit;
    limit_of_user_ = limit_of_user;
}

}  // namespace syncline
