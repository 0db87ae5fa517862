// SPDX-License-Identifier: BSD-3-Clause
// The target of the udp and shm transports: all tables in shared memory, executed by the native firmware in the
// daemon's agent (udp) or in the processes (shm's packet path).
#pragma once

#include "daemon/targets/node_target.h"

namespace syncline {

class HostTarget final : public NodeTarget {
  public:
    explicit HostTarget(const Job& job);

    fw_rows* rows() override { return target_.rows; }
    fw_counters counters() override;
    fw_target* native() override { return &target_; }
    std::string description() const override;
    uint64_t untouched() const override;

  protected:
    UniqueFd create_memory(uint64_t bytes) override;
    void install(std::span<const Installed>) override {}
    void make_rows(uint32_t, uint32_t) override {}  // there is room for all rows from the beginning

  private:
    Mapping sources_map_, directory_map_;
    std::vector<Mapping> completions_maps_;
    std::vector<fw_completion*> completions_;
    fw_counters counters_ = {};
    fw_target target_ = {};
};

}  // namespace syncline
