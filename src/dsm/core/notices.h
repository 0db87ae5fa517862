// SPDX-License-Identifier: BSD-3-Clause
// Write notices: which pages a process has written. Each process publishes its notices in a log that others read. A
// position in a log counts records since the beginning, and a process's knowledge is a position in each log. A lock
// hands on knowledge: a process that takes in the records up to a position has seen everything that happened before
// that position.
//
// A log is a ring of Layout::records(), so a late reader may find a record overwritten: each record carries the number
// of its turn round the ring. Such a reader treats every page as written.
//
// Boards spare processes the look into each log at a barrier. A process with news puts it, as a row, on the board of
// its group of processes before it comes to the barrier, and after the barrier each process gets the boards. A row
// belongs to one barrier, and its place is used again two barriers later, when all have read it.
//
// Shared words: a process stores a record (relaxed), then `head` (release). Readers get records below a position that a
// lock has brought them, or that they have got from `head` before.
#pragma once

#include <cstdint>
#include <vector>

#include "dsm/core/remote.h"
#include "dsm/core/statistics.h"

namespace syncline::dsm {

struct PageRun {
    uint32_t first;
    uint32_t count;
};

// The first page, how many more pages there are, and the turn, from 1 on, so that memory that is 0 is no record.
struct Record {
    static uint64_t make(PageRun run, uint16_t turn) {
        return uint64_t{turn} << 48 | uint64_t{run.count - 1} << 32 | run.first;
    }
    static PageRun run(uint64_t record) {
        return {static_cast<uint32_t>(record), static_cast<uint32_t>(record >> 32 & 0xFFFF) + 1};
    }
    static uint16_t turn_of(uint64_t record) { return static_cast<uint16_t>(record >> 48); }
    static constexpr uint32_t count_max = 1u << 16;
};

// sort_once() sorts pages and removes repetitions; runs_of() does so and returns them as runs.
void sort_once(std::vector<uint32_t>* pages);
std::vector<PageRun> runs_of(std::vector<uint32_t>* pages);

class Notices {
  public:
    Notices(const Remote* remote, const Layout* layout, Statistics* statistics)
        : remote_(remote), layout_(layout), statistics_(statistics), known_(remote->processes(), 0) {}

    const std::vector<uint64_t>& known() const { return known_; }
    uint64_t published() const { return known_[remote_->me()]; }

    // Adds pages to this process's log; their changes are at their homes already.
    void publish(const std::vector<PageRun>& runs);

    // Pages that other processes have written, which this process must invalidate.
    struct News {
        std::vector<PageRun> runs;
        bool everything = false;  // records were lost: every page counts as written
    };
    // Reads up to the knowledge of another process; or up to the knowledge stored at `offset` there, which it returns.
    void read_to(const std::vector<uint64_t>& knowledge, News* news);
    std::vector<uint64_t> read_to_that_of(uint32_t process, uint64_t offset, News* news);
    // Reads up to the heads of the logs of these processes.
    void read_all(const std::vector<uint32_t>& processes, News* news);

    // A process's news at a barrier: the records from `from` on, as many as fit; and the other processes (as bits,
    // modulo 64) of which it has heard more than all know.
    struct Row {
        uint64_t from = 0, head = 0, heard = 0;
        uint64_t records[Layout::row_bytes / 8 - 3] = {};
    };
    Row row(uint64_t from, uint64_t heard) const;
    void post(uint64_t barrier, const Row& row) const;
    // Reads the rows of these processes, in ascending order, up to their heads. Returns the other processes of which
    // they have heard.
    uint64_t read_boards(uint64_t barrier, const std::vector<uint32_t>& processes, News* news);

  private:
    static constexpr uint64_t records_at_once = 30;  // of a log, together with other data from there

    uint64_t at_once(uint32_t process) const;
    void take_at_once(uint32_t process, const uint64_t* records, uint64_t head, News* news);
    uint16_t turn(uint64_t position) const { return static_cast<uint16_t>(position / layout_->records() + 1); }
    bool take(uint64_t record, uint64_t position, News* news);
    void take_row(uint32_t process, const Row& row, std::vector<uint64_t>* heads, News* news);
    void take_log(uint32_t process, const uint64_t* records, uint64_t count, News* news);
    void get_records(Remote::Together* gets, uint32_t process, uint64_t from, uint64_t count, uint64_t* to) const;

    const Remote* const remote_;
    const Layout* const layout_;
    Statistics* const statistics_;
    std::vector<uint64_t> known_;
};

}  // namespace syncline::dsm
