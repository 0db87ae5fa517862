// SPDX-License-Identifier: BSD-3-Clause
// A card that executes puts, gets and some atomics by itself, as an RDMA card does, and lacks most of what NICs and
// agents of Syncline have: it joins no barriers, wakes no sleeping PE, counts no requests, sends a put of a source that
// lasts from there, and recalls nothing. There are two kinds:
//
//   kSharing   executes 64-bit add and compare&swap, which exclude the CPU's atomics
//   kOwning    executes all 64-bit atomics. It reads a word, and writes it later: a change that is not the card's is
//   lost
//
// The operations of a PE on another PE are executed in order, each at a moment of its own; atomics on one node exclude
// each other. The result is in the PE's memory later still. An operation on a PE that has ended fails; one on a node
// that is cut off fails after the peer timeout, and the connection with it.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "fabric/fabric.h"

namespace syncline::deterministic {

class World;

enum class CardKind { kNone, kSharing, kOwning };

class SimulatedCard final : public Fabric {
  public:
    struct Options {
        CardKind kind = CardKind::kNone;
        bool signals = true;  // a put can travel with its signal
    };
    SimulatedCard(World* world, uint32_t rank, const Options& options, uint64_t peer_timeout_ns);
    ~SimulatedCard() override;

    const Capabilities& capabilities() const override;
    int atomic(const AtomicCall& call, Completion* completion) override;
    int post(const AtomicCall& call, Completion* completion) override { return atomic(call, completion); }
    int post_word(int operation, int rank, syncline_address_t target, uint64_t value, Completion* completion) override;
    int move(Direction direction, Transfer* transfer, Completion* completion) override;
    int move_pieces(Direction direction, Pieces* pieces, Completion* completion) override;
    int accumulate(Accumulate* request, Completion* completion) override;
    int accumulate_pieces(AccumulatePieces* request, Completion* completion) override;
    size_t bytes_with_signal(syncline_address_t, size_t bytes) const override { return options_.signals ? bytes : 0; }
    int put_signal(const Transfer& transfer, const AtomicCall& signal, Completion* completion) override;

    void flush() override {}
    void progress() override;
    uint64_t retry(uint64_t) override { return UINT64_MAX; }
    std::vector<int> wait_fds() const override { return {}; }
    bool is_quiet(int rank) override;
    bool is_silent(int rank) override;
    std::string trouble() const override { return {}; }
    void forget(Completion* completion) override;
    void* pointer(int, syncline_address_t, uint64_t) override { return nullptr; }
    uint32_t issued(int) override { return 0; }
    bool may_repeat(int) override { return false; }
    uint32_t executed(int) const override { return 0; }

  private:
    struct Work;
    struct Connection;
    using Shared = std::shared_ptr<Work>;

    int start(int rank, Completion* completion, const std::function<void(Work*)>& fill);
    void execute_at(uint64_t when, const Shared& work);
    void execute(const Shared& work);
    void execute_now(const Shared& work);
    void read_word(const Shared& work, const uint8_t* memory);
    void write_word(const Shared& work);
    void end(const Shared& work, int status);
    Connection& to(int rank);

    World* const world_;
    const uint32_t rank_;
    const Options options_;
    const uint64_t peer_timeout_ns_;
    std::shared_ptr<bool> lives_ = std::make_shared<bool>(true);  // false once this object is gone
    std::map<int, Connection> connections_;
    std::vector<Shared> outstanding_;  // until their completions are told
    std::deque<Shared> ended_;         // their completions are to be told
};

}  // namespace syncline::deterministic
