// SPDX-License-Identifier: BSD-3-Clause
// Messages between processes, with the rules of ARMCI's message layer: by sender and tag, in order for each sender, of
// any length. They need no other library.
//
// A process has a ring of cells in the symmetric heap. A sender takes the next place by fetch&add, waits until the cell
// is free, writes it, and then its number. The receiver moves cells in order into its own memory whenever it waits,
// also while it sends, so two processes that send to each other never wait for ever.
//
// Words: any sender adds to `head`; the receiver stores `tail`, and senders read it; the sender stores a cell's
// `number` after the put of the rest is complete, and the receiver reads it (acquire).
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
    // Waits for the next message with the tag from that process, or from any process if `from` < 0. Returns the sender.
    int receive(int from, int tag, std::vector<uint8_t>* message);

  private:
    static constexpr uint32_t cells = 64;
    static constexpr int64_t pause_us = 50;  // wait of a sender that finds no room
    static constexpr uint32_t cell_bytes = 4096;
    struct Head {
        uint64_t number;  // ticket + 1, once the cell is written
        uint32_t from;
        int32_t tag;
        uint64_t total;  // length of the message
        uint64_t here;   // how many of these bytes are in this cell
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
    // Takes the messages that have come; returns false if there were none.
    bool take();
    void wait_for_next(int64_t timeout_us) const;  // < 0: for ever
    bool find(int from, int tag, int* sender, std::vector<uint8_t>* message);

    syncline_address_t base_ = 0;  // head, tail on a cache line of its own, cells
    uint8_t* own_ = nullptr;
    uint64_t tail_ = 0;
    std::vector<std::deque<Message>> come_;  // for each sender; the last message may be incomplete
};

}  // namespace syncline::armci
