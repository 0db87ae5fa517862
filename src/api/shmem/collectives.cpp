// SPDX-License-Identifier: BSD-3-Clause
// How the collectives move data. Destinations are ready when a collective is called, so a member pushes data there at
// once. On one node a signal tells each member concerned that the data is there; otherwise one barrier at the end does.
// Sources are not ready, so a member pulls from them only between two barriers.
//
// A reduction: each member reduces a slice of the elements, from all members' sources, and puts the result into all
// members' destinations. Only the slice's own reducer reads a slice, and it does so before it writes the slice, so a
// reduction in place works as well. For few bytes, on one node: each member shares its elements and reduces all, with
// one barrier. Every element is combined once, in the order of the members: all get the same bits, also of floating
// point.
#include "api/shmem/collectives.h"

#include <algorithm>
#include <cstring>

#include "api/shmem/rma.h"

namespace syncline::shmem {
namespace {

constexpr size_t piece_bytes = 64 * 1024;  // bytes of a slice that are fetched from all members at a time

uint8_t* at(void* base, size_t offset) {
    return static_cast<uint8_t*>(base) + offset;
}
const uint8_t* at(const void* base, size_t offset) {
    return static_cast<const uint8_t*>(base) + offset;
}

void copy(void* dest, const void* source, size_t bytes) {
    if (dest != source && bytes != 0) {
        std::memmove(dest, source, bytes);
    }
}

// Calls `body` for every member, beginning behind this one, so that not all members write to the same one.
template <typename Body>
void each_member(const Group& group, Body&& body) {
    for (int i = 0; i < group.size(); i++) {
        body((group.me() + 1 + i) % group.size());
    }
}

void push(const Group& group, void* dest, const void* source, size_t bytes, int member) {
    if (member == group.me()) {
        copy(dest, source, bytes);
    } else {
        put(group.context(), dest, source, bytes, member);
    }
}

// Combines elements [first, first + count) of all members' sources, in `result`.
void reduce_piece(const Group& group, std::vector<uint8_t>* scratch, const void* source, size_t first, size_t count,
                  size_t element, Combiner combine) {
    const size_t bytes = count * element;
    scratch->resize(bytes * static_cast<size_t>(group.size()));
    for (int member = 0; member < group.size(); member++) {
        get_nbi(group.context(), at(scratch->data(), bytes * static_cast<size_t>(member)), at(source, first * element),
                bytes, member);
    }
    quiet(group.context());
    for (int member = 1; member < group.size(); member++) {
        combine(scratch->data(), at(scratch->data(), bytes * static_cast<size_t>(member)), count);
    }
}

void check_overlap(const void* dest, size_t dest_bytes, const void* source, size_t source_bytes, Same same) {
    if (__builtin_expect(library->debug, 0)) {
        must_not_overlap(dest, dest_bytes, source, source_bytes, same);
    }
}

// Broadcasts up to 8 bytes with the NICs' barrier: the other members contribute 0.
bool broadcast_in_nic(Group& group, void* dest, const void* source, size_t bytes, int root) {
    uint64_t value = 0;
    if (group.me() == root) {
        std::memcpy(&value, source, bytes);
    }
    if (!reduce_in_barrier(group, Reduction::kOr, value, &value)) {
        return false;
    }
    std::memcpy(dest, &value, bytes);
    return true;
}

}  // namespace

bool reduce_in_barrier(Group& group, Reduction how, uint64_t value, uint64_t* result) {
    const int status = group.reduce_in_barrier(how, value, result);
    if (status != SYNCLINE_ERR_UNSUPPORTED) {
        check(status);
    }
    return status == SYNCLINE_OK;
}

void broadcast(Group& group, void* dest, const void* source, size_t bytes, int root, bool own) {
    if (root < 0 || root >= group.size()) {
        die_of_pe(root, group.size());
    }
    if (own && bytes <= sizeof(uint64_t) && broadcast_in_nic(group, dest, source, bytes, root)) {
        return;
    }
    if (group.me() == root) {
        check_overlap(dest, bytes, source, bytes, Same::kAllowed);
        each_member(group, [&](int member) {
            if (member != root || own) {
                push(group, dest, source, bytes, member);
            }
            if (member != root && !group.spans_nodes()) {
                check(group.signal(member));
            }
        });
    }
    if (group.spans_nodes()) {
        check(group.barrier());
    } else if (group.me() != root) {
        check(group.await_signal(root));
    }
}

// The offset of each member's block, from the blocks' lengths.
struct Blocks {
    size_t own = 0;
    size_t total = 0;

    template <typename LengthOf>
    Blocks(const Group& group, LengthOf&& length_of) {
        for (int member = 0; member < group.size(); member++) {
            own = member == group.me() ? total : own;
            total += length_of(member);
        }
    }
};

// Exchanges lengths, and short blocks with them, with one barrier.
void collect_on_node(Group& group, void* dest, const void* source, size_t bytes) {
    check(group.share(source, bytes));
    const Blocks blocks(group, [&](int member) { return group.of_member(member).bytes; });
    check_overlap(dest, blocks.total, source, bytes, Same::kRefused);
    bool pushed = false;
    size_t offset = 0;
    for (int member = 0; member < group.size(); member++) {
        const Group::Value& value = group.of_member(member);
        if (value.bytes <= Group::small_bytes) {
            copy(at(dest, offset), value.data, value.bytes);
        }
        pushed |= value.bytes > Group::small_bytes;
        offset += value.bytes;
    }
    if (!pushed) {
        return;
    }
    if (bytes > Group::small_bytes) {
        each_member(group, [&](int member) { push(group, at(dest, blocks.own), source, bytes, member); });
    }
    check(group.barrier());
}

void collect(Group& group, void* dest, const void* source, size_t bytes) {
    if (group.has_node()) {
        return collect_on_node(group, dest, source, bytes);
    }
    for (int member = 0; member < group.size(); member++) {
        check(group.leave_value(member, bytes));
    }
    check(group.barrier());
    const Blocks blocks(group, [&](int member) { return group.own_value(member); });
    check_overlap(dest, blocks.total, source, bytes, Same::kRefused);
    each_member(group, [&](int member) { push(group, at(dest, blocks.own), source, bytes, member); });
    check(group.barrier());
}

void fcollect(Group& group, void* dest, const void* source, size_t bytes) {
    const size_t offset = static_cast<size_t>(group.me()) * bytes;
    check_overlap(dest, static_cast<size_t>(group.size()) * bytes, source, bytes, Same::kRefused);
    each_member(group, [&](int member) { push(group, at(dest, offset), source, bytes, member); });
    check(group.barrier());
}

void alltoalls(Group& group, void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems,
               size_t element) {
    const auto block = [&](int member, ptrdiff_t stride) {
        return static_cast<size_t>(member) * nelems * static_cast<size_t>(stride) * element;
    };
    check_overlap(dest, block(group.size(), dst), source, block(group.size(), sst), Same::kRefused);
    each_member(group, [&](int member) {
        void* const to = at(dest, block(group.me(), dst));
        const void* const from = at(source, block(member, sst));
        if (dst == 1 && sst == 1) {
            push(group, to, from, nelems * element, member);
        } else {
            put_strided(group.context(), to, from, {element, dst, sst, 1, nelems}, member);
        }
    });
    check(group.barrier());
}

void reduce(Group& group, void* dest, const void* source, size_t count, size_t element, Combiner combine) {
    check_overlap(dest, count * element, source, count * element, Same::kAllowed);
    if (group.size() == 1) {
        copy(dest, source, count * element);
        return;
    }
    if (group.has_node() && count * element <= Group::small_bytes) {
        check(group.share(source, count * element));
        copy(dest, group.of_member(0).data, count * element);
        for (int member = 1; member < group.size(); member++) {
            combine(dest, group.of_member(member).data, count);
        }
        return;
    }
    const auto members = static_cast<size_t>(group.size());
    const auto me = static_cast<size_t>(group.me());
    const size_t end = count * (me + 1) / members;
    const size_t step = std::max<size_t>(1, piece_bytes / element);
    std::vector<uint8_t> scratch;
    check(group.sync());
    for (size_t first = count * me / members; first < end; first += step) {
        const size_t some = std::min(step, end - first);
        reduce_piece(group, &scratch, source, first, some, element, combine);
        each_member(
            group, [&](int member) { push(group, at(dest, first * element), scratch.data(), some * element, member); });
    }
    check(group.barrier());
}

void scan(Group& group, void* dest, const void* source, size_t count, size_t element, Combiner combine,
          bool inclusive) {
    const size_t bytes = count * element;
    check_overlap(dest, bytes, source, bytes, Same::kAllowed);
    std::vector<uint8_t> sum(bytes);
    std::vector<uint8_t> next(bytes);
    check(group.sync());
    const int last = inclusive ? group.me() : group.me() - 1;
    for (int member = 0; member <= last; member++) {
        get(group.context(), member == 0 ? sum.data() : next.data(), source, bytes, member);
        if (member != 0) {
            combine(sum.data(), next.data(), count);
        }
    }
    check(group.sync());
    copy(dest, sum.data(), bytes);
}

}  // namespace syncline::shmem
