// SPDX-License-Identifier: BSD-3-Clause
// Progress, completion and waiting. Operations are in endpoint_operations.cpp, checks and direct access in
// endpoint_direct.cpp.
#include "runtime/operations/endpoint.h"

#include <algorithm>

#include "base/clock.h"
#include "runtime/process/error_text.h"
#include "runtime/process/liveness.h"

namespace syncline {

Endpoint::Endpoint(std::unique_ptr<Attachment> attachment, std::unique_ptr<Transport> transport, const Options& options)
    : attachment_(std::move(attachment)),
      transport_(std::move(transport)),
      peer_timeout_ns_(uint64_t{options.peer_timeout_ms} * ns_per_ms),
      direct_(options.direct),
      my_node_(attachment_->config().node),
      waiter_(attachment_.get(), options.wait_mode, transport_ ? transport_->wait_fds() : std::vector<int>{}),
      mapped_generation_(SLW_PORTS_MAX * SLW_SEGMENTS_MAX) {
    for (uint32_t node = 0; node < config().nodes; node++) {
        connections_.push_back(transport_
                                   ? std::make_unique<Connection>(&config(), rank(), attachment_->port(), node,
                                                                  attachment_->completions(), attachment_->requests(),
                                                                  attachment_->requests_header(), transport_.get())
                                   : nullptr);
    }
    for (uint32_t other = 0; other < size(); other++) {
        const uint32_t node = attachment_->job().map.node_of(other);
        node_of_rank_.push_back(static_cast<uint16_t>(node));
        routes_.push_back(
            {node == my_node_ && direct_ ? nullptr : connections_[node].get(), attachment_->job().map.port_of(other)});
    }
    completions_of_port_.resize(config().ports);
    completions_of_port_[attachment_->port()] = attachment_->completions();
    nic_.config = &config();
    nic_.ranks = attachment_->job().map.ranks_of(my_node_).data();
    nic_.completions = completions_of_port_.data();
    nic_.ports = attachment_->ports();
    nic_.counters = attachment_->alone() ? &own_counters_ : &attachment_->requests_header()->counters;
    nic_.wake = [](void* endpoint, uint32_t port) { static_cast<Endpoint*>(endpoint)->signal(port); };
    nic_.wake_context = this;
    nic_.barriers = attachment_->barriers();
    nic_.emit = [](void* endpoint, uint32_t node, const uint8_t* packet, uint32_t length) {
        (void)static_cast<Endpoint*>(endpoint)->transport_->tell(node, packet, length);
    };
    nic_.emit_context = this;
    sink_ = [this](uint8_t* packet, uint32_t length) {
        uint32_t reply_length = 0;
        (void)fw_execute_packet(&nic_, packet, length, &reply_length);
    };
    liveness_ = std::make_unique<Liveness>(this);
}

Endpoint::~Endpoint() = default;

Connection* Endpoint::connection_to(int rank) {
    return connections_[node_of_rank_[static_cast<size_t>(rank)]].get();
}

int Endpoint::read_runtime_word(uint32_t rank, syncline_address_t address, uint64_t* value) {
    AtomicCall look = {
        .operation = SYNCLINE_ADD | SYNCLINE_64 | SYNCLINE_FETCH, .rank = static_cast<int>(rank), .target = address};
    look.result = value;
    look.runtime = true;
    return atomic(look);
}

uint32_t Endpoint::issued(uint32_t node) {
    Lock lock(lock_);
    Connection* const connection = connections_[node].get();
    if (connection == nullptr) {
        return 0;
    }
    flush(connection);
    return connection->issued();
}

bool Endpoint::executed(uint32_t rank, uint32_t* sum) const {
    const fw_slot* const slots = attachment_->slot_tables() + uint64_t{rank} * config().window;
    *sum = 0;
    for (uint32_t i = 0; i + 1 < config().window; i++) {
        const uint64_t word = __atomic_load_n(&slots[i].word, __ATOMIC_ACQUIRE);
        if ((word & 255) == FW_SLOT_BUSY) {
            return false;
        }
        *sum += static_cast<uint32_t>(word >> 8);
    }
    return true;
}

uint64_t* Endpoint::runtime_word(syncline_address_t address) {
    return reinterpret_cast<uint64_t*>(attachment_->bases()[attachment_->port() * SLW_SEGMENTS_MAX] + address);
}

bool Endpoint::is_silent(int rank) {
    if (is_direct(rank)) {
        return false;
    }
    Lock lock(lock_);
    return connection_to(rank)->dead();
}

void Endpoint::start(Connection* connection, uint32_t slot, uint32_t pad_to) {
    if (!connection->busy) {
        connection->busy = true;
        busy_.push_back(connection);
    }
    connection->start(slot, pad_to);
}

uint32_t Endpoint::last_instance(uint32_t barrier, uint32_t leader) {
    Lock lock(lock_);
    return last_instances_[{barrier, leader}];
}

void Endpoint::set_last_instance(uint32_t barrier, uint32_t leader, uint32_t instance) {
    Lock lock(lock_);
    last_instances_[{barrier, leader}] = instance;
}

void Endpoint::set_burst(bool on) {
    if (on != bursting_) {
        bursting_ = on;
        on ? transport_->begin_burst() : transport_->end_burst();
    }
}

void Endpoint::flush(Connection* connection) {
    if (connection->posted_slot < 0) {
        return;
    }
    const auto slot = static_cast<uint32_t>(connection->posted_slot);
    connection->header(slot)->units = static_cast<uint16_t>(connection->posted_units);
    connection->posted_slot = -1;
    connection->posted_units = 0;
    filling_.erase(std::find(filling_.begin(), filling_.end(), connection));
    __atomic_store_n(&gathering_, filling_.size(), __ATOMIC_RELAXED);
    start(connection, slot, 0);
}

void Endpoint::flush_all() {
    while (!filling_.empty()) {
        flush(filling_.back());
    }
}

void Endpoint::complete(Connection* connection, const Answer& answer) {
    if (answer.operation == no_operation) {
        if (answer.status != SYNCLINE_OK && connection->posted_status == SYNCLINE_OK) {
            connection->posted_status = answer.status;
        }
        return;
    }
    Operation& operation = operations_.at(answer.operation);
    if (answer.status != SYNCLINE_OK && operation.status == SYNCLINE_OK) {
        operation.status = answer.status;
    }
    operation.packets--;
    if (operation.packets == 0 && operation.started && !operation.wants_request) {
        completed_.push_back(answer.operation);
    }
}

void Endpoint::receive() {
    if (transport_ && !transport_->capabilities().deposits) {
        transport_->poll(sink_);
    }
}

void Endpoint::progress() {
    if (busy_.empty()) {
        return;
    }
    receive();
    for (size_t i = 0; i < busy_.size();) {
        Connection* const connection = busy_[i];
        Answer answer;
        while (connection->take_answer(&answer)) {
            complete(connection, answer);
        }
        if (connection->pending() == 0) {
            connection->busy = false;
            busy_[i] = busy_.back();
            busy_.pop_back();
        } else {
            i++;
        }
    }
}

void Endpoint::retransmit(uint64_t now) {
    for (Connection* connection : busy_) {
        connection->retransmit(now, peer_timeout_ns_);
    }
}

uint64_t Endpoint::next_retry_ns() const {
    uint64_t next = UINT64_MAX;
    for (const Connection* connection : busy_) {
        next = std::min(next, connection->next_retry_ns());
    }
    return next;
}

// A free slot. Without one, waits with the lock given back in between.
int Endpoint::take_slot(Lock& lock, Connection* connection, bool runtime) {
    const bool bursts = bursting_;
    for (uint64_t turn = 0;; turn++) {
        if (connection->dead()) {
            return SYNCLINE_ERR_PEER;
        }
        const int slot = connection->take_slot(runtime);
        if (slot >= 0) {
            set_burst(bursts);
            return slot;
        }
        set_burst(false);
        flush(connection);  // the only slot may be the one that another thread is filling
        progress();
        if (turn % 64 == 63) {
            retransmit(now_ns());
            lock.unlock();
            const bool alive = attachment_->daemon_alive();
            waiter_.idle(turn, now_ns() + ns_per_ms, [] { return false; });
            lock.lock();
            if (!alive) {
                return SYNCLINE_ERR_NODE;
            }
        }
    }
}

int Endpoint::test(syncline_request_t request, int* done) {
    Lock lock(lock_);
    const int64_t index = operations_.find(request);
    if (index < 0) {
        return error(SYNCLINE_ERR_INVALID, "syncline_test: {:#x} is no request that is still to be completed", request);
    }
    flush_all();
    progress();
    if (++calls_without_clock_ % 64 == 0) {
        retransmit(now_ns());
    }
    const Operation operation = operations_.at(static_cast<uint32_t>(index));
    *done = operation.packets == 0;
    if (operation.packets != 0) {
        return SYNCLINE_OK;
    }
    operations_.release(static_cast<uint32_t>(index));
    return operation.status == SYNCLINE_OK
               ? operation.status
               : error(operation.status, "syncline_test: {}", syncline_error_string(operation.status));
}

int Endpoint::wait(syncline_request_t request) {
    int64_t index;
    {
        Lock lock(lock_);
        index = operations_.find(request);
    }
    if (index < 0) {
        return error(SYNCLINE_ERR_INVALID, "syncline_wait: {:#x} is no request that is still to be completed", request);
    }
    const auto operation = static_cast<uint32_t>(index);
    const int waited = wait_for([&] { return operations_.at(operation).packets == 0; });
    Lock lock(lock_);
    if (waited != SYNCLINE_OK) {
        return error(waited, "syncline_wait: {}", sentence_of(waited));
    }
    const int status = operations_.at(operation).status;
    operations_.release(operation);
    return status == SYNCLINE_OK ? status : error(status, "syncline_wait: {}", sentence_of(status));
}

int Endpoint::poll(syncline_callback_t callback, void* context, int max) {
    if (callback == nullptr || max < 0) {
        return error(SYNCLINE_ERR_INVALID, "syncline_poll: needs a callback and a maximum of at least 0, not {}", max);
    }
    int count = 0;
    Lock lock(lock_);
    flush_all();
    progress();
    if (++calls_without_clock_ % 64 == 0) {
        retransmit(now_ns());
    }
    while (count < max && !completed_.empty()) {
        const uint32_t index = completed_.front();
        completed_.pop_front();
        const Operation operation = operations_.at(index);
        operations_.release(index);
        lock.unlock();
        callback(operation.tag, operation.status, context);
        lock.lock();
        count++;
    }
    return count;
}

int Endpoint::fence_connection(Connection* connection) {
    const int waited = wait_for([&] { return connection->pending() == 0; });
    Lock lock(lock_);
    const int status = connection->posted_status;
    connection->posted_status = SYNCLINE_OK;
    return waited != SYNCLINE_OK ? waited : status;
}

int Endpoint::fence(int rank) {
    if (rank < 0 || static_cast<uint32_t>(rank) >= size()) {
        return error(SYNCLINE_ERR_RANK, "syncline_fence: there is no PE {} in a job of {}", rank, size());
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    Connection* const connection = is_direct(rank) ? nullptr : connection_to(rank);
    const int status = connection != nullptr ? fence_connection(connection) : SYNCLINE_OK;
    return status == SYNCLINE_OK ? status : explain(status, "syncline_fence", rank, 0);
}

int Endpoint::quiet() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    const int waited = wait_for([&] { return busy_.empty(); });
    int status = waited;
    Lock lock(lock_);
    for (const auto& connection : connections_) {
        if (connection && connection->posted_status != SYNCLINE_OK) {
            status = status == SYNCLINE_OK ? connection->posted_status : status;
            connection->posted_status = SYNCLINE_OK;
        }
    }
    return status == SYNCLINE_OK ? status
                                 : error(status, "syncline_quiet: a posted operation failed: {}", sentence_of(status));
}

int Endpoint::wait_until64(const uint64_t* word, int comparison, uint64_t value, int64_t timeout_us) {
    if (word == nullptr || comparison < SYNCLINE_EQ || comparison > SYNCLINE_LE ||
        reinterpret_cast<uintptr_t>(word) % 8 != 0) {
        return error(SYNCLINE_ERR_INVALID,
                     "syncline_wait_until64: {} is no comparison, or {} is NULL or not aligned to 8", comparison,
                     fmt::ptr(word));
    }
    if (address_of(word) == SYNCLINE_ADDRESS_NONE) {
        return error(SYNCLINE_ERR_ADDRESS,
                     "syncline_wait_until64: {} is in no segment of this PE, so nobody could ever write it",
                     fmt::ptr(word));
    }
    const uint64_t start = now_ns();
    const bool for_ever = timeout_us < 0 || static_cast<uint64_t>(timeout_us) > (UINT64_MAX - start) / ns_per_us;
    const uint64_t deadline = for_ever ? UINT64_MAX : start + static_cast<uint64_t>(timeout_us) * ns_per_us;
    const auto holds = [&] {
        const uint64_t now = __atomic_load_n(word, __ATOMIC_ACQUIRE);
        switch (comparison) {
            case SYNCLINE_EQ:
                return now == value;
            case SYNCLINE_NE:
                return now != value;
            case SYNCLINE_GT:
                return now > value;
            case SYNCLINE_GE:
                return now >= value;
            case SYNCLINE_LT:
                return now < value;
            default:
                return now <= value;
        }
    };
    if (!for_ever) {
        const int waited = wait_for(holds, deadline);
        return waited == SYNCLINE_OK ? waited
                                     : error(waited, "syncline_wait_until64: {}", syncline_error_string(waited));
    }
    uint32_t gone = 0;
    const int waited = wait_among_living(this, liveness_.get(), deadline, &gone, holds);
    if (waited == SYNCLINE_ERR_PEER) {
        return error(waited,
                     "syncline_wait_until64: PE {} is gone, the word may never be written; wait again if another "
                     "PE is to write it",
                     gone);
    }
    return waited == SYNCLINE_OK ? waited : error(waited, "syncline_wait_until64: {}", syncline_error_string(waited));
}

}  // namespace syncline
