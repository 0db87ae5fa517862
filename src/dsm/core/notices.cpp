// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/core/notices.h"

#include <algorithm>

#include "base/check.h"

namespace syncline::dsm {

static_assert(sizeof(Notices::Row) == Layout::row_bytes && sizeof(Notices::Row::records) == Shape().row_records * 8);

void sort_once(std::vector<uint32_t>* pages) {
    std::sort(pages->begin(), pages->end());
    pages->erase(std::unique(pages->begin(), pages->end()), pages->end());
    SYNCLINE_CHECK(std::adjacent_find(pages->begin(), pages->end()) == pages->end(), "a page is twice in %zu",
                   pages->size());
}

std::vector<PageRun> runs_of(std::vector<uint32_t>* pages) {
    sort_once(pages);
    std::vector<PageRun> runs;
    for (const uint32_t page : *pages) {
        if (!runs.empty() && page == runs.back().first + runs.back().count && runs.back().count < Record::count_max) {
            runs.back().count++;
        } else {
            runs.push_back({page, 1});
        }
    }
    return runs;
}

void Notices::publish(const std::vector<PageRun>& runs) {
    if (runs.empty()) {
        return;
    }
    uint64_t& head = known_[remote_->me()];
    SYNCLINE_CHECK(head == __atomic_load_n(remote_->own_word(layout_->head), __ATOMIC_RELAXED), "position %lu", head);
    for (const PageRun& run : runs) {
        SYNCLINE_ASSERT(run.count >= 1 && run.count <= Record::count_max, "%u pages from %u on", run.count, run.first);
        __atomic_store_n(remote_->own_word(layout_->record(head)), Record::make(run, turn(head)), __ATOMIC_RELAXED);
        head++;
        statistics_->notices_sent += run.count;
    }
    __atomic_store_n(remote_->own_word(layout_->head), head, __ATOMIC_RELEASE);
}

bool Notices::take(uint64_t record, uint64_t position, News* news) {
    if (Record::turn_of(record) != turn(position)) {
        return false;
    }
    news->runs.push_back(Record::run(record));
    statistics_->notices_received += news->runs.back().count;
    return true;
}

// Gets records in at most two parts, because the log is a ring.
void Notices::get_records(Remote::Together* gets, uint32_t process, uint64_t from, uint64_t count, uint64_t* to) const {
    SYNCLINE_ASSERT(count != 0 && count <= layout_->records(), "%lu of %u records", count, layout_->records());
    const uint64_t first = std::min<uint64_t>(count, layout_->records() - from % layout_->records());
    gets->get(process, layout_->record(from), to, first * sizeof(uint64_t));
    if (count > first) {
        gets->get(process, layout_->record(0), to + first, (count - first) * sizeof(uint64_t));
    }
}

// All of these records were published before they were read, so a record of another turn has been overwritten.
void Notices::take_log(uint32_t process, const uint64_t* records, uint64_t count, News* news) {
    for (uint64_t i = 0; i < count; i++) {
        news->everything = news->everything || !take(records[i], known_[process] + i, news);
    }
    SYNCLINE_ASSERT(process != remote_->me(), "%lu own records", count);
    known_[process] += count;
}

void Notices::read_to(const std::vector<uint64_t>& knowledge, News* news) {
    struct Part {
        uint32_t process;
        uint64_t count;
        size_t at;
    };
    std::vector<Part> parts;
    size_t total = 0;
    for (uint32_t process = 0; process < knowledge.size(); process++) {
        if (knowledge[process] <= known_[process] || process == remote_->me()) {
            continue;
        }
        const uint64_t count = knowledge[process] - known_[process];
        if (count > layout_->records()) {
            news->everything = true;
            known_[process] = knowledge[process];
            continue;
        }
        parts.push_back({process, count, total});
        total += count;
    }
    if (parts.empty()) {
        return;
    }
    std::vector<uint64_t> records(total);
    Remote::Together gets(remote_);
    for (const Part& part : parts) {
        get_records(&gets, part.process, known_[part.process], part.count, records.data() + part.at);
    }
    gets.finish();
    for (const Part& part : parts) {
        take_log(part.process, records.data() + part.at, part.count, news);
        SYNCLINE_ASSERT(known_[part.process] == knowledge[part.process], "%lu of %lu records of PE %u",
                        known_[part.process], knowledge[part.process], part.process);
    }
}

// Returns how many records to read at once, up to the end of the ring: likely as many as are new.
uint64_t Notices::at_once(uint32_t process) const {
    return std::min<uint64_t>(records_at_once, layout_->records() - known_[process] % layout_->records());
}

// Takes those of the records that came along that are before `head`.
void Notices::take_at_once(uint32_t process, const uint64_t* records, uint64_t head, News* news) {
    const uint64_t fresh = head - std::min(head, known_[process]);
    take_log(process, records, std::min(fresh, at_once(process)), news);
}

std::vector<uint64_t> Notices::read_to_that_of(uint32_t process, uint64_t offset, News* news) {
    const uint64_t count = at_once(process);
    const uint64_t first = layout_->record(known_[process]);
    const syncline_piece_t pieces[] = {{0, count * sizeof(uint64_t)},
                                       {offset - first, remote_->processes() * sizeof(uint64_t)}};
    std::vector<uint64_t> both(count + remote_->processes());
    Remote::Together get(remote_);
    get.get_pieces(process, first, pieces, 2, both.data());
    get.finish();
    std::vector<uint64_t> knowledge(both.begin() + static_cast<int64_t>(count), both.end());
    take_at_once(process, both.data(), knowledge[process], news);
    read_to(knowledge, news);
    return knowledge;
}

// Each head comes with as many records as are likely to be new. If a reply's records are older than its head, one of
// them is of another turn, and counts as overwritten: there is no guarantee about the order in which pieces are read.
void Notices::read_all(const std::vector<uint32_t>& processes, News* news) {
    struct Look {
        uint64_t head;
        uint64_t records[records_at_once];
    };
    std::vector<Look> looks(processes.size());
    Remote::Together gets(remote_);
    for (size_t i = 0; i < processes.size(); i++) {
        const uint64_t from = layout_->record(known_[processes[i]]) - layout_->head;
        const syncline_piece_t pieces[] = {{0, sizeof(uint64_t)}, {from, at_once(processes[i]) * sizeof(uint64_t)}};
        gets.get_pieces(processes[i], layout_->head, pieces, 2, &looks[i]);
    }
    gets.finish();
    std::vector<uint64_t> heads = known_;
    for (size_t i = 0; i < processes.size(); i++) {
        const uint32_t process = processes[i];
        heads[process] = looks[i].head;
        take_at_once(process, looks[i].records, looks[i].head, news);
    }
    read_to(heads, news);
}

Notices::Row Notices::row(uint64_t from, uint64_t heard) const {
    Row row = {.from = from, .head = published(), .heard = heard};
    SYNCLINE_ASSERT(from <= row.head, "records from %lu to %lu", from, row.head);
    const uint64_t count = std::min<uint64_t>(row.head - from, layout_->row_records());
    for (uint64_t i = 0; i < count; i++) {
        row.records[i] = __atomic_load_n(remote_->own_word(layout_->record(from + i)), __ATOMIC_RELAXED);
    }
    return row;
}

void Notices::post(uint64_t barrier, const Row& row) const {
    const uint32_t me = remote_->me();
    remote_->put(me / Layout::group * Layout::group, layout_->board_row(barrier, me), &row, sizeof(row));
}

// A row of an earlier barrier, at which its process had no news, contains only known records.
void Notices::take_row(uint32_t process, const Row& row, std::vector<uint64_t>* heads, News* news) {
    uint64_t& known = known_[process];
    const uint64_t end = std::min<uint64_t>(row.head, row.from + layout_->row_records());
    if (row.from <= known && known < end) {
        take_log(process, row.records + (known - row.from), end - known, news);
    }
    (*heads)[process] = std::max(known, row.head);
}

// Gets from each board, at once, all rows between the first and the last that has news.
uint64_t Notices::read_boards(uint64_t barrier, const std::vector<uint32_t>& processes, News* news) {
    std::vector<Row> rows(remote_->processes());
    Remote::Together gets(remote_);
    for (size_t i = 0; i < processes.size();) {
        const uint32_t board = processes[i] / Layout::group;
        const uint32_t first = processes[i];
        uint32_t last = first;
        for (; i < processes.size() && processes[i] / Layout::group == board; i++) {
            last = processes[i];
        }
        gets.get(board * Layout::group, layout_->board_row(barrier, first), &rows[first],
                 (last - first + 1) * sizeof(Row));
    }
    gets.finish();
    std::vector<uint64_t> heads = known_;
    uint64_t heard = 0;
    for (const uint32_t process : processes) {
        take_row(process, rows[process], &heads, news);
        heard |= rows[process].heard;
    }
    read_to(heads, news);
    return heard;
}

}  // namespace syncline::dsm
