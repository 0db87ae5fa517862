// SPDX-License-Identifier: BSD-3-Clause
// A process's copy of shared memory in its address space: a memory file, mapped twice. The program's mapping, at an
// address that is the same in all processes, has rights; the library's own mapping has none.
//
// There are two ways to keep rights; both raise a signal in the thread that has no right to its access.
// - userfaultfd (Linux 6.4 and a kernel that allows it): a page without a right has no entry in the page table, a page
//   to read has a protected one. The mapping stays one piece. A change costs 0.1 us for a page in a run of pages, 0.8
//   us for a page alone.
// - mprotect: everywhere, and always for pages that have their homes here, because the segment may be memory of a BPF
//   map. A change of a page alone splits the mapping and costs 3 to 4 us. A process has at most 65,530 pieces
//   (vm.max_map_count).
// bench/micro/page_rights.cpp measures both.
#pragma once

#include <memory>
#include <vector>

#include "base/unique_fd.h"
#include "dsm/core/view.h"

namespace syncline::dsm {

class MappedView : public View {
  public:
    enum class Means { kUserfault, kProtection };

    // Takes over mappings, which it ends. create() makes one.
    MappedView(uint8_t* memory, uint8_t* own, uint64_t bytes)
        : memory_(memory),
          own_(own),
          bytes_(bytes),
          made_(bytes / page_bytes / group + 1),
          adopted_(bytes / page_bytes) {}
    // Returns whether the kernel offers all that kUserfault needs.
    static bool has_userfault();
    // Maps `pages` at `address`, where nothing may be mapped. NULL: something is, or there is no memory.
    static std::unique_ptr<MappedView> create(uint8_t* address, uint32_t pages, Means means);
    ~MappedView() override;

    uint8_t* page(uint32_t page) override { return own_ + uint64_t{page} * page_bytes; }
    void prepare(uint32_t first, uint32_t count) override;
    void adopt(uint32_t first, uint32_t count, Right right) override;
    bool change_adopted(uint32_t first, uint32_t count, Right to) override;
    // Sets the segment's file, and the offset of the first page's slot in it; called before any page is adopted.
    void set_segment(UniqueFd file, uint64_t slots) {
        segment_ = std::move(file);
        slots_ = slots;
    }
    // In a child of fork(): unmaps everything, and keeps anything else from being mapped where the program's mapping
    // was.
    void disown();
    virtual Means means() const = 0;
    uint8_t* memory() const { return memory_; }
    uint64_t bytes() const { return bytes_; }

  protected:
    uint8_t* const memory_;  // the program's mapping
    uint8_t* const own_;
    const uint64_t bytes_;

  private:
    static constexpr uint32_t group = 16;  // pages that the kernel makes at once

    void make(uint32_t first, uint32_t count);

    std::vector<bool> made_;     // for each group
    std::vector<bool> adopted_;  // for each page
    UniqueFd segment_;
    uint64_t slots_ = 0;
};

}  // namespace syncline::dsm
