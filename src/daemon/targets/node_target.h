// SPDX-License-Identifier: BSD-3-Clause
// One job on this node, as the target of operations: the memory that the firmware shares with the job's processes, and
// its executor.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/mapping.h"
#include "base/unique_fd.h"
#include "firmware/native.h"
#include "job/job.h"

namespace syncline {

class NicPrograms;

class NodeTarget {
  public:
    // Makes the target for the job's transport: an XDP program for xdp, else tables in shared memory. `programs`: for
    // xdp, the daemon's, which outlive the target. Throws Failure.
    static std::unique_ptr<NodeTarget> create(const Job& job, NicPrograms* programs);

    explicit NodeTarget(const Job& job);
    virtual ~NodeTarget() = default;
    NodeTarget(const NodeTarget&) = delete;
    NodeTarget& operator=(const NodeTarget&) = delete;

    // Makes memory for a segment, in whole 64 KiB blocks, and opens it with `length` bytes. Throws Failure.
    void open_segment(uint32_t port, uint32_t segment, uint64_t length);
    // As open_segment(), for the first segment of each port.
    void open_heaps(uint64_t length);
    void close_segment(uint32_t port, uint32_t segment, fw_segment_state state);
    // Gives up the memory of a closed segment, which no executor here uses any more; processes may still map it.
    void release_segment(uint32_t port, uint32_t segment);
    const fw_segment& segment(uint32_t port, uint32_t segment) const;
    int segment_fd(uint32_t port, uint32_t segment) const;
    uint8_t* segment_memory(uint32_t port, uint32_t segment);

    int segments_fd() const { return segments_fd_.get(); }
    int ports_fd() const { return ports_fd_.get(); }
    int barriers_fd() const { return barriers_fd_.get(); }
    virtual int ring_fd(uint32_t) const { return -1; }
    fw_port* ports() { return ports_map_.at<fw_port>(); }
    fw_barrier* barriers() { return barriers_map_.at<fw_barrier>(); }
    virtual fw_counters counters() = 0;
    // These are for packets, so call them only if has_packets().
    int completions_fd(uint32_t port) const { return completions_fds_[port].get(); }
    int images_fd(uint32_t port) const { return images_fds_[port].get(); }
    int sources_fd() const { return sources_fd_.get(); }
    int directory_fd() const { return directory_fd_.get(); }
    // Returns the rows of slots: how many are taken, and for how many there is memory.
    virtual fw_rows* rows() = 0;
    // Makes memory for `more` rows, behind the present ones. Throws Failure.
    void add_rows(uint32_t more);
    // Returns the tables for the agent, or NULL if the NIC itself executes.
    virtual fw_target* native() { return nullptr; }
    virtual std::string description() const = 0;
    // Returns whether an answer of that node's NIC has arrived here. True if replies come from agents, which need no
    // proof.
    virtual bool has_answered(uint32_t) const { return true; }
    // Returns why replies do not arrive here or elsewhere, as far as this node can see its link; "" if there is no
    // reason.
    virtual std::string obstacle() const { return ""; }
    // Returns how much of the segments' memory has not been taken from the machine yet.
    virtual uint64_t untouched() const { return 0; }

  protected:
    const Job& job_;
    const fw_config& config() const { return job_.spec.config; }

    // Makes a memory object of whole blocks; it becomes part of the target with install().
    virtual UniqueFd create_memory(uint64_t bytes) = 0;
    struct Installed {
        uint32_t index;
        fw_segment entry;
        int memory_fd;  // -1: the memory stays as it is
    };
    virtual void install(std::span<const Installed> all) = 0;
    virtual void uninstall(uint32_t) {}
    // Makes memory for `more` rows; `first`, the number of a chunk's first row, is the first of them.
    virtual void make_rows(uint32_t first, uint32_t more) = 0;

    fw_segment* table() { return segments_map_.at<fw_segment>(); }
    uint8_t** memory_table() { return memory_of_.data(); }
    const std::vector<UniqueFd>& memory_fds() const { return memory_fds_; }

    // The tables that processes map. Each kind of target makes its own: memory files, or maps of the kernel.
    UniqueFd ports_fd_, barriers_fd_, sources_fd_, directory_fd_;
    std::vector<UniqueFd> completions_fds_, images_fds_;  // [ports]
    Mapping ports_map_, barriers_map_;

  private:
    Installed prepare(uint32_t index, uint64_t length);
    void publish(const Installed& opened);
    uint8_t* mapped_memory(uint32_t index);

    UniqueFd segments_fd_;
    Mapping segments_map_;
    std::vector<UniqueFd> memory_fds_;
    std::vector<uint64_t> memory_bytes_;
    std::vector<Mapping> memory_maps_;
    std::vector<uint8_t*> memory_of_;
};

// Make shared memory, and seal it before a process gets the descriptor. All throw Failure.
UniqueFd make_memfd(const char* name, uint64_t bytes);

// For memory that processes write: they can neither change its size nor seal it against each other.
void seal_for_writers(int memfd);
// For memory that processes read: in whichever way they open it, the kernel refuses to write. An existing mapping, such
// as the daemon's, stays as it is.
void seal_for_readers(int memfd);

}  // namespace syncline
