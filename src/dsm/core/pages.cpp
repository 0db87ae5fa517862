// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/core/pages.h"

#include <algorithm>
#include <cstring>

namespace syncline::dsm {
namespace {

constexpr uint32_t ahead_max = 15;   // pages behind the one that a fault asks for
constexpr uint32_t pool_share = 32;  // of the shared pages, for twins of pages that have their home here
constexpr uint32_t pool_pages_min = 16;

}  // namespace

Pages::Pages(const Remote* remote, const Layout* layout, View* view, PageService* service, Statistics* statistics,
             uint32_t pages)
    : remote_(remote),
      layout_(layout),
      view_(view),
      service_(service),
      statistics_(statistics),
      rights_(pages, Right::kNone),
      places_(pages, no_twin) {
    const uint32_t places = std::max(pool_pages_min, pages / pool_share);
    pool_.reset(new uint8_t[uint64_t{places} * page_bytes]);
    for (uint32_t place = places; place > 0; place--) {
        free_.push_back(place - 1);
    }
}

void Pages::fault(uint32_t page, bool write) {
    if (rights_[page] == Right::kNone) {
        bring(page);
    }
    if (write && rights_[page] != Right::kWrite) {
        make_writable(page);
    }
}

// A page, and those behind it where the program seems to go through its memory.
void Pages::bring(uint32_t page) {
    bool assigned = false;
    const uint32_t home = service_->find_home(page, &assigned);
    statistics_->homes_assigned += assigned ? 1 : 0;
    std::vector<PageRun> runs = {{page, 1}};
    ahead_ = page == next_ ? std::min(2 * ahead_ + 1, ahead_max) : 0;
    for (uint32_t i = 1; i <= ahead_ && page + i < rights_.size(); i++) {
        if (rights_[page + i] != Right::kNone || service_->known_home(page + i) != home) {
            break;
        }
        runs[0].count++;
    }
    next_ = page + runs[0].count;
    bring_runs(runs, home == remote_->me());
    statistics_->pages_prefetched += home == remote_->me() ? 0 : runs[0].count - 1;
}

void Pages::bring_runs(const std::vector<PageRun>& runs, bool are_own) {
    if (are_own) {
        for (const PageRun& run : runs) {
            std::memcpy(view_->page(run.first), slot(run.first), uint64_t{run.count} * page_bytes);
        }
    } else {
        const Timed time(&statistics_->fetch_ns);
        service_->fetch(runs, view_);
        for (const PageRun& run : runs) {
            statistics_->pages_fetched += run.count;
        }
    }
    for (const PageRun& run : runs) {
        set(run, Right::kNone, Right::kRead);
    }
}

void Pages::set(PageRun run, Right from, Right to) {
    view_->change(run.first, run.count, from, to);
    std::fill_n(rights_.begin() + run.first, run.count, to);
}

void Pages::prefetch(uint32_t first, uint32_t count, bool write) {
    std::vector<uint32_t> own, others;
    for (uint32_t page = first; page < first + count; page++) {
        if (rights_[page] == Right::kNone) {
            bool assigned = false;
            (service_->find_home(page, &assigned) == remote_->me() ? own : others).push_back(page);
            statistics_->homes_assigned += assigned ? 1 : 0;
        }
    }
    if (!own.empty()) {
        bring_runs(runs_of(&own), true);
    }
    if (!others.empty()) {
        bring_runs(runs_of(&others), false);
        statistics_->pages_prefetched += others.size();
    }
    for (uint32_t page = first; write && page < first + count; page++) {
        if (rights_[page] != Right::kWrite) {
            make_writable(page);
        }
    }
}

void Pages::make_writable(uint32_t page) {
    std::memcpy(take_twin(page), view_->page(page), page_bytes);
    statistics_->twins++;
    set({page, 1}, rights_[page], Right::kWrite);
    changed_.push_back(page);
}

uint8_t* Pages::take_twin(uint32_t page) {
    if (!is_home(page)) {
        return slot(page);
    }
    if (free_.empty()) {
        std::vector<uint32_t> own;
        std::copy_if(changed_.begin(), changed_.end(), std::back_inserter(own), [&](uint32_t i) { return is_home(i); });
        flush_pages(&own);
    }
    places_[page] = free_.back();
    free_.pop_back();
    return twin_of(page);
}

uint8_t* Pages::twin_of(uint32_t page) const {
    return places_[page] == no_twin ? slot(page) : pool_.get() + uint64_t{places_[page]} * page_bytes;
}

std::vector<PageRun> Pages::flush() {
    std::vector<uint32_t> pages = changed_;
    flush_pages(&pages);
    std::vector<PageRun> runs = runs_of(&written_);
    written_.clear();
    return runs;
}

// From kWrite to kRead.
void Pages::flush_pages(std::vector<uint32_t>* pages) {
    if (pages->empty()) {
        return;
    }
    const Timed time(&statistics_->flush_ns);
    for (const PageRun& run : runs_of(pages)) {
        set(run, Right::kWrite, Right::kRead);
    }
    std::erase_if(changed_, [&](uint32_t page) { return rights_[page] != Right::kWrite; });
    for (const uint32_t page : *pages) {
        compare(page);
    }
    service_->finish_diffs();
}

void Pages::compare(uint32_t page) {
    const uint8_t* const now = view_->page(page);
    const uint8_t* const twin = twin_of(page);
    bool has_changed = false;
    if (is_home(page)) {
        has_changed = store_changes(now, twin, slot(page)) != 0;
        free_.push_back(places_[page]);
        places_[page] = no_twin;
        statistics_->home_updates += has_changed ? 1 : 0;
        if (has_changed) {
            service_->home_changed(page);
        }
    } else {
        has_changed = service_->send_diff(page, now, twin);
    }
    if (has_changed) {
        written_.push_back(page);
    }
}

void Pages::invalidate(const Notices::News& news) {
    std::vector<uint32_t> gone, changed;
    const auto look_at = [&](uint32_t page) {
        if (rights_[page] == Right::kWrite) {
            changed.push_back(page);
        }
        if (rights_[page] != Right::kNone) {
            gone.push_back(page);
        }
    };
    if (news.everything) {
        for (uint32_t page = 0; page < rights_.size(); page++) {
            look_at(page);
        }
    }
    for (size_t i = 0; i < news.runs.size() && !news.everything; i++) {
        for (uint32_t page = news.runs[i].first; page < news.runs[i].first + news.runs[i].count; page++) {
            look_at(page);
        }
    }
    statistics_->invalidations += gone.size();
    flush_pages(&changed);
    // A home copy is here: a copy costs less than the fault that it spares.
    std::erase_if(gone, [&](uint32_t page) {
        const bool is_own = is_home(page);
        if (is_own) {
            std::memcpy(view_->page(page), slot(page), page_bytes);
        }
        return is_own;
    });
    for (const PageRun& run : runs_of(&gone)) {
        set(run, Right::kRead, Right::kNone);
    }
}

}  // namespace syncline::dsm
