// SPDX-License-Identifier: BSD-3-Clause
// A PE's end of everything: turns calls into CPU instructions on mapped memory (same node) or into packets, and
// packets' answers into completions.
//
// Threads: all state is under one SpinLock, taken per call; nothing is held while a thread idles.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/spin_lock.h"
#include "fabric/packet/connection.h"
#include "fabric/packet/transport.h"
#include "firmware/native.h"
#include "job/attachment.h"
#include "runtime/collective/latency_model.h"
#include "runtime/memory/heap.h"
#include "runtime/operations/operations.h"
#include "runtime/process/waiter.h"

namespace syncline {

struct AtomicCall {
    int operation;  // SYNCLINE_* of syncline.h, which are the wire's
    int rank;
    syncline_address_t target;
    uint64_t operand[2] = {0, 0};
    uint64_t comparand[2] = {0, 0};
    void* result = nullptr;
    bool runtime = false;  // on the runtime's own words, which users may not touch

    uint32_t width() const { return 1u << ((operation >> SLW_WIDTH_SHIFT) & 7); }
    bool fetches() const { return (operation & SYNCLINE_FETCH) != 0; }
};

class Liveness;

class Endpoint {
  public:
    struct Options {
        int wait_mode = SYNCLINE_WAIT_POLL;
        uint32_t peer_timeout_ms = 5000;
        bool direct = true;  // false: also PEs of this node are reached by packets (fault injection)
    };

    Endpoint(std::unique_ptr<Attachment> attachment, std::unique_ptr<Transport> transport, const Options& options);
    ~Endpoint();

    Attachment& attachment() { return *attachment_; }
    const fw_config& config() const { return attachment_->config(); }
    uint32_t rank() const { return attachment_->rank(); }
    uint32_t size() const { return config().ranks; }

    // See syncline.h for what each guarantees.
    int atomic(const AtomicCall& call);
    int atomic_nb(const AtomicCall& call, uint64_t tag, syncline_request_t* request);
    int atomic_post(const AtomicCall& call);
    // atomic_post() of a word on 32 or 64 bits that is no compare&swap: the path of high message rates.
    int post_word(int operation, int rank, syncline_address_t target, uint64_t value);
    int put(int rank, syncline_address_t target, const void* source, size_t bytes);
    int get(int rank, syncline_address_t source, void* target, size_t bytes);
    int put_nb(int rank, syncline_address_t target, const void* source, size_t bytes, uint64_t tag,
               syncline_request_t* request);
    int get_nb(int rank, syncline_address_t source, void* target, size_t bytes, uint64_t tag,
               syncline_request_t* request);
    int test(syncline_request_t request, int* done);
    int wait(syncline_request_t request);
    int poll(syncline_callback_t callback, void* context, int max);
    int fence(int rank);
    int quiet();

    // A batch: puts, gets and atomics that are completed together, apart from those of other batches. What is written
    // has been copied when a call returns; what is fetched is there once the batch is complete.
    uint32_t open_batch();
    void close_batch(uint32_t batch);  // it must be complete
    int put_in(uint32_t batch, int rank, syncline_address_t target, const void* source, size_t bytes);
    int get_in(uint32_t batch, int rank, syncline_address_t source, void* target, size_t bytes);
    int atomic_in(uint32_t batch, const AtomicCall& call);
    int post_in(uint32_t batch, const AtomicCall& call) { return post(call, batch); }
    // Puts, and executes the atomic, of one unit, on a word of the same PE when the data is there: in one packet if the
    // data fits.
    static constexpr size_t signalled_put_bytes = SLW_BULK_MAX - SLW_UNIT_BYTES;
    int put_signal_in(uint32_t batch, syncline_address_t target, const void* source, size_t bytes,
                      const AtomicCall& signal);
    // Waits for everything in the batch; returns the first error since the last call.
    int complete_batch(uint32_t batch);
    bool batch_is_complete(uint32_t batch);  // makes progress
    // Sends what posted operations have gathered, of all batches and to all nodes. Where nothing has gathered it is one
    // load, so that calls which may not have to wait can begin with it.
    void send_gathered() {
        if (__builtin_expect(__atomic_load_n(&gathering_, __ATOMIC_RELAXED) != 0, 0)) {
            Lock lock(lock_);
            flush_all();
        }
    }
    int wait_until64(const uint64_t* word, int comparison, uint64_t value, int64_t timeout_us);

    // What takes barriers on for this PE; for use under the lock that with_nic() takes.
    template <typename Use>
    void with_nic(Use&& use) {
        Lock lock(lock_);
        use(&nic_);
    }
    fw_nic* nic() { return &nic_; }
    // Takes in what has arrived for this PE without its having asked by a request. Under the lock.
    void receive();
    bool nic_executes() const { return transport_ && transport_->capabilities().nic_executed; }
    // What barriers cost here: fitted when it is first asked for, by some hundred requests to another node.
    const LatencyModel& latency_model();
    // The last instance of a barrier number under this leader that the PE took part in; 0: none.
    uint32_t last_instance(uint32_t barrier, uint32_t leader);
    void set_last_instance(uint32_t barrier, uint32_t leader, uint32_t instance);
    uint32_t node_of(uint32_t rank) const { return node_of_rank_[rank]; }
    // At its node.
    uint32_t port_of(int rank) const { return routes_[static_cast<size_t>(rank)].port; }

    // Waits until `done()`, called under the lock, returns true. OK, _NODE or, at the deadline, _TIMEOUT.
    template <typename Done>
    int wait_for(Done&& done, uint64_t deadline_ns = UINT64_MAX);

    void* direct(int rank, syncline_address_t address, uint64_t bytes);
    syncline_address_t address_of(const void* pointer);
    void* local(syncline_address_t address) const;
    bool uses_direct() const { return direct_; }
    // The runtime's own words, at the start of every heap: one of another PE's, atomically, and where this PE's are.
    int read_runtime_word(uint32_t rank, syncline_address_t address, uint64_t* value);
    uint64_t* runtime_word(syncline_address_t address);
    // Stores consecutive words there, each by itself, in no particular order; what is lost is sent again.
    int store_runtime_words(uint32_t rank, syncline_address_t address, const uint64_t* values, uint32_t count);
    // See Connection: what this PE has sent to a node, and what this node has executed for a PE. The latter is false
    // while it executes one of that PE's requests.
    uint32_t issued(uint32_t node);
    bool executed(uint32_t rank, uint32_t* sum) const;
    // Was the PE's node given up because it is silent? If not, a PE for which _PEER came back is known to be gone.
    bool is_silent(int rank);
    Liveness& liveness() { return *liveness_; }
    bool is_crowded() const { return waiter_.is_crowded(); }
    void look_at_crowd() { waiter_.look_at_crowd(); }
    // What went wrong, for a sentence; with this node's link as a possible cause of a PE's silence.
    std::string sentence_of(int status) const;
    // See syncline_register(). Throw Failure.
    uint32_t register_memory(void* base, uint64_t bytes, Attachment::Contents contents = Attachment::Contents::kKept);
    void deregister_memory(uint32_t segment);
    void wake(uint32_t port);
    void signal(uint32_t port);
    void written(uint32_t port);

  private:
    using Lock = std::unique_lock<SpinLock>;

    int check_range(const char* what, int rank, syncline_address_t address, uint64_t bytes, bool runtime = false) const;
    int check_atomic(const char* what, const AtomicCall& call) const;
    int explain(int status, const char* what, int rank, syncline_address_t address) const;
    bool is_direct(int rank) const;
    int refuse_local(const char* what, int rank, syncline_address_t address) const;

    int atomic_direct(const AtomicCall& call, void* word);
    int post(const AtomicCall& call, uint32_t batch);
    int bulk_in(uint32_t batch, uint8_t code, int rank, syncline_address_t address, uint8_t* local, size_t bytes);
    int start_atomic(Lock& lock, const AtomicCall& call, uint32_t operation);
    int start_bulk(Lock& lock, uint8_t code, int rank, syncline_address_t address, uint8_t* local, size_t bytes,
                   uint32_t operation);
    int start_chunk(Lock& lock, uint8_t code, int rank, syncline_address_t address, uint8_t* local, uint32_t bytes,
                    uint32_t operation, const AtomicCall* signal = nullptr);
    int bulk(uint8_t code, int rank, syncline_address_t address, uint8_t* local, size_t bytes);
    int bulk_nb(uint8_t code, int rank, syncline_address_t address, uint8_t* local, size_t bytes, uint64_t tag,
                syncline_request_t* request);
    int finish_blocking(Lock& lock, uint32_t operation, const char* what, int rank, syncline_address_t address);
    void hand_out(uint32_t operation, syncline_request_t* request, int status);

    Connection* connection_to(int rank);
    int take_slot(Lock& lock, Connection* connection, bool runtime = false);
    void start(Connection* connection, uint32_t slot, uint32_t pad_to);
    void set_burst(bool on);
    void flush(Connection* connection);
    void flush_all();
    void progress();
    void retransmit(uint64_t now);
    void complete(Connection* connection, const Answer& answer);
    int fence_connection(Connection* connection);
    uint64_t next_retry_ns() const;

    std::unique_ptr<Attachment> attachment_;
    std::unique_ptr<Transport> transport_;
    const uint64_t peer_timeout_ns_;
    const bool direct_;
    const uint32_t my_node_;
    SpinLock lock_;
    Waiter waiter_;
    Operations operations_;
    std::deque<uint32_t> completed_;                        // operations for poll()
    std::vector<std::unique_ptr<Connection>> connections_;  // per node
    std::vector<uint16_t> node_of_rank_;
    struct Route {
        Connection* connection;  // NULL: no packets go there
        uint32_t port;           // at its node
    };
    std::vector<Route> routes_;         // per rank
    std::vector<Connection*> busy_;     // with packets out
    std::vector<Connection*> filling_;  // with posted operations not sent yet
    size_t gathering_ = 0;              // how many these are, to be read without the lock
    bool bursting_ = false;             // the transport may hold packets back; only while the lock is held
    uint32_t calls_without_clock_ = 0;
    // What deposits replies into this PE's completions where the NIC does not.
    std::vector<fw_completion*> completions_of_port_;
    fw_counters own_counters_ = {};  // of a PE without a daemon
    fw_nic nic_ = {};
    Transport::Sink sink_;
    std::vector<uint32_t> mapped_generation_;
    std::optional<LatencyModel> latency_model_;
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> last_instances_;
    std::unique_ptr<Liveness> liveness_;
};

template <typename Done>
int Endpoint::wait_for(Done&& done, uint64_t deadline_ns) {
    {
        Lock lock(lock_);
        flush_all();
    }
    uint64_t look_at_daemon_ns = 0;
    for (uint64_t turn = 0;; turn++) {
        {
            Lock lock(lock_);
            progress();
            if (done()) {
                return SYNCLINE_OK;
            }
        }
        uint64_t wake_at = deadline_ns;
        if ((turn + 1) % waiter_.turns_per_look(turn) == 0) {
            const uint64_t now = now_ns();
            if (now >= deadline_ns) {
                return SYNCLINE_ERR_TIMEOUT;
            }
            if (now >= look_at_daemon_ns) {
                if (!attachment_->daemon_alive()) {
                    return SYNCLINE_ERR_NODE;
                }
                look_at_daemon_ns = now + 50 * ns_per_ms;
            }
            Lock lock(lock_);
            flush_all();  // what another thread posts while this one waits
            retransmit(now);
            wake_at = std::min(wake_at, next_retry_ns());
        }
        waiter_.idle(turn, wake_at, [&] {
            Lock lock(lock_);
            progress();
            return done();
        });
    }
}

}  // namespace syncline
