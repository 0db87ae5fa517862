// SPDX-License-Identifier: BSD-3-Clause
// The shared memory of this process, from syncline_dsm_init() to syncline_dsm_finalize(): address space, segment,
// signals, allocation.
#pragma once

#include <memory>
#include <vector>

#include "dsm/core/allocator.h"
#include "dsm/live/faults.h"
#include "dsm/live/mapped_view.h"
#include "dsm/live/report.h"
#include "dsm/shared_memory.h"
#include "runtime/process/process.h"

namespace syncline::dsm {

struct SessionOptions {
    uint64_t bytes = uint64_t{128} << 20;
    Protocol protocol = Protocol::kNic;
    uint32_t locks = 4096;
    MappedView::Means means = MappedView::Means::kUserfault;  // if the kernel has it
};

class Session {
  public:
    // Collective. Throws Failure at all processes.
    Session(Process* process, const SessionOptions& options);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    SharedMemory& shared() { return *shared_; }
    uint8_t* memory() const { return view_->memory(); }
    uint64_t bytes() const { return view_->bytes(); }
    MappedView::Means means() const { return view_->means(); }
    bool contains(const void* pointer, size_t bytes) const;
    // In a child of fork(): takes away the memory, which is the parent's. No other call may follow.
    void disown();

    struct Shortage {
        uint64_t largest;   // length of the longest free piece
        bool lacks_blocks;  // there are too many allocations for another one
    };
    // `homes`: enum syncline_dsm_homes. Returns Allocator::none, and sets *shortage, if there is no room.
    uint64_t allocate(uint64_t bytes, int homes, Shortage* shortage);
    bool free(uint64_t offset);
    // Collective.
    int broadcast(uint32_t root, void* value, size_t bytes);
    // Returns the counts of all processes, at process 0 (none elsewhere), or of this one. Collective.
    std::vector<Report> reports(bool all);

  private:
    explicit Session(Process* process) : process_(process) {}
    void agree(const SessionOptions& options);
    void map(uint32_t pages, MappedView::Means means);
    void make_segment(uint64_t bytes, uint64_t slots);
    void start(const Shape& shape, Protocol protocol);
    bool all_agree(bool own);
    syncline_address_t segment_address() const { return uint64_t{segment_} << 40; }
    std::string who_is_gone() const;
    bool is_first_to_lose() const;
    [[noreturn]] void lose(int status);
    void assign_homes(uint64_t offset, uint64_t bytes, uint32_t fresh, int homes);

    Process* const process_;
    int number_ = -1;  // number of the NICs' barrier
    std::unique_ptr<Barrier> barrier_;
    std::unique_ptr<MappedView> view_;
    void* segment_memory_ = nullptr;
    uint64_t segment_bytes_ = 0;
    uint32_t segment_ = 0;
    std::unique_ptr<SharedMemory> shared_;
    std::unique_ptr<Allocator> allocator_;
    std::unique_ptr<Faults> faults_;
};

}  // namespace syncline::dsm
