// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/core/pages.h"

#include <algorithm>
#include <cstring>

namespace syncline::dsm {
namespace {

constexpr uint32_t ahead_max = 31;   // pages behind the one that a fault asks for
constexpr uint32_t pool_share = 32;  // of the shared pages, for twins of pages that have their home here
constexpr uint32_t pool_pages_min = 16;
constexpr uint8_t times_again = 7;

}  // namespace

Pages::Pages(const Remote* remote, const Layout* layout, View* view, PageService* service, Statistics* statistics,
             uint32_t pages)
    : remote_(remote),
      layout_(layout),
      view_(view),
      service_(service),
      statistics_(statistics),
      states_(pages),
      places_(pages, no_twin) {
    const uint32_t places = std::max(pool_pages_min, pages / pool_share);
    pool_.reset(new uint8_t[uint64_t{places} * page_bytes]);
    for (uint32_t place = places; place > 0; place--) {
        free_.push_back(place - 1);
    }
}

void Pages::set(PageRun run, Right from, Right to) {
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

uint32_t Pages::find_home(uint32_t page) {
    bool assigned = false;
    const uint32_t home = service_->find_home(page, &assigned);
    statistics_->homes_assigned += assigned ? 1 : 0;
    return home;
}

void Pages::fault(uint32_t page, bool write) {
    if (right(page) == Right::kNone) {
        bring(page);
    }
    if (write && right(page) != Right::kWrite) {
        make_writable(page);
    }
}

// A page, and those behind it where the program seems to go through its memory.
void Pages::bring(uint32_t page) {
    const uint32_t home = find_home(page);
    PageRun run = {page, 1};
    ahead_ = page == next_ ? std::min(2 * ahead_ + 1, ahead_max) : 0;
    while (run.count <= ahead_ && page + run.count < states_.size() && right(page + run.count) == Right::kNone &&
           service_->known_home(page + run.count) == home) {
        run.count++;
    }
    next_ = page + run.count;
    bring_runs({run}, home == remote_->me());
    states_[page].asked = true;
    statistics_->pages_prefetched += home == remote_->me() ? 0 : run.count - 1;
}

void Pages::bring_runs(const std::vector<PageRun>& runs, bool are_own) {
    for (const PageRun& run : runs) {
        view_->prepare(run.first, run.count);
    }
    if (are_own) {
        for (const PageRun& run : runs) {
            for (uint32_t page = run.first; page < run.first + run.count; page++) {
                copy_home(page);
            }
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

void Pages::copy_home(uint32_t page) {
    service_->await_home(page);
    std::memcpy(view_->page(page), slot(page), page_bytes);
}

void Pages::prefetch(uint32_t first, uint32_t count, bool write) {
    std::vector<uint32_t> own, others;
    for (uint32_t page = first; page < first + count; page++) {
        if (right(page) == Right::kNone) {
            (find_home(page) == remote_->me() ? own : others).push_back(page);
            states_[page].asked = true;
        }
    }
    bring_runs(runs_of(&own), true);
    bring_runs(runs_of(&others), false);
    statistics_->pages_prefetched += others.size();
    for (uint32_t page = first; write && page < first + count; page++) {
        if (right(page) != Right::kWrite) {
            make_writable(page);
        }
    }
}

void Pages::make_writable(uint32_t page) {
    std::memcpy(take_twin(page), view_->page(page), page_bytes);
    statistics_->twins++;
    set({page, 1}, right(page), Right::kWrite);
    changed_.push_back(page);
}

uint8_t* Pages::take_twin(uint32_t page) {
    if (!is_home(page)) {
        return slot(page);
    }
    if (free_.empty()) {
        std::vector<uint32_t> own;
        std::copy_if(changed_.begin(), changed_.end(), std::back_inserter(own), [&](uint32_t i) { return is_home(i); });
        flush_pages(&own, Habit::kIgnored);
    }
    places_[page] = free_.back();
    free_.pop_back();
    return twin_of(page);
}

uint8_t* Pages::twin_of(uint32_t page) const {
    return places_[page] == no_twin ? slot(page) : pool_.get() + uint64_t{places_[page]} * page_bytes;
}

void Pages::give_back_twin(uint32_t page) {
    if (places_[page] != no_twin) {
        free_.push_back(places_[page]);
        places_[page] = no_twin;
    }
}

std::vector<PageRun> Pages::flush() {
    std::vector<uint32_t> pages = changed_;
    flush_pages(&pages, Habit::kRespected);
    std::vector<PageRun> runs = runs_of(&written_);
    written_.clear();
    return runs;
}

// A page loses its right before it is compared for the last time, so no thread's write is lost between the two. A page
// that stays kWrite may be written meanwhile; its twin takes exactly the bytes that are sent.
void Pages::flush_pages(std::vector<uint32_t>* pages, Habit habit) {
    if (pages->empty()) {
        return;
    }
    const Timed time(&statistics_->flush_ns);
    std::vector<uint32_t> ending;
    for (const uint32_t page : *pages) {
        if (habit == Habit::kIgnored || !states_[page].changes || !send_changes(page)) {
            ending.push_back(page);
        }
    }
    set_all(&ending, Right::kWrite, Right::kRead);
    for (const uint32_t page : ending) {
        states_[page].changes = send_changes(page);
        give_back_twin(page);
    }
    std::erase_if(changed_, [&](uint32_t page) { return right(page) != Right::kWrite; });
    service_->finish_diffs();
}

// False: there are none.
bool Pages::send_changes(uint32_t page) {
    const uint8_t* const now = view_->page(page);
    uint8_t* const twin = twin_of(page);
    if (!is_home(page)) {
        if (!service_->send_diff(page, now, twin)) {
            return false;
        }
    } else if (store_changes(now, twin, slot(page)) != 0) {
        statistics_->home_updates++;
        service_->home_changed(page);
    } else {
        return false;
    }
    written_.push_back(page);
    return true;
}

// Each page once, although several processes may have written it.
std::vector<uint32_t> Pages::here_of(const Notices::News& news) const {
    std::vector<uint32_t> here;
    const auto look_at = [&](PageRun run) {
        for (uint32_t page = run.first; page < run.first + run.count; page++) {
            if (right(page) != Right::kNone) {
                here.push_back(page);
            }
        }
    };
    if (news.everything) {
        look_at({0, static_cast<uint32_t>(states_.size())});
    } else {
        std::for_each(news.runs.begin(), news.runs.end(), look_at);
        std::sort(here.begin(), here.end());
        here.erase(std::unique(here.begin(), here.end()), here.end());
    }
    return here;
}

// A home copy is here: to copy it costs less than the fault that it spares.
void Pages::invalidate(const Notices::News& news, bool again) {
    const std::vector<uint32_t> here = here_of(news);
    statistics_->invalidations += here.size();
    std::vector<uint32_t> changed, gone, wanted;
    std::copy_if(here.begin(), here.end(), std::back_inserter(changed),
                 [&](uint32_t page) { return right(page) == Right::kWrite; });
    flush_pages(&changed, Habit::kIgnored);
    for (const uint32_t page : here) {
        if (is_home(page)) {
            copy_home(page);
            continue;
        }
        gone.push_back(page);
        if (is_likely_to_be_used(page) && again) {
            wanted.push_back(page);
        }
    }
    set_all(&gone, Right::kRead, Right::kNone);
    bring_runs(runs_of(&wanted), false);
    statistics_->pages_prefetched += wanted.size();
}

bool Pages::is_likely_to_be_used(uint32_t page) {
    State& state = states_[page];
    if (state.asked) {
        state.again = times_again;
    } else if (state.again > 0) {
        state.again--;
    }
    state.asked = false;
    return state.again > 0;
}

}  // namespace syncline::dsm
