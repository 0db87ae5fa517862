// SPDX-License-Identifier: BSD-3-Clause
// Memory that one process makes by itself and shares with the processes that it tells.
#include "api/armci/state.h"
#include "api/armci/transfer.h"

using namespace syncline::armci;

namespace {

constexpr long armci_segment_mark = 0x41524d43;

syncline_address_t address_of(const armci_meminfo_t& segment) {
    return static_cast<syncline_address_t>(segment.idlist[0]);
}

void check_segment(const armci_meminfo_t* segment) {
    (void)state();
    if (segment == nullptr) {
        refuse("segment is NULL");
    }
    if (segment->cpid < 0 || segment->cpid >= state().size || segment->idlist[1] != armci_segment_mark) {
        refuse("segment is none that ARMCI_Memget() has described");
    }
}

uint8_t* learn(const armci_meminfo_t& segment) {
    return learn_block(segment.cpid, segment.addr, segment.size, address_of(segment), nullptr);
}

void forget(const armci_meminfo_t& segment) {
    complete(segment.cpid);
    state().blocks[static_cast<size_t>(segment.cpid)].forget(address_of(segment));
}

}  // namespace

extern "C" {

void ARMCI_Memget(size_t bytes, armci_meminfo_t* segment, int flags) {
    const Call call("ARMCI_Memget");
    State& own = state();
    if (segment == nullptr) {
        refuse("segment is NULL");
    }
    if (bytes == 0 || flags != 0) {
        refuse("{} is {}", bytes == 0 ? "bytes" : "flags", bytes == 0 ? 0 : flags);
    }
    uint8_t* const place = own.arena.allocate(bytes);
    if (place == nullptr) {
        refuse("there is no room for {} bytes", bytes);
    }
    *segment = {};
    segment->addr = segment->armci_addr = reinterpret_cast<char*>(place);
    segment->size = bytes;
    segment->cpid = own.me;
    segment->idlist[0] = static_cast<long>(own.arena.address_of(place));
    segment->idlist[1] = armci_segment_mark;
    (void)learn(*segment);
}

void* ARMCI_Memat(armci_meminfo_t* segment, long offset) {
    const Call call("ARMCI_Memat");
    check_segment(segment);
    if (offset < 0 || static_cast<size_t>(offset) > segment->size) {
        refuse("offset is {}, and the segment has {} bytes", offset, segment->size);
    }
    return learn(*segment) + offset;
}

void ARMCI_Memdt(armci_meminfo_t* segment, long) {
    const Call call("ARMCI_Memdt");
    check_segment(segment);
    if (segment->cpid != state().me) {
        forget(*segment);
    }
}

void ARMCI_Memctl(armci_meminfo_t* segment) {
    const Call call("ARMCI_Memctl");
    check_segment(segment);
    forget(*segment);
    if (segment->cpid == state().me && !state().arena.free(segment->addr)) {
        refuse("segment has been freed");
    }
}

}  // extern "C"
