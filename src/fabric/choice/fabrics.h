// SPDX-License-Identifier: BSD-3-Clause
// The fabrics of a PE, and which of them serves which operation on which PE of the job. Only the .cpp knows the fabrics
// by name.
//
// The choice. The fabrics stand in an order of preference: memory, for PEs of this node; a card, for all PEs; packets,
// for all PEs. Puts, gets and everything that is no atomic go by the first that serves the PE. An atomic goes by the
// first that executes it, with one rule: all atomics on a word must exclude each other. Memory and packets change words
// by a CPU's instructions. Where a card's atomics exclude these, each of the three may execute some. Otherwise the card
// executes all atomics of a width, on PEs of this node, too, if it has all operations of that width, and else none.
//
// Threads: any; the choice never changes.
#pragma once

#include <memory>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/node/local_memory.h"
#include "fabric/node/process_target.h"

namespace syncline {

class Transport;
struct PacketTables;

class Fabrics {
  public:
    struct Options {
        uint32_t peer_timeout_ms = 5000;
        bool direct = true;  // false: packets reach PEs of this node, too
    };

    // Makes the fabrics that the job asks for. Throws Failure.
    Fabrics(Attachment* attachment, uint32_t peer_timeout_ms);
    // Makes fabrics whose packets go over this transport, by these tables; NULL: no packets. `card`: NULL, or a fabric
    // that reaches all PEs.
    Fabrics(Attachment* attachment, std::unique_ptr<PacketTables> tables, std::unique_ptr<Transport> transport,
            const Options& options, std::unique_ptr<Fabric> card = nullptr);
    ~Fabrics();

    // Returns the fabric of puts, gets and all that is no atomic on a PE.
    Fabric& of(int rank) const { return *ways_to(rank).moves; }
    // Returns the fabric of an atomic (`operation`: as in AtomicCall), and of an accumulate.
    Fabric& of(int rank, int operation) const {
        const Ways& ways = ways_to(rank);
        return __builtin_expect(!splits_, 1)
                   ? *ways.moves
                   : *ways.atomics[operation >> SLW_WIDTH_SHIFT & 7][SYNCLINE_NUMBER_(operation)];
    }
    Fabric& of(int rank, Accumulate::Element element, Accumulate::Combine combine) const;
    // Returns whether a CPU's atomics on words of this node exclude those of all fabrics.
    bool cpu_may_change_words() const { return cpu_may_change_words_; }
    // Returns memory of a PE that is mapped here and that the CPU may change, also by atomics, or NULL.
    void* pointer(int rank, syncline_address_t address, uint64_t bytes) const {
        return cpu_may_change_words_ ? of(rank).pointer(rank, address, bytes) : nullptr;
    }
    // As the call of Fabric; 0 also where another fabric executes the signal.
    size_t bytes_with_signal(const AtomicCall& signal, syncline_address_t address, size_t bytes) const {
        Fabric& fabric = of(signal.rank);
        return &fabric == &of(signal.rank, signal.operation) ? fabric.bytes_with_signal(address, bytes) : 0;
    }
    // Returns whether each operation on a PE is over when its call returns.
    bool completes_at_once(int rank) const { return !splits_ && ways_to(rank).moves->capabilities().maps_memory; }
    // Returns whether the NICs' barriers reach a PE's node by one of the fabrics that serve the PE.
    bool joins_barriers(int rank) const;
    // Return whether all fabrics have the capability of that name.
    bool wakes_sleepers() const { return wakes_sleepers_; }
    bool counts_requests() const { return counts_requests_; }
    bool recalls() const { return recalls_; }

    LocalMemory& local_memory() { return local_memory_; }
    ProcessTarget& own_target() { return own_target_; }
    // Do the call of Fabric for all fabrics at once.
    void flush() {
        for (Fabric* const fabric : moving_) {
            if (__builtin_expect(fabric->is_gathering(), 0)) {
                fabric->flush();
            }
        }
    }
    void progress() {
        for (Fabric* const fabric : moving_) {
            fabric->progress();
        }
    }
    uint64_t retry(uint64_t now);
    // Do the call of Fabric for all fabrics that may serve the PE.
    bool is_quiet(int rank);
    bool is_quiet() { return is_quiet(Fabric::any_rank); }
    bool is_silent(int rank) const;
    bool may_repeat(int rank) const;
    uint32_t issued(int rank) const;
    uint32_t executed(int rank) const;
    void forget(Completion* completion);
    std::string trouble() const;
    std::vector<int> wait_fds() const;

  private:
    static constexpr uint32_t widths = 5;  // logarithms of 1 to 16 bytes
    // The fabric of each operation on some PEs.
    struct Ways {
        Fabric* moves = nullptr;
        Fabric* floats = nullptr;  // accumulates of floating-point numbers
        Fabric* atomics[widths][SLW_OPERATIONS_MAX] = {};
    };

    void make(Attachment* attachment, std::unique_ptr<Transport> transport, const Options& options);
    Ways choose(const std::vector<Fabric*>& candidates) const;
    static bool owns_words(const Fabric& fabric, uint32_t width);
    const Ways& ways_to(int rank) const { return here_[static_cast<size_t>(rank)] != 0 ? ways_here_ : ways_elsewhere_; }

    LocalMemory local_memory_;
    ProcessTarget own_target_;
    std::unique_ptr<PacketTables> tables_;  // NULL: no packets
    std::unique_ptr<Fabric> memory_;
    std::unique_ptr<Fabric> card_;     // NULL: there is none
    std::unique_ptr<Fabric> packets_;  // NULL: memory serves all PEs
    std::vector<Fabric*> moving_;      // fabrics in which operations may be under way after a call
    Ways ways_here_, ways_elsewhere_;
    bool splits_ = false;  // operations on one PE go by several fabrics
    bool cpu_may_change_words_ = true;
    bool wakes_sleepers_ = true, counts_requests_ = true, recalls_ = true;
    std::vector<uint8_t> here_;  // for each rank, 1: memory reaches it
};

}  // namespace syncline
