// SPDX-License-Identifier: BSD-3-Clause
// The atomic unit of Underwood 2008, section III, one clock cycle at a time.
//
//      requests --> input queue --> pending --> issue --> ALU --+--> register file --> (source of a later operation)
//                                      |          ^              |
//                                 cache request   | values,      +--> cache --> hazard buffer --> host
//                                      v          | any order
//                                    cache -------+
//                                      | miss
//                                      v
//                               hazard buffer --> host
//
// A cycle has these steps, in this order: the ALU's oldest result is written; an operation is issued; a cache request
// is served; a request moves from the input queue to the pending requests, and asks the cache for its word. So an
// operation can use a value in the cycle in which it is written, and takes at least one cycle in each stage.
//
// At most one operation per word is between reading the word and writing it back; later operations on the word follow
// it. When the issue unit issues an operation, it looks at the next `window` requests after it. If one of them is for
// the same word, and the ageing policy agrees, the result goes to a register, from which that request takes it; else
// the result goes to the cache, and so to the host. Operations are issued in order, except that `set_aside` of them may
// wait while others pass.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "sim/kernel/kernel.h"
#include "sim/models/atomic_unit/cache.h"
#include "sim/models/atomic_unit/hazard_buffer.h"
#include "sim/models/atomic_unit/host_interface.h"
#include "sim/models/atomic_unit/operation.h"

namespace syncline::sim::atomic_unit {

enum class Ageing { kCount, kHostQueue, kBoth };
inline constexpr const char* ageing_names[] = {"count", "host-queue", "both"};
enum class CachePolicy { kWriteThrough, kWriteBack };
inline constexpr const char* cache_policy_names[] = {"write-through", "write-back"};

struct UnitParameters {
    double clock_mhz = 500;
    uint64_t input = 64;
    uint64_t pending = 128;
    uint64_t window = 16;
    uint64_t registers = 8;
    Ageing ageing = Ageing::kHostQueue;
    uint64_t age_limit = 16;      // results in a row that stay in the register file
    uint64_t host_queue_low = 2;  // with fewer requests queued to the host, a result leaves its register
    uint64_t set_aside = 0;
    uint64_t alu_depth = 3;
    uint64_t float_depth = 6;
    uint64_t lines = 32;
    uint64_t ways = 1;
    uint64_t cache_latency = 1;
    bool blocking = false;  // a request that waits for a line keeps all others waiting
    CachePolicy policy = CachePolicy::kWriteThrough;
    double write_back_ns = 1000;
    HazardScheme hazard = HazardScheme::kAcknowledge;
    uint64_t hazard_entries = 128;
};

// Throws Failure with the reason if no cache can have these parameters.
void check_geometry(uint64_t lines, uint64_t ways);

class UnitClient {
  public:
    // The operation has its place in the order of its word's operations. `old` is the value before it.
    virtual void operation_done(const Request& request, uint64_t old) = 0;
    virtual void input_moved() = 0;  // the input queue has room again

  protected:
    ~UnitClient() = default;
};

class AtomicUnit final : public Component {
  public:
    AtomicUnit(Kernel* kernel, const UnitParameters& parameters, HostInterface* host, UnitClient* client);

    bool full() const { return input_.size() >= parameters_.input; }
    void accept(const Request& request);

    // These calls come from the host interface.
    void read_done(uint32_t slot, uint64_t value);
    void write_acknowledged(uint64_t word);
    void flushed();
    void host_moved() { wake(); }

    void handle(uint64_t what) override;

    // Returns true if nothing waits anywhere, and the host knows every value.
    bool idle() const;

    struct Statistics {
        uint64_t operations = 0, hits = 0, misses = 0, to_register = 0, to_cache = 0;
        uint64_t busy_cycles = 0;      // the first operation waited for an earlier one on its word
        uint64_t data_cycles = 0;      // the first operation waited for its value
        uint64_t conflict_cycles = 0;  // a cache request waited for a line
        uint64_t hazard_waits = 0;     // reads that waited for a write
        uint64_t output_cycles = 0;    // the ALU waited for room for a result
    };
    const Statistics& statistics() const { return statistics_; }
    uint64_t host_writes_merged() const { return hazards_.merged(); }

  private:
    static constexpr uint32_t none = UINT32_MAX;
    enum class State : uint8_t { kFollowing, kRequested, kReady };
    struct Operand {
        Request request;
        State state = State::kFollowing;
        uint64_t value = 0;
        uint32_t next = none;  // the next pending request on this word
    };
    // A word that a request, an operation or a register is about.
    struct Word {
        uint32_t first = none, last = none;  // the pending requests on it
        bool in_flight = false;              // an operation on it is issued, and not written back yet
        bool in_register = false;            // the newest value is in the register file
        uint64_t value = 0;                  // the register's value
        uint64_t age = 0;                    // results in a row that went to the register file
    };
    struct Flight {
        Request request;
        uint64_t ready;  // cycle
        uint64_t old;
        bool from_register, to_register;
    };
    struct Return {
        uint64_t cycle;
        uint32_t slot;
        uint64_t value;
    };

    void wake();
    bool take_hits();
    bool retire();
    bool issue();
    bool request();
    bool admit();
    void supply(uint32_t slot, uint64_t value);
    bool write_back(const Flight& flight, uint64_t value);
    bool serve_freed();
    bool serve_next();
    bool serve(uint32_t slot);
    bool wait_for_line(uint32_t slot);
    bool hit(uint32_t slot);
    bool miss(uint32_t slot);
    bool make_room(Cache::Line* line);
    void mark_dirty(Cache::Line* line, uint64_t value);
    void age_line(uint64_t what);
    void read_from_host(uint32_t slot);
    void release_parked();
    bool issue_slot(size_t position);
    bool wants_register(const Word& word, size_t position);
    bool ageing_allows(const Word& word) const;
    bool seen_ahead(const Word& word, size_t position) const;
    void forget(uint64_t address, const Word& word);
    void note_stall(const Operand& head, const Word& word);

    Kernel* const kernel_;
    const UnitParameters parameters_;
    HostInterface* const host_;
    UnitClient* const client_;
    const Time period_;
    Cache cache_;
    HazardBuffer hazards_;

    std::deque<Request> input_;
    std::vector<Operand> pending_;
    std::vector<uint32_t> free_;                 // free places of pending_
    std::deque<uint32_t> order_;                 // places of pending_, in the order of arrival
    std::deque<uint32_t> requests_;              // requests to the cache
    std::vector<std::deque<uint32_t>> waiting_;  // by set: requests that wait for a line
    uint64_t waiting_count_ = 0;
    std::deque<uint64_t> freed_sets_;
    std::deque<Return> returns_;    // values of hits
    std::vector<uint32_t> parked_;  // misses that a hazard holds back
    std::deque<uint32_t> reads_;    // reads for the host
    std::deque<Flight> alu_;
    std::unordered_map<uint64_t, Word> words_;
    uint64_t registers_used_ = 0;
    uint64_t dirty_lines_ = 0;
    uint64_t cycle_ = 0;
    bool scheduled_ = false;
    Statistics statistics_;
};

}  // namespace syncline::sim::atomic_unit
