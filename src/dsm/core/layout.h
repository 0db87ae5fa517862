// SPDX-License-Identifier: BSD-3-Clause
// The layout of the segment by which a process takes part in the shared memory. The segments of all processes have the
// same number and layout, so an offset means the same at each process. docs/PROTOCOL.md has the table.
//
// Writers:
//   head, records   their process; other processes read (notices.h)
//   board           the processes of a group, each its row, at the first process of the group, before a barrier; all
//                   processes read it after the barrier (notices.h)
//   take            any process, at process 0: how many numbers have been given out
//   (after take)    any process, at the first that lives: how many have found the memory lost (live/session.cpp)
//   scratch         its process, between two barriers; other processes read (live/session.h)
//   directory       any process, by compare&swap of words of the default home (directory.h)
//   locks           runtime/lock
//   knowledge       its process, while it holds the lock; the next holder reads (onesided/onesided_synchroniser.h)
//   conditions, flags, wakes    any process (conditions.h)
//   mail            each process, its own ring (handler/mailbox.h)
//   room            each process's handler, that process's word (handler/mailbox.h)
//   arrived         handlers that put pages here (handler/mailbox.h)
//   versions        the home's handler, and for its own changes the home itself (handler/versions.h)
//   slots           If the page has its home here, its slot is the home copy, which other processes' NICs read and
//                   write. For any other page it is the twin, which only this process uses (pages.h); or, while a
//                   thread waits for the page, the page, which the handler of its home puts there
//                   (handler/async_pages.h).
#pragma once

#include <cstdint>

#include "base/sizes.h"
#include "dsm/core/view.h"
#include "runtime/lock/lock.h"

namespace syncline::dsm {

struct Shape {
    uint32_t processes;
    uint32_t pages;
    uint32_t locks;  // locks that programs may name; the library has as many for flags, and some of its own
    bool handled;    // the protocol has handlers (ardmar, async)
    // Simulations make these smaller, so that the ring wraps and the mailbox and rows fill.
    uint32_t records = 16384;   // of a process's log
    uint32_t mail_cells = 32;   // in each ring of messages; a multiple of 4
    uint32_t row_records = 29;  // records for which a row of a board has room
};

class Layout {
  public:
    static constexpr uint32_t own_locks = 1;  // of the allocator
    static constexpr uint64_t scratch_bytes = 1u << 14;
    static constexpr uint64_t mail_cell_bytes = 1024;
    static constexpr uint32_t group = 16;  // processes that share one board
    static constexpr uint64_t row_bytes = 256;

    explicit Layout(const Shape& shape) : shape_(shape) {
        const uint64_t n = shape.processes;
        const uint64_t words = (n + 63) / 64;
        place(&head, 64);
        place(&take, 64);
        place(&scratch, scratch_bytes);
        place(&records_at, uint64_t{shape.records} * 8);
        place(&board, has_board() ? 2 * group * row_bytes : 0);
        place(&directory, uint64_t{shape.pages} * 8);
        place(&lock_words, lock_count() * LockLayout::bytes);
        place(&knowledge, lock_count() * n * 8);
        place(&conditions, 2 * per_home() * words * 8);
        place(&flags, per_home() * 8);
        place(&wakes, 2 * uint64_t{shape.locks} * 8);
        place(&arrived, shape.handled ? 64 : 0);
        place(&room, shape.handled ? n * 8 : 0);
        place(&versions, shape.handled ? uint64_t{shape.pages} * n * 8 : 0);
        bytes = round_up(bytes, page_bytes);
        place(&mail, shape.handled ? n * shape.mail_cells * mail_cell_bytes : 0);
        bytes = round_up(bytes, page_bytes);
        place(&slots, uint64_t{shape.pages} * page_bytes);
        bytes = round_up(bytes, uint64_t{1} << 16);
    }

    uint64_t lock_count() const { return 2 * uint64_t{shape_.locks} + own_locks; }
    uint64_t lock(uint32_t lock) const { return lock_words + uint64_t{lock} * LockLayout::bytes; }
    // At the lock's last holder.
    uint64_t knowledge_of(uint32_t lock) const { return knowledge + uint64_t{lock} * shape_.processes * 8; }
    uint64_t slot(uint32_t page) const { return slots + uint64_t{page} * page_bytes; }
    uint64_t home_word(uint32_t page) const { return directory + uint64_t{page} * 8; }
    uint32_t records() const { return shape_.records; }
    uint64_t record(uint64_t position) const { return records_at + position % shape_.records * 8; }
    // With few processes, each looks at the others' logs instead.
    bool has_board() const { return shape_.processes > 4 && !shape_.handled; }
    // The board of the process's group. Barriers use two boards by turns.
    uint64_t board_row(uint64_t barrier, uint32_t process) const {
        return board + (barrier % 2 * group + process % group) * row_bytes;
    }
    uint32_t row_records() const { return shape_.row_records; }
    uint32_t mail_cells() const { return shape_.mail_cells; }
    // Returns a cell of the ring of messages from one process.
    uint64_t mail_cell(uint32_t from, uint64_t number) const {
        return mail + (uint64_t{from} * shape_.mail_cells + number % shape_.mail_cells) * mail_cell_bytes;
    }
    uint64_t room_of(uint32_t to) const { return room + uint64_t{to} * 8; }
    uint64_t version(uint32_t page, uint32_t writer) const {
        return versions + (uint64_t{page} * shape_.processes + writer) * 8;
    }

    uint64_t head = 0, take = 0, scratch = 0, records_at = 0, board = 0, directory = 0, lock_words = 0, knowledge = 0,
             conditions = 0;
    uint64_t flags = 0, wakes = 0, arrived = 0, room = 0, versions = 0, mail = 0, slots = 0;
    uint64_t bytes = 0;

  private:
    uint64_t per_home() const { return shape_.locks / shape_.processes + 1; }
    void place(uint64_t* part, uint64_t length) {
        *part = bytes;
        bytes = round_up(bytes + length, 128);
    }

    const Shape shape_;
};

}  // namespace syncline::dsm
