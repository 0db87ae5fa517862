// SPDX-License-Identifier: BSD-3-Clause
// The pages of a process: which it has, which it has changed, and what happens to them at faults, releases and
// acquires.
//
// A page has a right (view.h). kNone: not here, or old, or a page with its home here that the program has not used yet.
// kRead: here. kWrite: changed since the last release. A page with its home here is never old. A copy in kWrite has a
// twin in the page's slot, the page as it was at the fault.
//
// A release (flush) takes kWrite pages to kRead, sends the bytes of copies that differ from the twin, and returns the
// pages that were written. An acquire (invalidate) gives up copies that others have written; one that is changed here,
// too, is flushed first, and its notice goes with the next release.
//
// Habits of programs spare faults:
// - A fault that continues an earlier one brings, or makes writable, pages behind as well, more each time; so it is for
//   a few arrays that are gone through together. Where write faults come in the order of earlier ones, one of them
//   serves the next pages of that order; a few times, and then each faults once to show that the order still holds. A
//   page with its home here that is made writable counts as written.
// - Where faults go to and fro over pages, two of them in a group of 16 bring the rest of it. That they leave no page
//   out they show by asking for one of each quarter of a group, and are then believed for some groups more.
// - A copy that had changes at two releases on end stays kWrite, with its twin brought up to date, until a release
//   finds none.
// - A copy that a fault has asked for is fetched again, together with all others, when a barrier takes it away, a few
//   times; then likewise. When a lock takes it away, once. One that had changes at its last release becomes kWrite.
//
// Threads: all functions are called under the guard, which is held over the network's answers. A thread of the program
// that uses a page meanwhile runs on until it faults; so pages lose rights before they are compared, and get them after
// they are complete.
#pragma once

#include <array>
#include <cstdint>
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

    enum class Moment { kLock, kBarrier };
    // The pages that this process has changed since the last call.
    std::vector<PageRun> flush();
    void invalidate(const Notices::News& news, Moment moment);

    Right right(uint32_t page) const { return states_[page].right; }

  private:
    static constexpr uint32_t none = UINT32_MAX;

    struct State {
        Right right = Right::kNone;
        bool changes = false;  // a copy: at the last release in which it was kWrite
        bool asked = false;    // a copy: by a fault, since the page was last invalidated
        bool apart = false;    // if `asked`: the fault did not continue an earlier one
        uint8_t again = 0;     // a copy: barriers at which it is fetched unasked
        uint8_t trust = 0;     // how often a write of this page may still count as one of `next`, too
        uint32_t next = none;  // the page whose write fault came behind this one's
    };
    // Faults that follow each other through memory.
    struct Stream {
        uint32_t next = none;
        uint32_t ahead = 0;  // so many pages behind the next fault are served with it; 0: the stream is new
    };
    using Streams = std::array<Stream, 4>;  // those that had a fault last in front

    bool is_home(uint32_t page) const { return service_->known_home(page) == remote_->me(); }
    uint32_t find_home(uint32_t page);
    Stream* find_stream(uint32_t page, Right right, Streams* streams) const;
    uint32_t run_from(uint32_t page, Right right, Stream* stream) const;
    std::vector<PageRun> runs_around(uint32_t page);
    uint32_t asked_quarters(uint32_t group) const;
    void set(PageRun run, Right from, Right to);
    void set_all(std::vector<uint32_t>* pages, Right from, Right to);
    void set_adopted(PageRun run, Right to);
    void restore(uint32_t page);
    void bring(uint32_t page, bool write);
    uint32_t fetch(const std::vector<PageRun>& runs);
    void make_writable_from(uint32_t page);
    void note_order(uint32_t page);
    void make_writable(PageRun run);
    void flush_copies(const std::vector<uint32_t>& pages, bool all_end);
    void flush_adopted(std::vector<uint32_t>* pages);
    bool send_changes(uint32_t page);
    std::vector<uint32_t> copies_of(const Notices::News& news, std::vector<uint32_t>* adopted) const;
    bool is_likely_to_be_used(uint32_t page);

    const Remote* const remote_;
    const Layout* const layout_;
    View* const view_;
    PageService* const service_;
    Statistics* const statistics_;
    std::vector<State> states_;
    std::vector<uint32_t> changed_;  // kWrite
    std::vector<uint32_t> written_;  // flushed with changes, not yet returned by flush()
    Streams reads_, writes_;
    uint32_t dense_groups_ = 0;   // that two faults may still bring
    uint32_t last_write_ = none;  // that a fault made writable
};

}  // namespace syncline::dsm
