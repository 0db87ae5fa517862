// SPDX-License-Identifier: BSD-3-Clause
// The pages of a process: the pages that it has and that it has changed, and how faults, releases and acquires change
// them.
//
// A page has a right (view.h). kNone: the page is not here, or is old, or has its home here and the program has not
// used it yet. kRead: the page is here. kWrite: it has changed since the last release. A page with its home here is
// never old. A copy in kWrite has a twin in the page's slot: the page as it was at the fault.
//
// A release (flush) takes kWrite pages to kRead, sends the bytes of copies that differ from the twin, and returns the
// pages that were written. An acquire (invalidate) gives up copies that other processes have written. A copy that is
// changed here, too, is flushed first, and its notice goes with the next release.
//
// Programs repeat themselves, and that spares faults:
// - A fault that continues an earlier one brings, or makes writable, the pages behind it as well, more each time. This
//   works for a few arrays that a program walks through together. If write faults come in the order of earlier ones, a
//   fault serves the next pages of that order as well. After a few times each page faults once again, to show that the
//   order still holds. A page with its home here that is made writable counts as written.
// - If faults go to and fro over pages, two faults in a group of 16 bring the rest of the group. Faults first have to
//   show that they leave no page out, by asking for a page of each quarter of a group; then they are trusted for some
//   groups more.
// - A copy that had changes at two releases in a row stays kWrite, with its twin brought up to date, until a release
//   finds no changes.
// - A copy that a fault has asked for is fetched again, together with all others, when a barrier takes it away, a few
//   times; then a fault must ask for it again. When a lock takes it away, it is fetched again once. A copy that had
//   changes at its last release becomes kWrite.
//
// Threads: all functions are called under the guard, which is held while requests wait for their answers. A thread of
// the program that uses a page meanwhile runs on until it faults. So pages lose rights before they are compared, and
// get rights after they are complete.
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

    // Makes the page readable, or writable, for the program.
    void fault(uint32_t page, bool write);
    // As fault(), for many pages, fetched together.
    void prefetch(uint32_t first, uint32_t count, bool write);

    enum class Moment { kLock, kBarrier };
    // Returns the pages that this process has changed since the last call.
    std::vector<PageRun> flush();
    void invalidate(const Notices::News& news, Moment moment);

    Right right(uint32_t page) const { return states_[page].right; }
    // Returns whether no page at its home is writable, and flush() has returned all that were written. For assertions.
    bool is_flushed() const;

  private:
    static constexpr uint32_t none = UINT32_MAX;

    struct State {
        Right right = Right::kNone;
        bool changes = false;  // a copy: it had changes at the last release that found it kWrite
        bool asked = false;    // a copy: a fault has asked for it since it was last invalidated
        bool apart = false;    // if `asked`: the fault did not continue an earlier one
        uint8_t again = 0;     // a copy: barriers at which it is still fetched unasked
        uint8_t trust = 0;     // how many more writes of this page may make `next` writable, too
        uint32_t next = none;  // the page whose write fault came after this page's
    };
    // A series of faults that goes through memory.
    struct Stream {
        uint32_t next = none;
        uint32_t ahead = 0;  // pages behind the next fault that are served with it; 0: the stream is new
    };
    using Streams = std::array<Stream, 4>;  // the stream with the latest fault first

    void note(TraceKind kind, uint32_t first, uint32_t count) const;
    bool is_home(uint32_t page) const { return service_->known_home(page) == remote_->me(); }
    uint32_t find_home(uint32_t page);
    Stream* find_stream(uint32_t page, Right right, Streams* streams) const;
    uint32_t run_from(uint32_t page, Right right, Stream* stream) const;
    std::vector<PageRun> runs_around(uint32_t page);
    uint32_t asked_quarters(uint32_t group) const;
    void check_pages() const;
    void serve_fault(uint32_t page, bool write);
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
    std::vector<uint32_t> changed_;  // pages in kWrite
    std::vector<uint32_t> written_;  // pages flushed with changes, which flush() has not returned yet
    Streams reads_, writes_;
    uint32_t dense_groups_ = 0;   // groups that two faults may still bring
    uint32_t last_write_ = none;  // the last page that a fault made writable
};

}  // namespace syncline::dsm
