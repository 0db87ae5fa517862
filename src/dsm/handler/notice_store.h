// SPDX-License-Identifier: BSD-3-Clause
// Write notices in the form in which messages carry them. A process divides its time into intervals, numbered from 1,
// each of which ends when the process flushes changes. A notice says that a process has written a run of pages in an
// interval. Knowledge is, for each process, the last of its intervals that is known; then all earlier ones are known.
//
// A store keeps the notices that others may lack, of all processes, because a grant of a lock hands on the notices of
// third processes, too. For a page and writer the latest notice is enough, because it says all that an earlier one
// does. A store that has grown drops the earlier ones, so its size is bounded by the pages that were written.
//
// In a message: {number of writers, for each {writer, its last known interval, number of intervals, for each {interval,
// number of runs, runs}}}.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "dsm/core/notices.h"
#include "dsm/handler/message.h"

namespace syncline::dsm {

using Knowledge = std::vector<uint64_t>;  // for each process

struct Notice {
    uint64_t interval;
    PageRun run;
};

class NoticeStore {
  public:
    NoticeStore(uint32_t processes, uint32_t pages) : pages_(pages), known_(processes, 0), logs_(processes) {}

    const Knowledge& known() const { return known_; }

    // Adds an interval that follows the last known one of its writer.
    void add(uint32_t writer, uint64_t interval, const std::vector<PageRun>& runs);
    // Appends the notices that a process with this knowledge lacks, except its own.
    void write(uint32_t to, const Knowledge& known, Message* message) const;
    // Takes in the notices that write() has appended; visits those that are new.
    using Visit = std::function<void(uint32_t writer, const Notice& notice)>;
    void read(Reader* message, const Visit& visit);
    // Drops notices that every process knows, given that all have this knowledge.
    void drop(const Knowledge& known);

    static void write(const Knowledge& known, Message* message) {
        message->add_bytes(known.data(), known.size() * sizeof(uint64_t));
    }
    Knowledge read_knowledge(Reader* message) const;

  private:
    struct Log {
        std::deque<Notice> notices;  // in the order of intervals
        size_t limit = limit_min;
    };
    static constexpr size_t limit_min = 64;

    using Place = std::deque<Notice>::const_iterator;
    static Place after(const Log& log, uint64_t interval);
    static uint32_t write_intervals(Place first, const Place& end, Message* message);
    void read_interval(uint32_t writer, Reader* message, const Visit& visit);
    void shorten(Log* log) const;

    const uint32_t pages_;
    Knowledge known_;
    std::vector<Log> logs_;
};

}  // namespace syncline::dsm
