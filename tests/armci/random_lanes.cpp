// SPDX-License-Identifier: BSD-3-Clause
#include "random_lanes.h"

namespace armci_test {

Lanes::Lanes(Random* random)
    : random_(random),
      blocks_(lanes * lane_bytes * static_cast<size_t>(size())),
      lanes_(static_cast<size_t>(size()), std::vector<Lane>(lanes)),
      aggregates_(static_cast<size_t>(size())) {
    for (armci_hdl_t& handle : aggregates_) {
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_SET_AGGREGATE_HANDLE(&handle);
    }
}

Lanes::Lane& Lanes::lane() const {
    return lanes_[static_cast<size_t>(process_)][static_cast<size_t>(lane_)];
}

uint8_t* Lanes::there() const {
    return blocks_.at(process_) + static_cast<size_t>(me() * lanes + lane_) * lane_bytes;
}

void Lanes::step() {
    process_ = random_->between(0, size() - 1);
    lane_ = random_->between(0, lanes - 1);
    const int kind = random_->between(0, 9);
    if (kind == 9) {
        return complete();
    }
    finish(&lane());
    random_->fill(lane().local.data(), lane_bytes);
    switch (kind) {
        case 0:
        case 1:
        case 2:
            return transfer(false);
        case 3:
        case 4:
            return transfer(true);
        case 5:
            return accumulate();
        case 6:
            return read_modify_write();
        case 7:
            return put_with_flag();
        default:
            return use_values();
    }
}

armci_hdl_t* Lanes::draw_handle(bool* blocking) {
    Lane& one = lane();
    *blocking = random_->below(2) == 0;
    if (*blocking) {
        return nullptr;
    }
    constexpr Under ways[] = {Under::kHandle, Under::kAggregate, Under::kImplicit};
    one.under = ways[random_->below(3)];
    return one.under == Under::kHandle      ? &one.handle
           : one.under == Under::kAggregate ? &aggregates_[static_cast<size_t>(process_)]
                                            : nullptr;
}

void Lanes::move_range(bool get, bool blocking, armci_hdl_t* handle) {
    Lane& one = lane();
    const size_t from = random_->below(100), to = random_->below(100), bytes = random_->below(lane_bytes - 100);
    const int count = static_cast<int>(bytes);
    if (get) {
        CHECK((blocking ? ARMCI_Get(there() + from, one.local.data() + to, count, process_)
                        : ARMCI_NbGet(there() + from, one.local.data() + to, count, process_, handle)) == 0);
        std::memcpy(one.wanted.data() + to, one.model.data() + from, bytes);
    } else {
        CHECK((blocking ? ARMCI_Put(one.local.data() + from, there() + to, count, process_)
                        : ARMCI_NbPut(one.local.data() + from, there() + to, count, process_, handle)) == 0);
        std::memcpy(one.model.data() + to, one.local.data() + from, bytes);
    }
}

void Lanes::move_section(bool get, bool blocking, armci_hdl_t* handle) {
    Lane& one = lane();
    Section section = draw_section(random_, size_t{1} << random_->below(4), lane_bytes);
    uint8_t* const here = one.local.data();
    if (get) {
        CHECK((blocking
                   ? ARMCI_GetS(there(), section.remote, here, section.local, section.count, section.levels, process_)
                   : ARMCI_NbGetS(there(), section.remote, here, section.local, section.count, section.levels, process_,
                                  handle)) == 0);
    } else {
        CHECK((blocking
                   ? ARMCI_PutS(here, section.local, there(), section.remote, section.count, section.levels, process_)
                   : ARMCI_NbPutS(here, section.local, there(), section.remote, section.count, section.levels, process_,
                                  handle)) == 0);
    }
    for_each_run(section, [&](size_t local, size_t remote) {
        const auto bytes = static_cast<size_t>(section.count[0]);
        get ? std::memcpy(one.wanted.data() + local, one.model.data() + remote, bytes)
            : std::memcpy(one.model.data() + remote, here + local, bytes);
    });
}

void Lanes::move_list(bool get, bool blocking, armci_hdl_t* handle) {
    Lane& one = lane();
    const List list = draw_list(random_, size_t{1} << random_->below(3), lane_bytes);
    uint8_t* const here = one.local.data();
    Giov pieces(list, get ? there() : here, !get, get ? here : there());
    if (get) {
        CHECK((blocking ? ARMCI_GetV(pieces.data(), pieces.length(), process_)
                        : ARMCI_NbGetV(pieces.data(), pieces.length(), process_, handle)) == 0);
    } else {
        CHECK((blocking ? ARMCI_PutV(pieces.data(), pieces.length(), process_)
                        : ARMCI_NbPutV(pieces.data(), pieces.length(), process_, handle)) == 0);
    }
    for_each_piece(list, [&](size_t local, size_t remote, size_t bytes) {
        get ? std::memcpy(one.wanted.data() + local, one.model.data() + remote, bytes)
            : std::memcpy(one.model.data() + remote, here + local, bytes);
    });
}

void Lanes::transfer(bool get) {
    bool blocking = true;
    armci_hdl_t* const handle = draw_handle(&blocking);
    if (get) {
        lane().wanted = lane().local;
    }
    switch (random_->below(3)) {
        case 0:
            move_range(get, blocking, handle);
            break;
        case 1:
            move_section(get, blocking, handle);
            break;
        default:
            move_list(get, blocking, handle);
    }
    if (blocking) {
        ended(&lane());
    }
}

// They are of longs: any bytes are such numbers, and sums wrap around.
void Lanes::accumulate() {
    Lane& one = lane();
    bool blocking = true;
    armci_hdl_t* const handle = draw_handle(&blocking);
    long scale = random_->between(-3, 3);
    uint8_t* const here = one.local.data();
    const auto add = [&](size_t local, size_t remote, size_t bytes) {
        for (size_t i = 0; i < bytes; i += sizeof(long)) {
            unsigned long sum = 0, term = 0;
            std::memcpy(&sum, one.model.data() + remote + i, sizeof(sum));
            std::memcpy(&term, here + local + i, sizeof(term));
            sum += static_cast<unsigned long>(scale) * term;
            std::memcpy(one.model.data() + remote + i, &sum, sizeof(sum));
        }
    };
    if (random_->below(2) == 0) {
        Section section = draw_section(random_, sizeof(long), lane_bytes);
        CHECK((blocking ? ARMCI_AccS(ARMCI_ACC_LNG, &scale, here, section.local, there(), section.remote, section.count,
                                     section.levels, process_)
                        : ARMCI_NbAccS(ARMCI_ACC_LNG, &scale, here, section.local, there(), section.remote,
                                       section.count, section.levels, process_, handle)) == 0);
        for_each_run(section,
                     [&](size_t local, size_t remote) { add(local, remote, static_cast<size_t>(section.count[0])); });
    } else {
        const List list = draw_list(random_, sizeof(long), lane_bytes);
        Giov pieces(list, here, true, there());
        CHECK((blocking ? ARMCI_AccV(ARMCI_ACC_LNG, &scale, pieces.data(), pieces.length(), process_)
                        : ARMCI_NbAccV(ARMCI_ACC_LNG, &scale, pieces.data(), pieces.length(), process_, handle)) == 0);
        for_each_piece(list, add);
    }
}

void Lanes::read_modify_write() {
    const size_t at = random_->below(lane_bytes / sizeof(long)) * sizeof(long);
    const bool swap = random_->below(2) == 0;
    long local = random_->between(-1000, 1000), before = 0;
    const int extra = random_->between(-1000, 1000);
    const long stored = local;
    std::memcpy(&before, lane().model.data() + at, sizeof(before));
    CHECK(ARMCI_Rmw(swap ? ARMCI_SWAP_LONG : ARMCI_FETCH_AND_ADD_LONG, &local, there() + at, extra, process_) == 0);
    CHECK_THAT(local == before, "{}, expected {}", local, before);
    const long after =
        swap ? stored : static_cast<long>(static_cast<unsigned long>(before) + static_cast<unsigned long>(extra));
    std::memcpy(lane().model.data() + at, &after, sizeof(after));
}

// The flag is the lane's last number, behind the data.
void Lanes::put_with_flag() {
    Lane& one = lane();
    const int value = random_->between(-1000, 1000);
    auto* const flag = reinterpret_cast<int*>(there() + lane_bytes - sizeof(int));
    if (random_->below(2) == 0) {
        const size_t bytes = random_->below(lane_bytes - sizeof(int));
        CHECK(ARMCI_Put_flag(one.local.data(), there(), static_cast<int>(bytes), flag, value, process_) == 0);
        std::memcpy(one.model.data(), one.local.data(), bytes);
    } else {
        Section section = draw_section(random_, 1, lane_bytes - sizeof(int));
        CHECK(ARMCI_PutS_flag(one.local.data(), section.local, there(), section.remote, section.count, section.levels,
                              flag, value, process_) == 0);
        for_each_run(section, [&](size_t local, size_t remote) {
            std::memcpy(one.model.data() + remote, one.local.data() + local, static_cast<size_t>(section.count[0]));
        });
    }
    std::memcpy(one.model.data() + lane_bytes - sizeof(int), &value, sizeof(value));
}

void Lanes::use_values() {
    const size_t at = random_->below(lane_bytes / sizeof(long)) * sizeof(long);
    long expected = 0;
    std::memcpy(&expected, lane().model.data() + at, sizeof(expected));
    CHECK(ARMCI_GetValueLong(there() + at, process_) == expected);
    const long value = static_cast<long>(random_->next());
    if (random_->below(2) == 0) {
        CHECK(ARMCI_PutValueLong(value, there() + at, process_) == 0);
    } else {
        CHECK(ARMCI_NbPutValueLong(value, there() + at, process_, nullptr) == 0);
        lane().under = Under::kImplicit;
    }
    std::memcpy(lane().model.data() + at, &value, sizeof(value));
}

void Lanes::ended(Lane* one) {
    one->under = Under::kNothing;
    if (!one->wanted.empty()) {
        CHECK_SAME(one->local.data(), one->wanted.data(), lane_bytes);
        one->wanted.clear();
    }
}

void Lanes::implicit_ended(int process) {
    for (Lane& one : lanes_[static_cast<size_t>(process)]) {
        if (one.under == Under::kImplicit) {
            ended(&one);
        }
    }
}

void Lanes::complete() {
    switch (random_->below(4)) {
        case 0:
            CHECK(ARMCI_WaitProc(process_) == 0);
            return implicit_ended(process_);
        case 1:
            CHECK(ARMCI_WaitAll() == 0);
            for (int process = 0; process < size(); process++) {
                implicit_ended(process);
            }
            return;
        case 2:
            return ARMCI_Fence(process_);
        default:
            return ARMCI_AllFence();
    }
}

void Lanes::finish(Lane* one) {
    if (one->under == Under::kImplicit) {
        CHECK(ARMCI_WaitProc(process_) == 0);
        implicit_ended(process_);
    } else if (one->under == Under::kAggregate) {
        CHECK(ARMCI_Wait(&aggregates_[static_cast<size_t>(process_)]) == 0);
        for (Lane& other : lanes_[static_cast<size_t>(process_)]) {
            if (other.under == Under::kAggregate) {
                ended(&other);
            }
        }
    } else if (one->under == Under::kHandle) {
        while (random_->below(2) == 0 && ARMCI_Test(&one->handle) != 0) {
        }
        CHECK(ARMCI_Wait(&one->handle) == 0);
        ended(one);
    }
}

void Lanes::finish_all() {
    for (process_ = 0; process_ < size(); process_++) {
        for (lane_ = 0; lane_ < lanes; lane_++) {
            finish(&lane());
        }
    }
}

void Lanes::compare_at_targets() {
    constexpr int tag = 99;
    std::vector<uint8_t> all(lanes * lane_bytes);
    for (int distance = 0; distance < size(); distance++) {
        for (size_t i = 0; i < lanes; i++) {
            const Lane& one = lanes_[static_cast<size_t>(next(distance))][i];
            std::memcpy(all.data() + i * lane_bytes, one.model.data(), lane_bytes);
        }
        armci_msg_snd(tag, all.data(), static_cast<int>(all.size()), next(distance));
    }
    for (int from = 0; from < size(); from++) {
        int length = 0;
        armci_msg_rcv(tag, all.data(), static_cast<int>(all.size()), &length, from);
        const std::string differs =
            difference(blocks_.own() + static_cast<size_t>(from) * all.size(), all.data(), all.size());
        CHECK_THAT(differs.empty(), "of process {}: {}", from, differs);
    }
    armci_msg_barrier();
}

}  // namespace armci_test
