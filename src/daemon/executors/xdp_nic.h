// SPDX-License-Identifier: BSD-3-Clause
// The NIC of the xdp transport: the firmware loaded as an XDP program, to which the dispatcher on the node's interface
// goes on with the job's frames, and its maps mapped by the processes. Everything hangs on descriptors of this process:
// when it ends, however it ends, the kernel detaches the program and frees the maps that no other process holds.
#pragma once

#include "daemon/executors/node_nic.h"

struct nic_bpf;

namespace syncline {

class XdpDispatcher;

class XdpNic final : public NodeNic {
  public:
    explicit XdpNic(const Job& job);
    ~XdpNic() override;

    int ports_fd() const override;
    int completions_fd(uint32_t port) const override { return completions_fds_[port].get(); }
    int images_fd(uint32_t port) const override { return images_fds_[port].get(); }
    int barriers_fd() const override;
    int sources_fd() const override;
    int directory_fd() const override;
    int ring_fd(uint32_t port) const override { return ring_fds_[port].get(); }
    fw_port* ports() override { return ports_map_.at<fw_port>(); }
    fw_barrier* barriers() override { return barriers_map_.at<fw_barrier>(); }
    fw_rows* rows() override { return rows_map_.at<fw_rows>(); }
    fw_counters counters() override;
    std::string description() const override;
    bool has_answered(uint32_t node) const override;
    std::string obstacle() const override;

  protected:
    UniqueFd create_memory(uint64_t bytes) override;
    void install(uint32_t index, const fw_segment& entry, int memory_fd) override;
    void uninstall(uint32_t index) override;
    void make_rows(uint32_t first, uint32_t more) override;

  private:
    void load();
    void make_inner_maps();
    void introduce_peers();
    void make_fans(int interface);
    void attach();

    nic_bpf* skeleton_ = nullptr;
    std::shared_ptr<XdpDispatcher> dispatcher_;
    Mapping ports_map_, barriers_map_, rows_map_;
    std::vector<UniqueFd> completions_fds_;
    std::vector<UniqueFd> images_fds_;
    std::vector<UniqueFd> ring_fds_;
};

// Raises the limit on locked memory, for kernels that still count BPF memory so. Harmless elsewhere.
void raise_memlock_limit();

}  // namespace syncline
