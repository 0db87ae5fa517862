// SPDX-License-Identifier: BSD-3-Clause
// Serves PEs by packets: each operation becomes units of requests, in slots of the connection to the PE's node, and the
// firmware there executes it exactly once. A transport carries the packets; it may lose and repeat them.
//
// Threads: any. One SpinLock, that of the ProcessTarget, guards all state; each call takes it once.
#pragma once

#include <memory>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/node/process_target.h"
#include "fabric/packet/connection/links.h"
#include "fabric/packet/tables.h"

namespace syncline {

class ListPacket;

class PacketFabric final : public Fabric {
  public:
    // `tables` outlive the fabric.
    PacketFabric(Attachment* attachment, const PacketTables& tables, LocalMemory* memory, ProcessTarget* own_target,
                 std::unique_ptr<Transport> transport, uint64_t peer_timeout_ns);

    const Capabilities& capabilities() const override { return capabilities_; }

    int atomic(const AtomicCall& call, Completion* completion) override;
    int post(const AtomicCall& call, Completion* completion) override;
    int post_word(int operation, int rank, syncline_address_t target, uint64_t value, Completion* completion) override;
    int move(Direction direction, Transfer* transfer, Completion* completion) override;
    int move_pieces(Direction direction, Pieces* pieces, Completion* completion) override;
    int accumulate(Accumulate* request, Completion* completion) override;
    int accumulate_pieces(AccumulatePieces* request, Completion* completion) override;
    size_t bytes_with_signal(syncline_address_t address, size_t bytes) const override;
    int put_signal(const Transfer& transfer, const AtomicCall& signal, Completion* completion) override;

    void flush() override;
    void progress() override;
    uint64_t retry(uint64_t now) override;
    std::vector<int> wait_fds() const override { return transport_->wait_fds(); }
    bool is_quiet(int rank) override;
    bool is_silent(int rank) override;
    std::string trouble() const override { return transport_->trouble(); }
    void forget(Completion* completion) override;
    void* pointer(int, syncline_address_t, uint64_t) override { return nullptr; }
    bool may_repeat(int rank) override;
    uint32_t issued(int rank) override;
    uint32_t executed(int rank) const override;

  private:
    struct Route {
        Connection* connection;  // to the PE's node
        uint32_t port;           // of the PE at its node
    };

    Route route_to(int rank) {
        const auto place = static_cast<uint32_t>(rank);
        const uint32_t node = map_.node_of(place);
        Connection* const connection = links_.known(node);
        return {__builtin_expect(connection != nullptr, 1) ? connection : links_.to_node(node), map_.port_of(place)};
    }
    // Returns the connection to the PE's node; NULL: no packet has gone there yet.
    Connection* known(int rank) const;
    // As known(), and flushes the connection.
    Connection* flushed(int rank);
    void find_here(int rank, syncline_address_t address, uint64_t bytes);
    [[gnu::noinline]] int post_first(int operation, int rank, syncline_address_t target, uint64_t value,
                                     Completion* completion);
    int start_atomic(const AtomicCall& call, Completion* completion);
    int start_list(uint32_t code, const ListPacket& list, int rank, syncline_address_t segment, Completion* completion);
    int start_lists(uint32_t code, Pieces* pieces, uint32_t width, Completion* completion);
    int start_store(int code, const Transfer& transfer, Completion* completion);
    int start_pieces(uint32_t code, Pieces* pieces, uint32_t width, Completion* completion);
    int replace(Accumulate* request, Completion* completion);

    Attachment* const attachment_;
    const PacketTables& tables_;
    LocalMemory* const memory_;
    ProcessTarget* const own_target_;
    const std::unique_ptr<Transport> transport_;
    const Capabilities capabilities_;
    const bool executes_here_;  // this process executes the requests to PEs of its own node itself
    const RankMap& map_;
    Links links_;
};

}  // namespace syncline
