// SPDX-License-Identifier: BSD-3-Clause
// The target of the xdp transport. It is a place in the firmware loaded as an XDP program (nic_programs.h), to which
// the dispatcher on the node's interface passes the job's frames, and the place's maps, which the processes map.
// Descriptors of this process hold all of it: when the process ends, in whichever way, the kernel detaches the
// dispatcher and frees the maps that no other process holds. In a program that nodes share, the others' daemons hold
// this node's maps, which no frame reaches then. In a program that jobs share, the maps leave the place when the job
// ends.
#pragma once

#include "daemon/targets/nic_programs.h"
#include "daemon/targets/node_target.h"

namespace syncline {

class XdpTarget final : public NodeTarget {
  public:
    // `programs` outlives it.
    XdpTarget(const Job& job, NicPrograms* programs);
    ~XdpTarget() override;

    int ring_fd(uint32_t port) const override { return ring_fds_[port].get(); }
    fw_rows* rows() override { return rows_map_.at<fw_rows>(); }
    fw_counters counters() override;
    std::string description() const override;
    bool has_answered(uint32_t node) const override;
    std::string obstacle() const override;

  protected:
    UniqueFd create_memory(uint64_t bytes) override;
    void install(std::span<const Installed> all) override;
    void uninstall(uint32_t index) override;
    void make_rows(uint32_t first, uint32_t more) override;

  private:
    void make_tables();
    void make_peers();
    void enter_tables();
    std::vector<UniqueFd> make_fans() const;
    void take_frames();
    void leave();
    uint64_t node_key() const;
    uint32_t placed(uint32_t segment) const;

    UniqueFd rows_fd_, peers_fd_;
    Mapping rows_map_;
    std::vector<UniqueFd> ring_fds_;
    NicPlace at_;
    uint32_t chunks_ = 0;   // chunks of rows that have been entered
    bool is_open_ = false;  // the program knows the node
};

}  // namespace syncline
