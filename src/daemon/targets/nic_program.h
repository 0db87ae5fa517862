// SPDX-License-Identifier: BSD-3-Clause
// A NIC program that the kernel has verified, and its tables, as descriptors.
//
// The kernel takes a quarter of a second of a CPU to verify it. So a program serves several nodes of jobs, each in a
// place of its tables (firmware/dispatch.h): the nodes of one job on this machine, whose daemons hand its descriptors
// on, or the jobs of one daemon, which come and go (nic_programs.h). All of them have packets of the one length for
// which the program was verified, because the tables of packets have elements of that length.
//
// The program exists as long as a daemon has its descriptors.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/mapping.h"
#include "base/os.h"
#include "base/unique_fd.h"
#include "firmware/dispatch.h"
#include "firmware/tables.h"
#include "job/protocol/daemon_protocol.h"

namespace syncline {

// The tables of platform_bpf.h and nic.bpf.c, in the order in which daemons hand them on. Those up to kFans are arrays
// of maps or have a part for each place.
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
    kConfigs,
    kNodes,
};
constexpr uint32_t nic_tables = 17;

class NicProgram {
  public:
    // The facts that the verifier has to know.
    struct Kind {
        uint32_t packet_max;
        bool several_parts;  // frames may have them; false below libxdp's dispatcher
        bool operator==(const Kind&) const = default;
    };

    // Throws Failure. `job`: its nodes have the places; 0: the places are for any job.
    static std::shared_ptr<NicProgram> load(const Kind& kind, uint32_t places, uint32_t job);
    // Uses a program that another daemon has loaded. Throws Failure.
    NicProgram(const LentProgram& lent, std::vector<UniqueFd> fds);
    // Waits for the place that is being swept.
    ~NicProgram();

    const LentProgram& lent() const { return lent_; }
    // Returns the descriptors that are handed on to other daemons, in the order of `fds` above.
    std::vector<int> fds() const { return numbers_of(fds_); }
    // Returns whether the places belong to the nodes of one job.
    bool is_of_nodes() const { return lent_.job != 0; }
    // Returns whether the node can be one of the program's, in the place of its number.
    bool fits(const fw_config& config) const;

    // Takes a place for a job, until leave(); none: all are taken. Any thread may call this and leave(). It helps to
    // sweep first, so that jobs do not come faster than the memory of earlier jobs goes.
    std::optional<uint32_t> take_place();
    // The tables of a job that are in its place.
    struct Tables {
        uint32_t ports = 0;
        uint32_t chunks = 0;             // chunks of rows
        std::vector<uint32_t> segments;  // segments with memory: port * SLW_SEGMENTS_MAX + segment
    };
    // Called when the job's frames do not come here any more. A thread takes the tables out of the program when no run
    // of it can be in them; then the place is free.
    void leave(uint32_t place, Tables tables) noexcept;

    int nic() const { return fds_[0].get(); }
    int fan() const { return fds_[1].get(); }
    int table(NicTable table) const { return fds_[2 + static_cast<uint32_t>(table)].get(); }

    // Gives the place to this node, once its tables are entered: `node` is its key (fw_key_of_job). Throws Failure.
    void open(uint32_t place, const fw_config& config, uint64_t node);
    void close(uint64_t node);

    // Entries of an array of maps. After a change the kernel waits until no program uses the earlier entries.
    struct Entries {
        NicTable table;
        std::vector<uint32_t> indices;
        std::vector<int> maps;
    };
    // Entries whose indices follow each other.
    static Entries in_a_row(NicTable table, uint32_t first, std::vector<int> maps);
    // Both throw Failure. Changes of several tables wait side by side, each in a thread.
    void write(NicTable table, uint32_t index, const void* entry) const;
    void enter(std::span<const Entries> all) const;

  private:
    struct Left {
        uint32_t place;
        Tables tables;
    };
    void enter(const Entries& entries) const;
    void begin_sweeping();
    void sweep(std::unique_lock<std::mutex>* guard);
    void sweep(const Left& left) const;

    LentProgram lent_;
    std::vector<UniqueFd> fds_;
    Mapping configs_;
    // In a program for any job: the map that each array of maps has in places without a job, and which places are
    // taken.
    std::vector<UniqueFd> empty_;
    std::mutex guard_;  // guards the next four
    std::vector<bool> taken_;
    std::deque<Left> left_, failed_;
    bool sweeping_ = false;
    std::unique_ptr<Background> sweeper_;  // ends before the data that it uses
};

}  // namespace syncline
