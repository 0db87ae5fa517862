// SPDX-License-Identifier: BSD-3-Clause
// Serves PEs of this node by loads, stores and the CPU's atomic instructions on their memory. Every operation is over
// when its call returns, so no completion is ever raised.
//
// Threads: any; the only locks are that of LocalMemory, when another PE's registration is used, and pair locks.
//
// Ordering: atomics are sequentially consistent; a word is stored with release and loaded with acquire (direct_copy.h).
// LocalMemory::written() follows each write; its fence stands between the write and the look at the sleeper.
#pragma once

#include "fabric/fabric.h"
#include "fabric/node/local_memory.h"

namespace syncline {

class MemoryFabric final : public Fabric {
  public:
    MemoryFabric(Attachment* attachment, LocalMemory* memory) : attachment_(attachment), memory_(memory) {}

    const Capabilities& capabilities() const override;

    int atomic(const AtomicCall& call, Completion* completion) override;
    int post(const AtomicCall& call, Completion* completion) override { return atomic(call, completion); }
    int post_word(int operation, int rank, syncline_address_t target, uint64_t value, Completion* completion) override;
    int move(Direction direction, Transfer* transfer, Completion* completion) override;
    int move_pieces(Direction direction, Pieces* pieces, Completion* completion) override;
    int accumulate(Accumulate* request, Completion* completion) override;
    int accumulate_pieces(AccumulatePieces* request, Completion* completion) override;
    size_t bytes_with_signal(syncline_address_t, size_t bytes) const override { return bytes; }
    int put_signal(const Transfer& transfer, const AtomicCall& signal, Completion* completion) override;

    void flush() override {}
    void progress() override {}
    uint64_t retry(uint64_t) override { return UINT64_MAX; }
    std::vector<int> wait_fds() const override { return {}; }
    bool is_quiet(int) override { return true; }
    bool is_silent(int) override { return false; }
    std::string trouble() const override { return {}; }
    void forget(Completion*) override {}
    void* pointer(int rank, syncline_address_t address, uint64_t bytes) override;
    uint32_t issued(int) override { return 0; }
    bool may_repeat(int) override { return false; }
    uint32_t executed(int) const override { return 0; }

  private:
    template <typename Visit>
    int visit(uint32_t port, Pieces* pieces, Visit&& visit);
    uint32_t port_of(int rank) const { return attachment_->job().map.port_of(static_cast<uint32_t>(rank)); }

    Attachment* const attachment_;
    LocalMemory* const memory_;
};

}  // namespace syncline
