// SPDX-License-Identifier: BSD-3-Clause
// Messages between the processes' handlers, of any length, in order for each pair of processes; and pages, put to the
// place where their reader waits for them.
//
// Guarantee: no call waits for another process's handler or application. A message for which there is no room yet is
// kept here, and pump() sends it later.
//
// Each process has a ring of cells for every other process. A sender knows its next cell without asking, so a message
// of up to a cell is one put with a signal (the paper's RDMA Write with immediate data); a longer one takes several
// cells. A receiver reports each quarter of a ring that it has taken to the sender: 1 message for 8 cells. A page is
// one put with signals, in as many packets as it needs, none of which waits for another.
//
// Shared words: a cell's `number`, which the sender's put swaps after the rest of the cell, counts cells from 1 on, so
// it tells to which turn of the ring the cell belongs; the receiver reads it (acquire). The receiver adds to `room` at
// the sender: the number of cells that it has taken so far. Each part of a page adds its bytes to `arrived` after it:
// the number of bytes so far. On a lossy network parts and additions may change their order, which does not change the
// sums.
//
// Threads: all calls are made under the handler's lock, except has_work(), queued() and arrived(). Failed operations
// are not checked: a process that waits finds out that another one is gone, and each process waits for every operation
// that matters.
#pragma once

#include <atomic>
#include <deque>
#include <vector>

#include "dsm/core/remote.h"

namespace syncline::dsm {

class Mailbox {
  public:
    Mailbox(const Remote* remote, const Layout* layout);
    ~Mailbox();
    Mailbox(const Mailbox&) = delete;
    Mailbox& operator=(const Mailbox&) = delete;

    void send(uint32_t to, const std::vector<uint8_t>& message);
    // Takes the next message that is here; returns false if there is none.
    bool take(uint32_t* from, std::vector<uint8_t>* message);
    void pump();
    // Returns whether there is a message, or room for a message that is kept.
    bool has_work() const;
    // Return how many cells are kept for a process, or for all.
    uint32_t queued(uint32_t to) const { return peers_[to].queued.load(std::memory_order_relaxed); }
    uint32_t queued() const { return queued_.load(std::memory_order_relaxed); }

    // Puts a page from this process's slot into the same slot of another process.
    void put_page(uint32_t to, uint32_t page);
    uint64_t arrived() const { return __atomic_load_n(remote_->own_word(layout_->arrived), __ATOMIC_ACQUIRE); }

    // Waits until all messages sent from here have reached their targets; no message is kept any more.
    void finish();

  private:
    struct Cell {
        uint64_t number;
        uint32_t here;  // bytes of the message in this cell
        uint32_t left;  // bytes in the cells behind
        uint8_t bytes[Layout::mail_cell_bytes - 16];
    };
    static_assert(sizeof(Cell) == Layout::mail_cell_bytes);
    struct Peer {
        uint64_t sent = 0;
        std::deque<Cell> waiting;  // without numbers
        std::atomic<uint32_t> queued{0};
        std::atomic<uint64_t> taken{0};
        std::vector<uint8_t> part;  // the parts so far of a message that is not complete
    };

    const Cell* next_cell(uint32_t from) const;
    bool has_room(uint32_t to) const;
    void post(uint32_t to, const Cell& cell);
    uint32_t cells() const { return layout_->mail_cells(); }
    void add(uint32_t to, uint64_t offset, uint64_t value);
    bool take_from(uint32_t from);
    Batches& batches() const { return remote_->endpoint().batches(); }

    const Remote* const remote_;
    const Layout* const layout_;
    Batch* const posted_;
    std::vector<Peer> peers_;
    std::atomic<uint32_t> queued_{0};
    uint32_t next_ = 0;  // the process whose turn it is
};

}  // namespace syncline::dsm
