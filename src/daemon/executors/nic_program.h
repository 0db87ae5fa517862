// SPDX-License-Identifier: BSD-3-Clause
// A NIC program that the kernel has verified, and its tables, as descriptors.
//
// To verify it takes the kernel a quarter of a second of a CPU. So the nodes of a job that share a machine also share
// the program: the first private daemon loads it with a place for each node, the launcher passes its descriptors on,
// and each other daemon enters its node's tables in the node's place (firmware/platform_bpf.h). The program is there as
// long as any of them is.
//
// A node's place is its number, and the program tells places by the index of the interface. So the interfaces of the
// nodes have consecutive indices, which test beds see to, and links of one kind; a node whose interface does not fit
// loads a program of its own.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/unique_fd.h"
#include "firmware/tables.h"
#include "job/daemon_protocol.h"

namespace syncline {

class XdpDispatcher;

// The tables of platform_bpf.h, in the order in which daemons hand them on.
enum class NicTable : uint32_t {
    kRanks,
    kSources,
    kRows,
    kSlots,
    kDirectory,
    kSegments,
    kPorts,
    kBarriers,
    kPeers,
    kCounts,
    kMemory,
    kCompletions,
    kImages,
    kWakes,
    kFans,
};
constexpr uint32_t nic_tables = 15;

class NicProgram {
  public:
    // The maps that one node, or its first port, has in the arrays of maps of the same name: those of the others have
    // the same shape.
    struct Templates {
        int sources;
        int directory;
        int ports;
        int completions;
        int images;
    };

    // Loads one for this node alone, or for all nodes of the job, which then have this node's dispatcher. Throws
    // Failure.
    static std::shared_ptr<NicProgram> load(const fw_config& config, const XdpDispatcher& dispatcher, bool for_all,
                                            const Templates& templates);
    // One that another daemon has loaded. Throws Failure.
    NicProgram(const LentProgram& lent, std::vector<UniqueFd> fds);

    // Its description for other daemons, and the descriptors that go along.
    const LentProgram& lent() const { return lent_; }
    std::vector<int> fds() const;

    // The node can be one of the program's.
    bool fits(const fw_config& config, uint32_t interface) const;
    uint32_t place_of(const fw_config& config) const { return is_shared() ? config.node : 0; }

    int nic() const { return fds_[0].get(); }
    int fan() const { return fds_[1].get(); }
    std::vector<int> dispatcher() const { return {fds_[2].get(), fds_[3].get(), fds_[4].get()}; }
    int table(NicTable table) const { return fds_[5 + static_cast<uint32_t>(table)].get(); }
    bool is_shared() const { return lent_.places > 1; }

    // Both throw Failure. An array of maps takes several entries at once: for a single one the kernel may wait until no
    // program uses the entry from before.
    void write(NicTable table, uint32_t index, const void* entry) const;
    void enter(NicTable table, uint32_t first, std::span<const int> maps) const;

  private:
    LentProgram lent_;
    std::vector<UniqueFd> fds_;
};

}  // namespace syncline
