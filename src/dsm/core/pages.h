// SPDX-License-Identifier: BSD-3-Clause
// The pages of a process: which it has, which it has changed, and what happens to them at faults, releases and
// acquires.
//
// A page has a right (view.h). kNone: not here, or old; a fault fetches it from its home, or copies it from the own
// slot if this process is the home. kRead: here. kWrite: changed since the last release; it has a twin, the page as it
// was at the fault.
//
// Twins: of a page with its home elsewhere in the page's own slot; of a page with its home here in a pool, because the
// slot is the home copy. The pool is a part of the shared size; when it is empty, pages with their home here give their
// changes to the home copy early.
//
// A release (flush) takes kWrite pages to kRead, sends the bytes that differ from the twin, and returns the pages that
// had any. An acquire (invalidate) gives up pages that others have written; a page that is changed here, too, is
// flushed first, and its notice goes with the next release.
//
// Threads: all functions are called under the guard, which is held over the network's answers. A thread of the program
// that uses a page meanwhile runs on until it faults; so pages lose rights before they are compared, and get them after
// they are complete.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dsm/core/page_service.h"
#include "dsm/core/statistics.h"

namespace syncline::dsm {

class Pages {
  public:
    Pages(const Remote* remote, const Layout* layout, View* view, PageService* service, Statistics* statistics,
          uint32_t pages);

    // The program may read, or write, the page afterwards.
    void fault(uint32_t page, bool write);
    // fault() for many, fetched together.
    void prefetch(uint32_t first, uint32_t count, bool write);

    // The pages that this process has changed since the last call.
    std::vector<PageRun> flush();
    // `again`: fetches pages that the program is likely to use.
    void invalidate(const Notices::News& news, bool again);

    Right right(uint32_t page) const { return states_[page].right; }

  private:
    static constexpr uint32_t no_twin = UINT32_MAX;

    struct State {
        Right right = Right::kNone;
        bool changes = false;  // at the last release
        bool asked = false;    // by a fault, since the page was last invalidated
        uint8_t again = 0;     // invalidations after which it is fetched unasked
    };

    uint8_t* slot(uint32_t page) const { return remote_->own(layout_->slot(page)); }
    bool is_home(uint32_t page) const { return service_->known_home(page) == remote_->me(); }
    uint32_t find_home(uint32_t page);
    void set(PageRun run, Right from, Right to);
    void set_all(std::vector<uint32_t>* pages, Right from, Right to);
    void bring(uint32_t page);
    void bring_runs(const std::vector<PageRun>& runs, bool are_own);
    void copy_home(uint32_t page);
    void make_writable(uint32_t page);
    uint8_t* take_twin(uint32_t page);
    uint8_t* twin_of(uint32_t page) const;
    void give_back_twin(uint32_t page);
    // From kWrite; all to kRead, or only those without the habit.
    enum class Habit { kRespected, kIgnored };
    void flush_pages(std::vector<uint32_t>* pages, Habit habit);
    bool send_changes(uint32_t page);
    std::vector<uint32_t> here_of(const Notices::News& news) const;
    bool is_likely_to_be_used(uint32_t page);

    const Remote* const remote_;
    const Layout* const layout_;
    View* const view_;
    PageService* const service_;
    Statistics* const statistics_;
    std::vector<State> states_;
    std::vector<uint32_t> changed_;    // kWrite
    std::vector<uint32_t> written_;    // flushed with changes, not yet returned by flush()
    std::unique_ptr<uint8_t[]> pool_;  // twins of pages that have their home here
    std::vector<uint32_t> free_;       // places in the pool
    std::vector<uint32_t> places_;     // of each page, in the pool
    uint32_t next_ = UINT32_MAX;       // behind the pages that the last fault has brought
    uint32_t ahead_ = 0;               // how many came ahead of a fault
};

}  // namespace syncline::dsm
