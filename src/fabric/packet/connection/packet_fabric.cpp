// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/packet/connection/packet_fabric.h"

#include "fabric/packet/connection/units.h"

namespace syncline {

using Guard = std::lock_guard<SpinLock>;

namespace {

Transport::Sink executing(ProcessTarget* own_target) {
    return [own_target](uint8_t* packet, uint32_t length) {
        uint32_t reply_length = 0;
        (void)fw_execute_packet(own_target->state(), packet, length, &reply_length);
    };
}

}  // namespace

PacketFabric::PacketFabric(Attachment* attachment, const PacketTables& tables, LocalMemory* memory,
                           ProcessTarget* own_target, std::unique_ptr<Transport> transport, uint64_t peer_timeout_ns)
    : attachment_(attachment),
      tables_(tables),
      memory_(memory),
      own_target_(own_target),
      transport_(std::move(transport)),
      capabilities_({.name = transport_->capabilities().name,
                     .maps_memory = false,
                     .nic_executed = transport_->capabilities().nic_executed,
                     .joins_barriers = true,
                     .atomics = AtomicSet::all(),
                     .adds_floating = true,
                     .atomics_exclude_cpu = true,
                     .wakes_sleepers = true,
                     .counts_requests = true,
                     .local_completion = false,
                     .recalls = true}),
      executes_here_(attachment->executes()),
      map_(attachment->job().map),
      links_(attachment, tables, transport_.get(), executing(own_target), peer_timeout_ns, &gathering_) {
    own_target->connect({.fabric = this,
                         .emit =
                             [](void* self, uint32_t node, const uint8_t* packet, uint32_t length) {
                                 (void)static_cast<PacketFabric*>(self)->transport_->tell(node, packet, length);
                             },
                         .take = [](void* self) { static_cast<PacketFabric*>(self)->links_.receive(); },
                         .completions = tables.completions,
                         .directory = tables.directory,
                         .counters = &tables.requests->counters});
}

Connection* PacketFabric::known(int rank) const {
    return links_.known(map_.node_of(static_cast<uint32_t>(rank)));
}

Connection* PacketFabric::flushed(int rank) {
    Connection* const connection = known(rank);
    if (connection != nullptr) {
        links_.flush(connection);
    }
    return connection;
}

// If this process executes the requests to its own node, it needs the memory that other PEs of the node have
// registered.
void PacketFabric::find_here(int rank, syncline_address_t address, uint64_t bytes) {
    if (executes_here_ && address >> 40 != 0) {
        (void)memory_->find(map_.port_of(static_cast<uint32_t>(rank)), address, bytes);
    }
}

int PacketFabric::start_atomic(const AtomicCall& call, Completion* completion) {
    const Route route = route_to(call.rank);
    Connection* const connection = route.connection;
    return links_.send(connection, completion, call.runtime, [&](uint32_t slot) {
        fill_atomic(connection->unit(slot, 0), call, route.port);
        const uint32_t units = call.units();
        connection->header(slot)->units = static_cast<uint16_t>(units);
        if (call.fetches()) {
            connection->slot(slot).expect(call.result, call.width(), units * SLW_RESULT_BYTES);
        }
        return 0U;
    });
}

int PacketFabric::atomic(const AtomicCall& call, Completion* completion) {
    find_here(call.rank, call.target, call.width());
    const Guard guard(own_target_->lock());
    const int status = start_atomic(call, completion);
    links_.progress();  // under XDP on veth the answer is here before the send returns
    return status;
}

int PacketFabric::post(const AtomicCall& call, Completion* completion) {
    find_here(call.rank, call.target, call.width());
    const Guard guard(own_target_->lock());
    const Route route = route_to(call.rank);
    Connection* const connection = route.connection;
    const uint32_t units = call.units();
    const bool fits =
        connection->posted.completion == completion && connection->posted.units + units <= connection->posted.most;
    if (!fits) {
        if (const int status = links_.gather(connection, completion); status != SYNCLINE_OK) {
            return status;
        }
    }
    fill_atomic(connection->posted.next, call, route.port);
    connection->posted.next += units;
    connection->posted.units += units;
    if (connection->posted.units == connection->posted.most) {
        links_.flush(connection);
        links_.ask_for_longer(connection);
        links_.progress();
    }
    return SYNCLINE_OK;
}

// Its only call is the last thing that it does, so it saves no registers. post_first() handles the first and the last
// word of a packet, and every word while another thread holds the lock.
int PacketFabric::post_word(int operation, int rank, syncline_address_t target, uint64_t value,
                            Completion* completion) {
    SpinLock& lock = own_target_->lock();
    if (__builtin_expect(lock.try_lock(), 1)) {
        const Route route = route_to(rank);
        Connection* const connection = route.connection;
        if (__builtin_expect(
                connection->posted.completion == completion && connection->posted.units + 1 < connection->posted.most,
                1)) {
            fill_unit(connection->posted.next++, static_cast<uint32_t>(operation), route.port, target, value);
            connection->posted.units++;
            lock.unlock();
            return SYNCLINE_OK;
        }
        lock.unlock();
    }
    return post_first(operation, rank, target, value, completion);
}

int PacketFabric::post_first(int operation, int rank, syncline_address_t target, uint64_t value,
                             Completion* completion) {
    AtomicCall call = {.operation = operation, .rank = rank, .target = target};
    call.operand[0] = value;
    return post(call, completion);
}

void PacketFabric::flush() {
    const Guard guard(own_target_->lock());
    links_.flush_all();
}

void PacketFabric::progress() {
    const Guard guard(own_target_->lock());
    links_.progress();
}

uint64_t PacketFabric::retry(uint64_t now) {
    const Guard guard(own_target_->lock());
    return links_.retry(now);
}

bool PacketFabric::is_quiet(int rank) {
    const Guard guard(own_target_->lock());
    if (rank == any_rank) {
        return links_.is_quiet();
    }
    const Connection* const connection = known(rank);
    return connection == nullptr || connection->pending() == 0;
}

bool PacketFabric::is_silent(int rank) {
    const Guard guard(own_target_->lock());
    const Connection* const connection = known(rank);
    return connection != nullptr && connection->dead();
}

void PacketFabric::forget(Completion* completion) {
    const Guard guard(own_target_->lock());
    links_.forget(completion);
}

bool PacketFabric::may_repeat(int rank) {
    const Guard guard(own_target_->lock());
    const Connection* const connection = flushed(rank);
    return connection != nullptr && connection->may_repeat();
}

uint32_t PacketFabric::issued(int rank) {
    const Guard guard(own_target_->lock());
    const Connection* const connection = flushed(rank);
    return connection != nullptr ? connection->issued() : 0;
}

uint32_t PacketFabric::executed(int rank) const {
    return __atomic_load_n(&tables_.sources[rank].executed, __ATOMIC_ACQUIRE);
}

}  // namespace syncline
