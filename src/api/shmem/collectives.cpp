// SPDX-License-Identifier: BSD-3-Clause
// How the collectives move data. Destinations are ready when a collective is called, so data is pushed there at once.
// On one node a signal to each member that it concerns says that it is there; else one barrier at the end does. Sources
// are not ready, so what is pulled is pulled between two meetings.
//
// A reduction: each member reduces a slice of the elements, of all members' sources, and puts the result into all
// members' destinations. A slice is read by its own reducer only, and before it is written, so in place is the same.
// Few bytes, on one node: each member shares its own and reduces all, with one meeting. Every element is combined once,
// in the order of the members: all get the same bits, also of floating point.
#include "api/shmem/collectives.h"

#include <algorithm>
#include <cstring>

#include "api/shmem/rma.h"

namespace syncline::shmem {
namespace {

constexpr size_t piece_bytes = 64 * 1024;  // of a slice, that are fetched from all members at a time

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

// To every member, beginning behind this one, so that not all write to the same.
template <typename Body>
void each_member(const Group& group, Body&& body) {
    for (int i = 0; i < group.size(); i++) {
        body((group.me() + 1 + i) % group.size());
    }
}

void push(const char* what, const Group& group, void* dest, const void* source, size_t bytes, int member) {
    if (member == group.me()) {
        copy(dest, source, bytes);
    } else {
        put(what, group.context(), dest, source, bytes, member);
    }
}

// Elements [first, first + count) of all members' sources, combined, in `result`.
void reduce_piece(const char* what, const Group& group, std::vector<uint8_t>* scratch, const void* source, size_t first,
                  size_t count, size_t element, Combine combine) {
    const size_t bytes = count * element;
    scratch->resize(bytes * static_cast<size_t>(group.size()));
    for (int member = 0; member < group.size(); member++) {
        get_nbi(what, group.context(), at(scratch->data(), bytes * static_cast<size_t>(member)),
                at(source, first * element), bytes, member);
    }
    quiet(what, group.context());
    for (int member = 1; member < group.size(); member++) {
        combine(scratch->data(), at(scratch->data(), bytes * static_cast<size_t>(member)), count);
    }
}

void check_overlap(const char* what, const void* dest, size_t dest_bytes, const void* source, size_t source_bytes,
                   Same same) {
    if (__builtin_expect(runtime->debug, 0)) {
        must_not_overlap(what, dest, dest_bytes, source, source_bytes, same);
    }
}

// Up to 8 bytes travel with the NICs' barrier: the others' part of them is 0.
bool broadcast_in_nic(const char* what, Group& group, void* dest, const void* source, size_t bytes, int root) {
    uint64_t value = 0;
    if (group.me() == root) {
        std::memcpy(&value, source, bytes);
    }
    if (!group.reduce_in_nic(what, FW_COMBINE_OR, value, &value)) {
        return false;
    }
    std::memcpy(dest, &value, bytes);
    return true;
}

}  // namespace

void broadcast(const char* what, Group& group, void* dest, const void* source, size_t bytes, int root, bool own) {
    if (root < 0 || root >= group.size()) {
        die_of_pe(what, root, group.size());
    }
    if (own && bytes <= sizeof(uint64_t) && broadcast_in_nic(what, group, dest, source, bytes, root)) {
        return;
    }
    if (group.me() == root) {
        check_overlap(what, dest, bytes, source, bytes, Same::kAllowed);
        each_member(group, [&](int member) {
            if (member != root || own) {
                push(what, group, dest, source, bytes, member);
            }
            if (member != root && !group.spans_nodes()) {
                group.signal(what, member);
            }
        });
    }
    if (group.spans_nodes()) {
        group.barrier(what);
    } else if (group.me() != root) {
        group.await_signal(what, root);
    }
}

// Where each member's block begins, from their lengths.
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

// Lengths, and what is short enough, with one meeting.
void collect_on_node(const char* what, Group& group, void* dest, const void* source, size_t bytes) {
    group.share(what, source, bytes);
    const Blocks blocks(group, [&](int member) { return group.of_member(member).bytes; });
    check_overlap(what, dest, blocks.total, source, bytes, Same::kRefused);
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
        each_member(group, [&](int member) { push(what, group, at(dest, blocks.own), source, bytes, member); });
    }
    group.barrier(what);
}

void collect(const char* what, Group& group, void* dest, const void* source, size_t bytes) {
    if (group.has_node()) {
        return collect_on_node(what, group, dest, source, bytes);
    }
    for (int member = 0; member < group.size(); member++) {
        group.leave_value(what, member, bytes);
    }
    group.barrier(what);
    const Blocks blocks(group, [&](int member) { return group.own_value(member); });
    check_overlap(what, dest, blocks.total, source, bytes, Same::kRefused);
    each_member(group, [&](int member) { push(what, group, at(dest, blocks.own), source, bytes, member); });
    group.barrier(what);
}

void fcollect(const char* what, Group& group, void* dest, const void* source, size_t bytes) {
    const size_t offset = static_cast<size_t>(group.me()) * bytes;
    check_overlap(what, dest, static_cast<size_t>(group.size()) * bytes, source, bytes, Same::kRefused);
    each_member(group, [&](int member) { push(what, group, at(dest, offset), source, bytes, member); });
    group.barrier(what);
}

void alltoalls(const char* what, Group& group, void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst,
               size_t nelems, size_t element) {
    const auto block = [&](int member, ptrdiff_t stride) {
        return static_cast<size_t>(member) * nelems * static_cast<size_t>(stride) * element;
    };
    check_overlap(what, dest, block(group.size(), dst), source, block(group.size(), sst), Same::kRefused);
    each_member(group, [&](int member) {
        void* const to = at(dest, block(group.me(), dst));
        const void* const from = at(source, block(member, sst));
        if (dst == 1 && sst == 1) {
            push(what, group, to, from, nelems * element, member);
        } else {
            put_strided(what, group.context(), to, from, {element, dst, sst, 1, nelems}, member);
        }
    });
    group.barrier(what);
}

void reduce(const char* what, Group& group, void* dest, const void* source, size_t count, size_t element,
            Combine combine) {
    check_overlap(what, dest, count * element, source, count * element, Same::kAllowed);
    if (group.size() == 1) {
        copy(dest, source, count * element);
        return;
    }
    if (group.has_node() && count * element <= Group::small_bytes) {
        group.share(what, source, count * element);
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
    group.sync(what);
    for (size_t first = count * me / members; first < end; first += step) {
        const size_t some = std::min(step, end - first);
        reduce_piece(what, group, &scratch, source, first, some, element, combine);
        each_member(group, [&](int member) {
            push(what, group, at(dest, first * element), scratch.data(), some * element, member);
        });
    }
    group.barrier(what);
}

void scan(const char* what, Group& group, void* dest, const void* source, size_t count, size_t element, Combine combine,
          bool inclusive) {
    const size_t bytes = count * element;
    check_overlap(what, dest, bytes, source, bytes, Same::kAllowed);
    std::vector<uint8_t> sum(bytes);
    std::vector<uint8_t> next(bytes);
    group.sync(what);
    const int last = inclusive ? group.me() : group.me() - 1;
    for (int member = 0; member <= last; member++) {
        get(what, group.context(), member == 0 ? sum.data() : next.data(), source, bytes, member);
        if (member != 0) {
            combine(sum.data(), next.data(), count);
        }
    }
    group.sync(what);
    copy(dest, sum.data(), bytes);
}

}  // namespace syncline::shmem
