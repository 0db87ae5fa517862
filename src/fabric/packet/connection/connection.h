// SPDX-License-Identifier: BSD-3-Clause
// One connection: this port's window of slots towards one node.
//
// Each slot carries one request packet at a time, numbered by the slot's own sequence. The packet's image lies in
// memory that the daemon maps, too, so that the daemon's timer can send it again for a process that computes. The
// firmware, on this node's NIC or in this process, deposits the answer in the slot's completion.
//
// Packets have the length that every path carries until a probe has come back. A probe is a get in the runtime's own
// slot, whose request and reply have the length that is to be tried. No operation waits for a probe.
//
// If longer packets stay without an answer, the path may carry less than it did. Then the connection closes their
// sequences by short packets (SLW_CLOSE), whose answers say whether the target has executed the requests, and sends the
// requests that it has not executed in parts; it repeats gets in parts. The first answer to a part, or a CLOSED, shows
// that the node lives and that the longer packet was lost. From then on the connection assumes that the path carries
// the least, and probes anew.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>

#include "base/check.h"
#include "base/trace.h"
#include "fabric/completion.h"
#include "fabric/packet/connection/buffers.h"
#include "fabric/packet/connection/chains.h"
#include "fabric/packet/connection/cut_request.h"
#include "fabric/packet/connection/pace.h"
#include "fabric/packet/connection/path_length.h"
#include "fabric/packet/transport.h"
#include "firmware/native.h"
#include "job/job.h"

namespace syncline {

// A slot's packet, and the completion and result for which it was sent.
struct Slot {
    fw_image* image = nullptr;         // in the slot's buffer; a free slot keeps those of its last request
    fw_completion* arrived = nullptr;  // in the slot's buffer, too
    uint32_t sequence = 0;
    uint16_t buffer = 0;
    uint32_t issued = 0;               // the last sequence that was sent
    Completion* completion = nullptr;  // raised for this packet; NULL once its caller has given up
    void* result = nullptr;            // where results or data go
    uint32_t result_bytes = 0;
    uint32_t reply_bytes = 0;  // length that the reply must have, result and all
    uint64_t first_sent_ns = 0;
    uint64_t last_sent_ns = 0;  // 0: the rest of a request, which has not been sent yet
    uint64_t next_retry_ns = 0;
    uint64_t retry_interval_ns = 0;
    uint32_t resent = 0;              // how often this process has sent the packet again
    bool closing = false;             // a SLW_CLOSE is under way in the request's place
    uint32_t too_long = 0;            // length of the request that was closed or cut
    std::unique_ptr<CutRequest> cut;  // the request in parts

    // Expects a reply of `reply` bytes, whose first `bytes` go to `to`.
    void expect(void* to, uint32_t bytes, uint32_t reply) {
        result = to;
        result_bytes = bytes;
        reply_bytes = reply;
    }
};

// The packet of posted operations that is being filled.
struct Posted {
    int slot = -1;  // -1: none is being filled
    uint32_t units = 0;
    uint32_t most = 0;                 // units that the packet has room for
    slw_unit* next = nullptr;          // where the next unit goes
    Completion* completion = nullptr;  // the completion of all its operations; NULL: no packet is being filled
};

// The end of a slot's request.
struct Answer {
    Completion* completion;  // Slot::completion
    int status;              // SYNCLINE_*
};

class Connection {
  public:
    // `buffers`: of all connections of the PE. `words`: of the PE's port. `peer_timeout_ns`: see retransmit().
    Connection(const fw_config* config, uint32_t rank, uint32_t port, uint32_t node, Buffers* buffers,
               const fw_port* words, Transport* transport, uint64_t peer_timeout_ns, const Trace* trace);

    // Takes a free slot and a buffer, and writes the packet's header, for one unit; returns -1 if either is missing.
    // With a window of at least two, the last slot is the runtime's own: its requests do not count among those of the
    // PE.
    int take_slot(bool runtime = false) {
        const uint64_t usable = free_ & (runtime && runtime_slots_ != 0 ? runtime_slots_ : ~runtime_slots_);
        if (usable == 0 || !buffers_->any()) {
            return -1;
        }
        const int slot = std::countr_zero(usable);
        SYNCLINE_CHECK(((pending_ | failed_ | shortened_) >> slot & 1) == 0,
                       "slot %d is free, pending %#lx, failed %#lx", slot, pending_, failed_);
        free_ &= ~(1ull << slot);
        Slot& taken = slots_[slot];
        taken.buffer = buffers_->take(node_, static_cast<uint32_t>(slot));
        taken.image = buffers_->image(taken.buffer);
        taken.arrived = buffers_->completion(taken.buffer);
        taken.sequence += taken.sequence == UINT32_MAX ? 2 : 1;  // 0 is never used
        taken.completion = nullptr;
        taken.result = nullptr;
        slw_header head = {};
        head.magic = SLW_MAGIC;
        head.version = SLW_VERSION;
        head.kind = SLW_REQUEST;
        head.source_port = static_cast<uint8_t>(port_);
        head.source_rank = static_cast<uint16_t>(rank_);
        head.slot = static_cast<uint8_t>(slot);
        head.job = config_->job;
        head.sequence = taken.sequence;
        head.units = 1;
        head.target_node = static_cast<uint16_t>(node_);
        std::memcpy(taken.image->packet, &head, sizeof(head));
        return slot;
    }
    slw_header* header(uint32_t slot) { return reinterpret_cast<slw_header*>(slots_[slot].image->packet); }
    slw_unit* unit(uint32_t slot, uint32_t index) {
        return reinterpret_cast<slw_unit*>(slots_[slot].image->packet + SLW_HEADER_BYTES) + index;
    }
    Slot& slot(uint32_t index) { return slots_[index]; }

    // Seals the packet, arms the completion and sends. If the executor cannot lengthen a datagram, it has `pad_to`
    // bytes; with kPadded, it has them in any case. With kInBurst this node's NIC may send it, behind another packet's
    // reply.
    enum class Departure { kNow, kInBurst, kPadded };
    void start(uint32_t slot, uint32_t pad_to, Departure departure = Departure::kNow);
    // Returns whether all slots but the runtime's own are in use.
    bool is_full() const { return (free_ & ~runtime_slots_) == 0; }
    // Called when all slots were in use and the packets that the transport had held back are sent; `found`: a slot was
    // free then.
    void all_were_out(bool found);
    // Gives a taken slot back, unsent.
    void cancel(uint32_t slot) { set_free(slot); }

    // Takes one answer that has come, and frees its slot; returns false if there is none.
    bool take_answer(Answer* answer);

    // Answers that still come for the completion are thrown away, and reach neither the completion nor a result.
    void forget(const Completion* completion);

    // Sends packets again that are due. Gives up packets that are older than the peer timeout, which declares the node
    // dead.
    void retransmit(uint64_t now);
    // Returns when the next retransmission is due, or UINT64_MAX.
    uint64_t next_retry_ns() const;

    // packet_max() returns how long a packet may be, body_max() its length without the header. A caller with more to
    // send calls ask_for_longer().
    uint32_t packet_max() const { return path_.now(); }
    uint32_t body_max() const { return path_.now() - SLW_HEADER_BYTES; }
    void ask_for_longer() {
        if (__builtin_expect(path_.next_probe() != 0 && probe_ == 0 && buffers_->plenty(), 0)) {
            probe();
        }
    }

    // pending() returns the slots whose packets are under way, without a probe; is_probing(): whether a probe is.
    uint64_t pending() const { return pending_ & ~probe_; }
    bool is_probing() const { return probe_ != 0; }
    // Gives back the slot of a probe, because the runtime needs it.
    void postpone_probe();
    // Returns the sum of the sequences of the slots' last requests, modulo 2^32, without the runtime's own slot. Once
    // all requests are executed, the records of these slots at the target have the same sum (Buntinas 2003, section
    // 3.1.2: op_init and op_done).
    uint32_t issued() const { return issued_; }
    // Returns whether a packet is under way whose rest may have to go out again, under a further sequence.
    bool may_repeat() const;
    bool dead() const { return dead_; }
    uint32_t node() const { return node_; }

    bool busy = false;  // Links has this connection on its busy list

    Posted posted;

  private:
    void note(TraceKind kind, uint32_t slot, uint64_t b = 0, int status = 0) const {
        trace_->note(kind, static_cast<int32_t>(node_), trace_request(slot, slots_[slot].sequence), b, status);
    }
    void check_slots() const;
    void check_request(uint32_t slot) const;
    uint64_t request_of(uint32_t slot) const { return fw_request_id(node_, slot, slots_[slot].sequence); }
    void set_free(uint32_t slot) {
        SYNCLINE_ASSERT(((free_ | pending_ | failed_) >> slot & 1) == 0,
                        "slot %u, free %#lx, pending %#lx, failed %#lx", slot, free_, pending_, failed_);
        buffers_->give_back(slots_[slot].buffer);
        free_ |= 1ull << slot;
    }
    void arm(uint32_t slot, uint64_t now);
    void send(uint32_t slot, uint64_t now);
    void send_again(uint32_t slot, uint64_t now);
    void end_in_vain(uint32_t slot, uint64_t now);
    void note_sent(uint32_t slot, uint64_t now);
    void begin_waits(uint32_t slot, uint64_t now);
    void learn_pace(const Slot& answered);
    bool follows(uint32_t slot);
    void finish(uint32_t slot, Answer* answer);
    bool resend_rest(uint32_t slot);
    bool give_up(uint32_t slot);
    void withdraw(uint32_t slot);
    void drop(uint32_t slot);
    void begin_next(uint32_t slot);
    int take_result(const Slot& slot) const;
    uint32_t longest(uint32_t slot) const;
    bool may_be_too_long(uint32_t slot, uint64_t now);
    void shorten(uint32_t slot, uint64_t now);
    void close(uint32_t slot, uint64_t now);
    bool goes_on(uint32_t slot);
    void send_part(uint32_t slot);
    void path_is_shorter(uint32_t than);
    void end_parts(uint32_t slot);
    void probe();
    void end_probe(uint32_t slot, bool answered);
    void free_probe();

    const fw_config* const config_;
    const uint32_t rank_;
    const uint32_t port_;
    const uint32_t node_;
    Buffers* const buffers_;
    RequestsHeader* const header_;
    const fw_port* const words_;
    Transport* const transport_;
    const Trace* const trace_;
    const uint64_t runtime_slots_;
    uint64_t free_;
    uint32_t issued_ = 0;
    uint64_t pending_ = 0;
    uint64_t failed_ = 0;  // slots that were given up, until take_answer() reports them
    bool dead_ = false;
    const uint64_t peer_timeout_ns_;
    Pace pace_;
    PathLength path_;
    uint64_t probe_ = 0;  // the bit of the slot that a probe uses
    uint32_t probe_length_ = 0;
    uint32_t probe_sends_ = 0;
    uint64_t shortened_ = 0;  // slots whose request is closed, or goes out in parts
    Chains chains_;
    Slot slots_[SLW_WINDOW_MAX];
};

}  // namespace syncline
