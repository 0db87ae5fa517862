// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/handler/notice_store.h"

#include <algorithm>
#include <ranges>

namespace syncline::dsm {

void NoticeStore::add(uint32_t writer, uint64_t interval, const std::vector<PageRun>& runs) {
    Log& log = logs_[writer];
    for (const PageRun& run : runs) {
        log.notices.push_back({interval, run});
    }
    known_[writer] = interval;
    if (log.notices.size() > log.limit) {
        shorten(&log);
    }
}

NoticeStore::Place NoticeStore::after(const Log& log, uint64_t interval) {
    return std::upper_bound(log.notices.begin(), log.notices.end(), interval,
                            [](uint64_t bound, const Notice& notice) { return bound < notice.interval; });
}

void NoticeStore::write(uint32_t to, const Knowledge& known, Message* message) const {
    const size_t place = message->size();
    uint32_t writers = 0;
    message->add(writers);
    for (uint32_t writer = 0; writer < known_.size(); writer++) {
        if (writer == to || known[writer] >= known_[writer]) {
            continue;
        }
        writers++;
        message->add(writer).add(known_[writer]);
        const size_t count = message->size();
        message->add(uint32_t{0});
        const Log& log = logs_[writer];
        message->set(count, write_intervals(after(log, known[writer]), log.notices.end(), message));
    }
    message->set(place, writers);
}

// Returns how many intervals it has written.
uint32_t NoticeStore::write_intervals(Place first, const Place& end, Message* message) {
    uint32_t intervals = 0;
    for (; first != end; intervals++) {
        const uint64_t interval = first->interval;
        message->add(interval);
        const size_t count = message->size();
        uint32_t runs = 0;
        message->add(runs);
        for (; first != end && first->interval == interval; ++first, runs++) {
            message->add(first->run);
        }
        message->set(count, runs);
    }
    return intervals;
}

void NoticeStore::read(Reader* message, const Visit& visit) {
    for (auto writers = message->take<uint32_t>(); writers > 0; writers--) {
        const auto writer = message->take<uint32_t>();
        const auto last = message->take<uint64_t>();
        if (writer >= logs_.size()) {
            fail(SYNCLINE_ERR_PROTOCOL, "a message of the shared memory is damaged: there is no process {}", writer);
        }
        Log& log = logs_[writer];
        for (auto intervals = message->take<uint32_t>(); intervals > 0; intervals--) {
            read_interval(writer, message, visit);
        }
        known_[writer] = std::max(known_[writer], last);
        if (log.notices.size() > log.limit) {
            shorten(&log);
        }
    }
}

void NoticeStore::read_interval(uint32_t writer, Reader* message, const Visit& visit) {
    const auto interval = message->take<uint64_t>();
    for (auto runs = message->take<uint32_t>(); runs > 0; runs--) {
        const Notice notice = {interval, message->take<PageRun>()};
        if (notice.run.first >= pages_ || notice.run.count > pages_ - notice.run.first) {
            fail(SYNCLINE_ERR_PROTOCOL, "a message of the shared memory is damaged: there are no {} pages from {} on",
                 notice.run.count, notice.run.first);
        }
        if (interval > known_[writer]) {
            logs_[writer].notices.push_back(notice);
            visit(writer, notice);
        }
    }
}

void NoticeStore::drop(const Knowledge& known) {
    for (uint32_t writer = 0; writer < known_.size(); writer++) {
        logs_[writer].notices.erase(logs_[writer].notices.begin(), after(logs_[writer], known[writer]));
    }
}

Knowledge NoticeStore::read_knowledge(Reader* message) const {
    Knowledge known(known_.size());
    std::memcpy(known.data(), message->take_bytes(known.size() * sizeof(uint64_t)), known.size() * sizeof(uint64_t));
    return known;
}

// Goes from the latest notice back, and leaves out pages that a later notice has.
void NoticeStore::shorten(Log* log) const {
    std::vector<bool> seen(pages_);
    std::deque<Notice> kept;
    for (const Notice& notice : std::views::reverse(log->notices)) {
        for (uint32_t page = notice.run.first; page < notice.run.first + notice.run.count; page++) {
            if (seen[page]) {
                continue;
            }
            seen[page] = true;
            PageRun* const last = kept.empty() ? nullptr : &kept.front().run;
            if (last != nullptr && kept.front().interval == notice.interval && page == last->first + last->count) {
                last->count++;
            } else {
                kept.push_front({notice.interval, {page, 1}});
            }
        }
    }
    log->notices.swap(kept);
    log->limit = std::max(limit_min, 2 * log->notices.size());
}

}  // namespace syncline::dsm
