// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/core/pages.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/failure.h"

namespace syncline::dsm {
namespace {

constexpr uint32_t ahead_max = 31;
constexpr uint32_t group_pages = 16;
constexpr uint32_t dense_groups_max = 32;
constexpr uint32_t order_max = 256;  // pages that one fault makes writable in the order of earlier faults
[[maybe_unused]] constexpr size_t checked_pages_max = 4096;  // a check that looks at all pages takes long
constexpr uint8_t again_max = 7;
constexpr uint8_t trust_max = 16;

}  // namespace

Pages::Pages(const Remote* remote, const Layout* layout, View* view, PageService* service, Statistics* statistics,
             uint32_t pages)
    : remote_(remote), layout_(layout), view_(view), service_(service), statistics_(statistics), states_(pages) {
    if (remote->processes() == 1) {  // no other process needs to hear of changes
        view->adopt(0, pages, Right::kWrite);
        states_.assign(pages, {.right = Right::kWrite});
    }
}

void Pages::note(TraceKind kind, uint32_t first, uint32_t count) const {
    remote_->endpoint().attachment().trace().note(kind, service_->known_home(first), first, count);
}

// At the end of a call: the pages in kWrite are those in `changed_`, and a process that is alone has no others.
void Pages::check_pages() const {
#ifdef SYNCLINE_CHECKS
    if (remote_->processes() == 1 || states_.size() > checked_pages_max) {
        return;
    }
    std::vector<uint32_t> changed = changed_;
    sort_once(&changed);
    size_t writable = 0;
    for (uint32_t page = 0; page < states_.size(); page++) {
        writable += right(page) == Right::kWrite ? 1 : 0;
    }
    for (const uint32_t page : changed) {
        SYNCLINE_CHECK(right(page) == Right::kWrite, "page %u has changed and has right %d", page,
                       static_cast<int>(right(page)));
    }
    SYNCLINE_CHECK(writable == changed.size(), "%zu pages are writable, and %zu have changed", writable,
                   changed.size());
#endif
}

bool Pages::is_flushed() const {
    return written_.empty() &&
           (remote_->processes() == 1 ||
            std::none_of(changed_.begin(), changed_.end(), [&](uint32_t page) { return is_home(page); }));
}

void Pages::set(PageRun run, Right from, Right to) {
    SYNCLINE_ASSERT(run.count != 0 && run.first < states_.size() && run.count <= states_.size() - run.first,
                    "%u pages from %u on, of %zu", run.count, run.first, states_.size());
    for (uint32_t page = run.first; page < run.first + run.count; page++) {
        SYNCLINE_CHECK(right(page) == from, "page %u has right %d, not %d", page, static_cast<int>(right(page)),
                       static_cast<int>(from));
        SYNCLINE_CHECK(!is_home(page), "page %u has its home here", page);
    }
    view_->change(run.first, run.count, from, to);
    for (uint32_t page = run.first; page < run.first + run.count; page++) {
        states_[page].right = to;
    }
}

void Pages::set_all(std::vector<uint32_t>* pages, Right from, Right to) {
    for (const PageRun& run : runs_of(pages)) {
        set(run, from, to);
    }
}

// If the system cannot split a mapping any more, all neighbouring pages with the same right change as well.
void Pages::set_adopted(PageRun run, Right to) {
    const Right from = right(run.first);
    for (uint32_t page = run.first; page < run.first + run.count; page++) {
        SYNCLINE_CHECK(is_home(page) && right(page) != Right::kNone, "page %u of PE %u has right %d", page,
                       service_->known_home(page), static_cast<int>(right(page)));
    }
    if (!view_->change_adopted(run.first, run.count, to)) {
        const auto belongs = [&](uint32_t page) { return right(page) == from && is_home(page); };
        uint32_t end = run.first + run.count;
        while (run.first > 0 && belongs(run.first - 1)) {
            run.first--;
        }
        while (end < states_.size() && belongs(end)) {
            end++;
        }
        run.count = end - run.first;
        if (!view_->change_adopted(run.first, run.count, to)) {
            fail(SYNCLINE_ERR_NO_MEMORY, "the system cannot change the rights of {} pages from page {} on", run.count,
                 run.first);
        }
    }
    for (uint32_t page = run.first; page < run.first + run.count; page++) {
        states_[page].right = to;
        if (to == Right::kWrite) {
            changed_.push_back(page);
        }
    }
}

uint32_t Pages::find_home(uint32_t page) {
    bool assigned = false;
    const uint32_t home = service_->find_home(page, &assigned);
    SYNCLINE_ASSERT(home < remote_->processes(), "page %u has its home at PE %u of %u", page, home,
                    remote_->processes());
    SYNCLINE_ASSERT(!assigned || home == remote_->me(), "page %u was given to PE %u", page, home);
    statistics_->homes_assigned += assigned ? 1 : 0;
    return home;
}

void Pages::fault(uint32_t page, bool write) {
    SYNCLINE_ASSERT(page < states_.size(), "page %u of %zu", page, states_.size());
    serve_fault(page, write);
    check_pages();
    SYNCLINE_ASSERT(right(page) == Right::kWrite || (!write && right(page) == Right::kRead), "page %u has right %d",
                    page, static_cast<int>(right(page)));
}

void Pages::serve_fault(uint32_t page, bool write) {
    if (right(page) == (write ? Right::kWrite : Right::kRead) || right(page) == Right::kWrite) {
        restore(page);
        return;
    }
    if (right(page) == Right::kNone) {
        bring(page, write);
    }
    if (right(page) == Right::kRead && (write || states_[page].changes)) {
        make_writable_from(page);
    }
}

// Other pages become writable with this one: those that follow in memory, if the last faults went through memory, or
// else those that follow in the order of earlier faults.
void Pages::make_writable_from(uint32_t page) {
    note_order(page);
    const uint32_t count = run_from(page, Right::kRead, find_stream(page, Right::kRead, &writes_));
    if (count > 1) {
        make_writable({page, count});
        last_write_ = page + count - 1;
        return;
    }
    std::vector<uint32_t> pages = {page};
    while (pages.size() < order_max && states_[last_write_].trust > 0 &&
           right(states_[last_write_].next) == Right::kRead) {
        states_[last_write_].trust--;
        last_write_ = states_[last_write_].next;
        pages.push_back(last_write_);
    }
    for (const PageRun& run : runs_of(&pages)) {
        for (uint32_t first = run.first, end = first; first < run.first + run.count; first = end) {
            while (end < run.first + run.count && is_home(end) == is_home(first)) {
                end++;
            }
            make_writable({first, end - first});
        }
    }
}

// A page that comes behind the same page as before is trusted to do so several more times.
void Pages::note_order(uint32_t page) {
    if (last_write_ != none) {
        State& before = states_[last_write_];
        before.trust = before.next == page ? trust_max : 0;
        before.next = page;
    }
    last_write_ = page;
}

void Pages::restore(uint32_t page) {
    if (!is_home(page)) {
        view_->restore(page, right(page));
    }
}

// Returns the stream that a fault continues, where pages in between that have another right already do not count; or
// else a new stream. It moves to the front.
Pages::Stream* Pages::find_stream(uint32_t page, Right right_of_all, Streams* streams) const {
    auto found = streams->end();
    for (auto stream = streams->begin(); stream != streams->end(); stream++) {
        while (stream->next < page && right(stream->next) != right_of_all) {
            stream->next++;
        }
        found = found == streams->end() && stream->next == page ? stream : found;
    }
    if (found == streams->end()) {
        streams->back() = {};
        found = std::prev(found);
    }
    std::rotate(streams->begin(), found, std::next(found));
    return &streams->front();
}

// Returns how many pages from this one on, of one home and with one right, a fault serves. A stream begins anew where
// another process's pages begin.
uint32_t Pages::run_from(uint32_t page, Right right_of_all, Stream* stream) const {
    const uint16_t home = service_->known_home(page);
    if (page > 0 && service_->known_home(page - 1) != home) {
        stream->ahead = 0;
    }
    uint32_t count = 1;
    while (count <= stream->ahead && page + count < states_.size() && right(page + count) == right_of_all &&
           service_->known_home(page + count) == home) {
        count++;
    }
    *stream = {page + count, std::min(2 * stream->ahead + 1, ahead_max)};
    return count;
}

// Returns a bit for each quarter of a group in which a fault has asked for a page without continuing another fault.
uint32_t Pages::asked_quarters(uint32_t group) const {
    uint32_t quarters = 0;
    for (uint32_t i = 0; i < group_pages && group * group_pages + i < states_.size(); i++) {
        const State& state = states_[group * group_pages + i];
        quarters |= state.asked && state.apart ? 1u << (4 * i / group_pages) : 0;
    }
    return quarters;
}

// Returns the pages to fetch for a fault that continues no other fault.
std::vector<PageRun> Pages::runs_around(uint32_t page) {
    std::vector<uint32_t> pages = {page};
    const uint32_t group = page / group_pages;
    const uint32_t asked = asked_quarters(group);
    if ((asked | 1u << (4 * (page % group_pages) / group_pages)) == 0xf) {
        dense_groups_ = dense_groups_max;
    }
    if (dense_groups_ == 0 || asked == 0) {
        return runs_of(&pages);
    }
    dense_groups_--;
    const uint16_t home = service_->known_home(page);
    for (uint32_t each = group * group_pages; each < (group + 1) * group_pages && each < states_.size(); each++) {
        if (each != page && right(each) == Right::kNone && service_->known_home(each) == home) {
            pages.push_back(each);
        }
    }
    return runs_of(&pages);
}

void Pages::bring(uint32_t page, bool write) {
    const bool is_own = find_home(page) == remote_->me();
    Stream* const stream = find_stream(page, Right::kNone, &reads_);
    const bool is_apart = stream->ahead == 0;
    const PageRun run = {page, run_from(page, Right::kNone, stream)};
    if (!is_own) {
        statistics_->pages_prefetched += fetch(is_apart ? runs_around(page) : std::vector<PageRun>{run}) - 1;
        states_[page].asked = true;
        states_[page].apart = is_apart;
        return;
    }
    std::vector<uint32_t> pages(run.count);
    std::iota(pages.begin(), pages.end(), run.first);
    service_->await_changes(pages);
    view_->adopt(run.first, run.count, write ? Right::kWrite : Right::kRead);
    for (uint32_t each = run.first; each < run.first + run.count; each++) {
        states_[each].right = write ? Right::kWrite : Right::kRead;
        if (write) {
            changed_.push_back(each);
        }
    }
}

// Returns how many pages there were.
uint32_t Pages::fetch(const std::vector<PageRun>& runs) {
    if (runs.empty()) {
        return 0;
    }
    {
        const Timed time(&statistics_->fetch_ns);
        service_->fetch(runs, view_);
    }
    uint32_t pages = 0;
    for (const PageRun& run : runs) {
        pages += run.count;
        note(TraceKind::kPageFetched, run.first, run.count);
        set(run, Right::kNone, Right::kRead);
    }
    statistics_->pages_fetched += pages;
    return pages;
}

void Pages::prefetch(uint32_t first, uint32_t count, bool write) {
    std::vector<uint32_t> copies;
    for (uint32_t page = first; page < first + count; page++) {
        if (right(page) != Right::kNone) {
            continue;
        }
        if (find_home(page) == remote_->me()) {
            bring(page, write);
        } else {
            copies.push_back(page);
            states_[page].asked = true;
        }
    }
    statistics_->pages_prefetched += fetch(runs_of(&copies));
    for (uint32_t page = first; page < first + count; page++) {
        SYNCLINE_CHECK(right(page) != Right::kNone, "page %u is not here", page);
    }
    for (uint32_t page = first; write && page < first + count; page++) {
        if (right(page) == Right::kRead) {
            make_writable({page, 1});
        }
    }
}

void Pages::make_writable(PageRun run) {
    if (is_home(run.first)) {
        set_adopted(run, Right::kWrite);
        return;
    }
    for (uint32_t page = run.first; page < run.first + run.count; page++) {
        std::memcpy(remote_->own(layout_->slot(page)), view_->page(page), page_bytes);
        changed_.push_back(page);
    }
    statistics_->twins += run.count;
    set(run, Right::kRead, Right::kWrite);
}

std::vector<PageRun> Pages::flush() {
    std::vector<uint32_t> copies, adopted;
    for (const uint32_t page : changed_) {
        (is_home(page) ? adopted : copies).push_back(page);
    }
    flush_copies(copies, false);
    flush_adopted(&adopted);
    std::erase_if(changed_, [&](uint32_t page) { return right(page) != Right::kWrite; });
    std::vector<PageRun> runs = runs_of(&written_);
    written_.clear();
    check_pages();
    for ([[maybe_unused]] const uint32_t page : changed_) {
        SYNCLINE_CHECK(!is_home(page), "page %u at its home is writable behind a release", page);
    }
    return runs;
}

// A page loses its right before it is compared for the last time, so no thread's write is lost between the two. A page
// that stays kWrite may be written meanwhile; its twin takes exactly the bytes that are sent.
void Pages::flush_copies(const std::vector<uint32_t>& pages, bool all_end) {
    if (pages.empty()) {
        return;
    }
    const Timed time(&statistics_->flush_ns);
    std::vector<uint32_t> ending;
    for (const uint32_t page : pages) {
        SYNCLINE_ASSERT(right(page) == Right::kWrite, "page %u has right %d and no twin", page,
                        static_cast<int>(right(page)));
        if (all_end || !states_[page].changes || !send_changes(page)) {
            ending.push_back(page);
        }
    }
    set_all(&ending, Right::kWrite, Right::kRead);
    for (const uint32_t page : ending) {
        SYNCLINE_CHECK(right(page) == Right::kRead, "page %u is compared for the last time with right %d", page,
                       static_cast<int>(right(page)));
        states_[page].changes = send_changes(page) || (all_end && states_[page].changes);
    }
    service_->finish_diffs();
}

// A thread that writes one of the pages after it has lost the right faults, and the next release has that write.
void Pages::flush_adopted(std::vector<uint32_t>* pages) {
    for (const PageRun& run : runs_of(pages)) {
        set_adopted(run, Right::kRead);
    }
    written_.insert(written_.end(), pages->begin(), pages->end());
    statistics_->home_updates += pages->size();
}

// Returns false if there are no changes.
bool Pages::send_changes(uint32_t page) {
    if (!service_->send_diff(page, view_->page(page), remote_->own(layout_->slot(page)))) {
        return false;
    }
    note(TraceKind::kPageFlushed, page, 1);
    written_.push_back(page);
    return true;
}

// Returns each copy that is here once, although several processes may have written it.
std::vector<uint32_t> Pages::copies_of(const Notices::News& news, std::vector<uint32_t>* adopted) const {
    std::vector<uint32_t> copies;
    const auto look_at = [&](PageRun run) {
        for (uint32_t page = run.first; page < run.first + run.count; page++) {
            if (is_home(page)) {
                adopted->push_back(page);
            } else if (right(page) != Right::kNone) {
                copies.push_back(page);
            }
        }
    };
    if (news.everything) {
        look_at({0, static_cast<uint32_t>(states_.size())});
    } else {
        std::for_each(news.runs.begin(), news.runs.end(), look_at);
        sort_once(&copies);
    }
    return copies;
}

void Pages::invalidate(const Notices::News& news, Moment moment) {
    std::vector<uint32_t> adopted, changed, wanted;
    [[maybe_unused]] const size_t written_before = written_.size();
    std::vector<uint32_t> copies = copies_of(news, &adopted);
    SYNCLINE_CHECK(std::is_sorted(copies.begin(), copies.end()) &&
                       std::adjacent_find(copies.begin(), copies.end()) == copies.end(),
                   "%zu copies to give up, some of them twice", copies.size());
    service_->await_changes(adopted);
    statistics_->invalidations += copies.size();
    for (const uint32_t page : copies) {
        if (right(page) == Right::kWrite) {
            changed.push_back(page);
        }
        if (moment == Moment::kBarrier ? is_likely_to_be_used(page) : std::exchange(states_[page].asked, false)) {
            wanted.push_back(page);
        }
    }
    flush_copies(changed, true);
    SYNCLINE_CHECK(written_.size() >= written_before, "%zu pages were written, and %zu before", written_.size(),
                   written_before);
    std::erase_if(changed_, [&](uint32_t page) { return right(page) != Right::kWrite; });
    set_all(&copies, Right::kRead, Right::kNone);
    statistics_->pages_prefetched += fetch(runs_of(&wanted));
    for (const uint32_t page : wanted) {
        if (moment == Moment::kLock && states_[page].changes) {
            make_writable({page, 1});
        }
    }
    check_pages();
    for ([[maybe_unused]] const uint32_t page : copies) {
        SYNCLINE_CHECK(right(page) == Right::kNone || std::find(wanted.begin(), wanted.end(), page) != wanted.end(),
                       "page %u is old and has right %d", page, static_cast<int>(right(page)));
    }
    SYNCLINE_CHECK(!news.everything || std::all_of(states_.begin(), states_.end(),
                                                   [&](const State& state) {
                                                       const auto page = static_cast<uint32_t>(&state - states_.data());
                                                       return state.right == Right::kNone || is_home(page) ||
                                                              std::binary_search(copies.begin(), copies.end(), page);
                                                   }),
                   "a copy stays though all may be old");
}

bool Pages::is_likely_to_be_used(uint32_t page) {
    State& state = states_[page];
    if (state.asked) {
        state.again = again_max;
    } else if (state.again > 0) {
        state.again--;
    }
    state.asked = false;
    return state.again > 0;
}

}  // namespace syncline::dsm
