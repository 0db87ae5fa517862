// SPDX-License-Identifier: BSD-3-Clause
// Messages between processes, as ARMCI's message layer has them: by sender and tag, in order for each sender, of any
// length. They need no other library.
//
// A process has a ring of cells in the symmetric heap. A sender takes the next place by fetch&add, waits until the cell
// is free, writes it, and then its number. The receiver takes cells out in order, into its own memory, whenever it
// waits: also while it sends, so two that send to each other never wait for ever.
//
// Words: `head`, any sender adds; `tail`, the receiver stores, senders read; a cell's `number`, the sender stores
// behind the put of the rest, which is complete then, and the receiver reads it (acquire).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "syncline.h"

namespace syncline::armci {

class Mailbox {
  public:
    // Collective.
    explicit Mailbox(int processes);

    void send(int to, int tag, const void* bytes, size_t count);
    // Waits for the next one with the tag from that process, or from any if `from` < 0. Returns the sender.
    int receive(int from, int tag, std::vector<uint8_t>* message);

  private:
    static constexpr uint32_t cells = 64;
    static constexpr int64_t pause_us = 50;  // of a sender that finds no room
    static constexpr uint32_t cell_bytes = 4096;
    struct Head {
        uint64_t number;  // ticket + 1, once the cell is written
        uint32_t from;
        int32_t tag;
        uint64_t total;  // bytes of the message
        uint64_t here;   // of these, in this cell
    };
    static constexpr uint32_t room = cell_bytes - sizeof(Head);
    static constexpr uint64_t ring_bytes = 128 + uint64_t{cells} * cell_bytes;

    struct Message {
        int tag;
        uint64_t total;
        std::vector<uint8_t> bytes;
    };

    syncline_address_t cell(uint64_t ticket) const { return base_ + 128 + ticket % cells * cell_bytes; }
    void send_cell(int to, const Head& head, const uint8_t* bytes);
    // Takes what has come; false: nothing.
    bool take();
    void wait_for_next(int64_t timeout_us) const;  // < 0: for ever
    bool find(int from, int tag, int* sender, std::vector<uint8_t>* message);

    syncline_address_t base_ = 0;  // head, tail on a line of its own, cells
    uint8_t* own_ = nullptr;
    uint64_t tail_ = 0;
    std::vector<std::deque<Message>> come_;  // from each process; the last one may be incomplete
};

}  // namespace syncline::armci
