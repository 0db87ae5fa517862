// SPDX-License-Identifier: BSD-3-Clause
// Memory at each process that only this process writes, in lanes, with a copy of the expected contents.
#pragma once

#include "section.h"

namespace armci_test {

class Lanes {
  public:
    explicit Lanes(Random* random);

    // Makes any call on any lane. If a call is under way on the lane, ends it first and compares its result.
    void step();
    void finish_all();
    // Collective, after a barrier: each process sends its copies, and the receivers compare them with their memory.
    void compare_at_targets();

  private:
    static constexpr int lanes = 6;
    static constexpr size_t lane_bytes = 1024;
    enum class Under { kNothing, kHandle, kAggregate, kImplicit };  // way

    struct Lane {
        Under under = Under::kNothing;
        armci_hdl_t handle = {};
        std::vector<uint8_t> local = std::vector<uint8_t>(lane_bytes);
        std::vector<uint8_t> model = local;
        std::vector<uint8_t> wanted;  // `local` after a get
    };

    Lane& lane() const;
    uint8_t* there() const;
    armci_hdl_t* draw_handle(bool* blocking);
    void move_section(bool get, bool blocking, armci_hdl_t* handle);
    void move_list(bool get, bool blocking, armci_hdl_t* handle);
    void move_range(bool get, bool blocking, armci_hdl_t* handle);
    void transfer(bool get);
    void accumulate();
    void read_modify_write();
    void put_with_flag();
    void use_values();
    void complete();
    void finish(Lane* lane);
    void ended(Lane* lane);
    void implicit_ended(int process);

    Random* const random_;
    const Blocks<uint8_t> blocks_;
    mutable std::vector<std::vector<Lane>> lanes_;  // by process
    std::vector<armci_hdl_t> aggregates_;           // by process
    int process_ = 0, lane_ = 0;                    // process and lane of this step
};

}  // namespace armci_test
