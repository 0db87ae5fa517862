// SPDX-License-Identifier: BSD-3-Clause
// All PEs of a job, as front-ends with symmetric memory and collective calls see them. A process has one such object.
// The first such front-end makes it; the collective open() gives it words and teams, and close() takes these away
// again. The parts that the heap has grown by and the registered pages of the program's variables outlast close(), for
// the next open().
//
// Statuses: OK, or _PEER, _NODE or _NO_MEMORY with a message in last_sentence().
//
// Shared words: only open() writes `has_sleepers` and `is_crowded`, before any collective call reads them.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "runtime/operations/context.h"
#include "runtime/operations/courier.h"
#include "runtime/operations/flusher.h"
#include "runtime/process/process.h"
#include "runtime/symmetric/program_data.h"
#include "runtime/symmetric/symmetric.h"
#include "runtime/symmetric/symmetric_heap.h"
#include "runtime/symmetric/team.h"

namespace syncline {

class World {
  public:
    struct Options {
        uint64_t heap_limit = segment_length_max;  // bytes up to which the heap of a PE may grow
        bool variables = true;                     // those of the program are symmetric memory, too
        bool debug = false;                        // prints to stderr when the PEs run different programs
    };

    explicit World(Process* process);
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    // All PEs of the job call it. Returns when all PEs have the same symmetric memory.
    int open(const Options& options);
    // All PEs call it, when no operation is under way any more and every other team has left.
    int close();

    Process& process() const { return *process_; }
    Endpoint& endpoint() const { return *endpoint_; }
    const Symmetric& memory() const { return memory_; }
    SymmetricHeap& heap() { return *heap_; }
    // The team of all PEs, and the team of this node's PEs.
    Team& all() { return *all_; }
    Team& node() { return *node_; }
    const Context& context() const { return context_; }

    // has_sleepers(): a PE of the job waits in block mode, and a PE that writes its memory must wake it. is_crowded():
    // PEs outnumber the CPUs at one of the nodes, or more. All PEs return the same.
    bool has_sleepers() const { return has_sleepers_; }
    bool is_crowded() const { return is_crowded_; }

    // Called after a write to mapped memory of a PE.
    [[gnu::always_inline]] void written(int pe) const {
        if (__builtin_expect(has_sleepers_, 0)) {
            endpoint_->memory().written(endpoint_->port_of(pe));
        }
    }

    // Posts an atomic without a result to another node; it travels with others.
    int post(const Context& context, const AtomicCall& call) {
        const int status = endpoint_->batches().post(context.batch, call);
        flusher_->note();
        return status;
    }
    // Starts a put that returns at once if the courier takes it; its source stays untouched until complete().
    int put_later(const Context& context, int pe, syncline_address_t target, const void* source, size_t bytes);
    // Completes the operations of a context, and sends the gathered operations of the others.
    int complete(const Context& context);

    const Workspace& workspace() const { return workspace_; }
    TeamNumbers* team_numbers() { return &team_numbers_; }
    // Guards the area of active sets: one collective at a time over any active set.
    std::mutex& active_sets() { return active_sets_; }
    std::vector<uint64_t>* consumed_of_active_sets() { return &consumed_of_active_sets_; }
    // Makes a registration of all PEs symmetric.
    void add(void* start, uint64_t bytes, syncline_address_t address);

  private:
    int make_workspace();
    int learn_how_pes_wait();
    int show_memory(const Options& options);

    Process* const process_;
    Endpoint* const endpoint_;
    Context context_;  // of all PEs
    Workspace workspace_;
    bool has_sleepers_ = false;
    bool is_crowded_ = false;
    Symmetric memory_;
    std::unique_ptr<SymmetricHeap> heap_;
    ProgramData data_;
    std::unique_ptr<Flusher> flusher_;
    std::unique_ptr<Courier> courier_;
    TeamNumbers team_numbers_;
    std::unique_ptr<Team> all_;
    std::unique_ptr<Team> node_;
    std::mutex active_sets_;
    std::vector<uint64_t> consumed_of_active_sets_;
};

}  // namespace syncline
