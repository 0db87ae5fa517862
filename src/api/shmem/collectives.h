// SPDX-License-Identifier: BSD-3-Clause
// Collective calls on bytes, for teams and active sets alike.
#pragma once

#include "api/shmem/checks.h"
#include "api/shmem/team.h"

namespace syncline::shmem {

// `own`: whether the root's dest is written, too (teams: yes, active sets: no).
void broadcast(Group& group, void* dest, const void* source, size_t bytes, int root, bool own);
void collect(Group& group, void* dest, const void* source, size_t bytes);
void fcollect(Group& group, void* dest, const void* source, size_t bytes);
// Each member sends `nelems` elements to each member; they are `dst` and `sst` elements apart.
void alltoalls(Group& group, void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems,
               size_t element);

// Runs one round of the NICs' barrier with a value. Returns false if the group has no such barrier, or it cannot
// combine in this way.
bool reduce_in_barrier(Group& group, Reduction how, uint64_t value, uint64_t* result);

// into[i] = into[i] combined with from[i].
using Combiner = void (*)(void* into, const void* from, size_t count);
void reduce(Group& group, void* dest, const void* source, size_t count, size_t element, Combiner combine);
// Combines the sources of the members before this one, and its own if `inclusive`; otherwise the first one gets zeros.
void scan(Group& group, void* dest, const void* source, size_t count, size_t element, Combiner combine, bool inclusive);

// Calls `body` with the group of an active set (PE_start, then 2^logPE_stride apart), one such call at a time. A PE
// that is not in the set takes no part and returns at once: programs let all PEs make the call, and other libraries
// allow that.
template <typename Body>
void in_active_set(int start, int log_stride, int size, Body&& body) {
    Library& state = about_to_wait();
    const int stride = size > 1 && log_stride >= 0 && log_stride < 31 ? 1 << log_stride : 1;
    const int64_t last = start + (static_cast<int64_t>(size) - 1) * stride;
    if (start < 0 || log_stride < 0 || (size > 1 && log_stride > 30) || size < 1 || last >= state.size) {
        die(fmt::format("the active set of {} PEs from {}, 2^{} apart, is not within the PEs 0 to {}", size, start,
                        log_stride, state.size - 1));
    }
    if (state.me < start || state.me > last || (state.me - start) % stride != 0) {
        return;
    }
    const std::lock_guard<std::mutex> guard(state.world.active_sets());
    const auto call = [&](Group& group) {
        if (__builtin_expect(state.debug, 0)) {
            agree(group, {});
        }
        body(group);
    };
    if (size == state.size) {
        call(state.all->group());  // it has more kinds of barriers than a set has
    } else {
        Group group(&state.world, Workspace::active_sets, Members{start, stride, size});
        call(group);
    }
}

}  // namespace syncline::shmem
