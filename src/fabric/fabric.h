// SPDX-License-Identifier: BSD-3-Clause
// The contract of a fabric: how a PE's operations reach other PEs. choice/fabrics.h says which fabric serves which
// operation on which PE: that of memory for PEs whose memory is mapped here, that of packets for the others. A fabric
// of RDMA cards would be one more class: it posts atomics, puts and gets to the card, lowers completions from the
// card's queue, and leaves to the other two what the card has no command for.
//
// Requests. Each names its PE and, on that PE, segment << 40 | offset. The caller has checked rank, range and
// alignment. A fabric raises the request's completion for each part that it starts, and lowers it when the part is
// answered. Memory that a request reads may be written again when the call returns, unless the caller has said that it
// lasts (Transfer); memory that it writes is the fabric's until the completion is over. A part is executed exactly
// once, or its completion fails.
//
// A call returns SYNCLINE_OK: all is started, and perhaps over already. SYNCLINE_ERR_BUSY: there is no room now (as
// FI_EAGAIN), although the call has taken in the answers that were there; the request has been advanced past what is
// started, and the caller calls again. Another status: nothing more can be started, but parts that were may be under
// way. No call waits.
//
// Threads: any. A fabric locks inside, for the length of a call. It calls completions' hooks under its lock.
//
// Shared words: `gathering_` says how many packets are being filled; the fabric writes it under its lock, others read
// it relaxed to spare a call of flush(). A thread always sees its own posts, which is all that is asked of it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "fabric/completion.h"
#include "firmware/wire.h"
#include "syncline.h"

namespace syncline {

// The atomics that a fabric has, by operation and width.
class AtomicSet {
  public:
    static constexpr AtomicSet all() {
        AtomicSet set;
        for (uint32_t& operations : set.by_width_) {
            operations = UINT32_MAX;
        }
        return set;
    }
    // Adds the operations of these constants, SYNCLINE_ADD and so on, on words of this many bytes.
    constexpr AtomicSet& with(uint32_t width, std::initializer_list<int> operations) {
        for (const int operation : operations) {
            by_width_[std::countr_zero(width)] |= 1u << SYNCLINE_NUMBER_(operation);
        }
        return *this;
    }
    // `operation`: as in AtomicCall.
    constexpr bool has(int operation) const {
        return (by_width_[operation >> SLW_WIDTH_SHIFT & 7] >> SYNCLINE_NUMBER_(operation) & 1) != 0;
    }

  private:
    uint32_t by_width_[8] = {};  // bits of operation numbers, by the width's logarithm
};

// Differences between fabrics. Code above the contract asks for them, never for a kind of fabric.
struct Capabilities {
    const char* name;
    bool maps_memory;     // pointer() finds memory, and every operation is over when its call returns
    bool nic_executed;    // the target executes operations without a process or thread of its node
    bool joins_barriers;  // the NICs' barriers reach the PE's node
    AtomicSet atomics;    // the atomics that it executes; it accumulates integers if it has their ADD
    bool adds_floating;   // it accumulates floating-point numbers
    // Its atomics exclude a CPU's instructions on the same word. Without this, a word on which this fabric executes
    // atomics may be changed by this fabric only, also by its owner.
    bool atomics_exclude_cpu;
    bool wakes_sleepers;   // an operation that writes a PE's memory wakes the PE's thread that sleeps
    bool counts_requests;  // issued(), may_repeat() and executed() are exact
    // A put whose source lasts is sent from there, without a copy, and its call may return before the source was read.
    bool local_completion;
    bool recalls;  // see forget()

    bool executes(int operation) const { return atomics.has(operation); }
};

// An atomic on 4, 8 or 16 bytes. `operation`: SYNCLINE_* of syncline.h, which are the wire's; small stores, too.
struct AtomicCall {
    int operation;
    int rank;
    syncline_address_t target;
    uint64_t operand[2] = {0, 0};
    uint64_t comparand[2] = {0, 0};
    void* result = nullptr;  // where the old value goes, with SYNCLINE_FETCH
    bool runtime = false;    // the operation is on the runtime's own words, and issued() does not count it

    uint32_t width() const { return 1u << ((operation >> SLW_WIDTH_SHIFT) & 7); }
    bool fetches() const { return (operation & SYNCLINE_FETCH) != 0; }
    uint32_t traits() const { return slw_traits_of(static_cast<uint32_t>(operation)); }
    bool compares() const { return (traits() & SLW_COMPARES) != 0; }
    uint32_t units() const { return slw_units_of(static_cast<uint32_t>(operation), traits()); }
};

enum class Direction { kPut, kGet };

// Consecutive bytes. A put only reads `local`. An aligned word of 1, 2, 4 or 8 bytes is one load or store at the
// target.
struct Transfer {
    int rank;
    syncline_address_t remote;
    uint8_t* local;
    size_t bytes;
    bool lasts = false;  // the caller leaves the source of this put as it is until the completion is over
};

using Piece = syncline_piece_t;

// Many pieces of one segment, in any order; at this PE they lie one behind the other from `local`. A fabric skips
// pieces without bytes. The caller may write to the list again when the call returns.
struct Pieces {
    int rank;
    syncline_address_t base;
    const Piece* list;
    size_t count;
    uint8_t* local;
    uint64_t done = 0;  // bytes of the first piece in `list` that are done
};

// target[i] += values[i], or = values[i], each element atomically by itself, in no order. A complex number is two
// elements. Elements are aligned to their size.
struct Accumulate {
    enum class Element { kInt32, kInt64, kFloat, kDouble };
    enum class Combine { kAdd, kReplace };

    int rank;
    syncline_address_t target;
    Element element;
    Combine combine;
    const uint8_t* values;
    size_t count;
    bool runtime = false;  // as in AtomicCall

    static constexpr uint32_t width_of(Element element) {
        return element == Element::kInt32 || element == Element::kFloat ? 4 : 8;
    }
    uint32_t width() const { return width_of(element); }
    static constexpr bool is_floating(Element element) {
        return element == Element::kFloat || element == Element::kDouble;
    }
};

// Adds the numbers at `pieces.local`, which it only reads, to the elements of the pieces, as Accumulate does. An
// element that several pieces hold takes one addition for each. The length of each piece is a multiple of the
// element's.
struct AccumulatePieces {
    Accumulate::Element element;
    Pieces pieces;
};

class Fabric {
  public:
    virtual ~Fabric() = default;

    virtual const Capabilities& capabilities() const = 0;

    virtual int atomic(const AtomicCall& call, Completion* completion) = 0;
    // Starts an atomic without a result, which may be gathered with others of the same completion until flush(), or
    // until another operation on that PE.
    virtual int post(const AtomicCall& call, Completion* completion) = 0;
    // As post(), for a word of 4 or 8 bytes in a heap and no compare&swap: the path of high message rates.
    virtual int post_word(int operation, int rank, syncline_address_t target, uint64_t value,
                          Completion* completion) = 0;
    virtual int move(Direction direction, Transfer* transfer, Completion* completion) = 0;
    virtual int move_pieces(Direction direction, Pieces* pieces, Completion* completion) = 0;
    virtual int accumulate(Accumulate* request, Completion* completion) = 0;
    virtual int accumulate_pieces(AccumulatePieces* request, Completion* completion) = 0;
    // bytes_with_signal() returns how many of the last bytes of a put to [address, address + bytes) can travel with a
    // signal; 0: none can, and put_signal() is not called. put_signal() puts these bytes, and then executes the atomic,
    // of one word, at the same PE.
    virtual size_t bytes_with_signal(syncline_address_t address, size_t bytes) const = 0;
    virtual int put_signal(const Transfer& transfer, const AtomicCall& signal, Completion* completion) = 0;

    bool is_gathering() const { return __atomic_load_n(&gathering_, __ATOMIC_RELAXED) != 0; }
    // Sends the operations that have been gathered.
    virtual void flush() = 0;
    // Takes in answers and ends the operations that they complete.
    virtual void progress() = 0;
    // Sends again what is due, and gives up what is too old. Returns when to call again, or UINT64_MAX.
    virtual uint64_t retry(uint64_t now) = 0;
    // Returns descriptors that become readable when progress() has work to do.
    virtual std::vector<int> wait_fds() const = 0;

    static constexpr int any_rank = -1;
    // Returns whether every operation that was started on the PE's node has its answer; of any_rank: on all nodes.
    virtual bool is_quiet(int rank) = 0;
    // Returns whether the PE was given up because its node does not answer. A PE that is not silent, but whose
    // operations fail, is known to be gone.
    virtual bool is_silent(int rank) = 0;
    // Returns the reason why answers may not come here, as the second half of a message; empty: this fabric knows no
    // reason.
    virtual std::string trouble() const = 0;
    // The caller gives up: an answer that still comes for the completion reaches neither it nor memory of a request.
    // The operations may be executed or not. A fabric that recalls() throws their answers away, and other operations go
    // on. Another fabric cannot keep an answer from the memory that it was told of, so it ends its connection to the
    // operations' PEs: all that is under way there fails with _PEER, and so does all that follows.
    virtual void forget(Completion* completion) = 0;

    // Returns memory of a PE that is mapped here, or NULL.
    virtual void* pointer(int rank, syncline_address_t address, uint64_t bytes) = 0;
    // issued() returns how many requests this PE has sent to the node of a PE, as a sum that executed() at that node
    // reaches (Buntinas 2003, section 3.1.2). executed() returns how many requests of a PE the node of this PE has
    // executed.
    virtual uint32_t issued(int rank) = 0;
    // Returns whether this PE has an operation under way to the node of a PE that may end in a further request, which
    // issued() does not count yet.
    virtual bool may_repeat(int rank) = 0;
    virtual uint32_t executed(int rank) const = 0;

  protected:
    size_t gathering_ = 0;
};

}  // namespace syncline
