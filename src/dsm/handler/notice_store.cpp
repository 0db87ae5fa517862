// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/handler/notice_store.h"

#include <algorithm>

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

std::deque<Notice>::const_iterator NoticeStore::after(const Log& log, uint64_t interval) {
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
        const auto first = after(logs_[writer], known[writer]);
        const auto end = logs_[writer].notices.end();
        message->add(writer).add(known_[writer]).add(static_cast<uint32_t>(end - first));
        std::for_each(first, end, [&](const Notice& notice) { message->add(notice); });
    }
    message->set(place, writers);
}

void NoticeStore::read(Reader* message, const Visit& visit) {
    for (auto writers = message->take<uint32_t>(); writers > 0; writers--) {
        const auto writer = message->take<uint32_t>();
        const auto last = message->take<uint64_t>();
        Log& log = logs_.at(writer);
        for (auto count = message->take<uint32_t>(); count > 0; count--) {
            const auto notice = message->take<Notice>();
            if (notice.interval > known_[writer]) {
                log.notices.push_back(notice);
                visit(writer, notice);
            }
        }
        known_[writer] = std::max(known_[writer], last);
        if (log.notices.size() > log.limit) {
            shorten(&log);
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

// From the latest notice back: pages that a later one has are left out.
void NoticeStore::shorten(Log* log) const {
    std::vector<bool> seen(pages_);
    std::deque<Notice> kept;
    for (auto notice = log->notices.rbegin(); notice != log->notices.rend(); ++notice) {
        for (uint32_t page = notice->run.first; page < notice->run.first + notice->run.count; page++) {
            if (seen[page]) {
                continue;
            }
            seen[page] = true;
            PageRun* const last = kept.empty() ? nullptr : &kept.front().run;
            if (last != nullptr && kept.front().interval == notice->interval && page == last->first + last->count) {
                last->count++;
            } else {
                kept.push_front({notice->interval, {page, 1}});
            }
        }
    }
    log->notices.swap(kept);
    log->limit = std::max(limit_min, 2 * log->notices.size());
}

}  // namespace syncline::dsm
