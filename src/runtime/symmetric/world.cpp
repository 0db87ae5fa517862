// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/symmetric/world.h"

#include <algorithm>
#include <cstring>

#include "base/failure.h"
#include "base/status.h"
#include "runtime/ground/error_text.h"

namespace syncline {

World::World(Process* process) : process_(process), endpoint_(&process->endpoint()) {
    context_.batch = endpoint_->batches().open();
    context_.size = static_cast<int>(process_->size());
}

World::~World() = default;

// Makes the first allocation of every PE, which is therefore at one address at all PEs. No PE signals another before
// the words are zero at all PEs.
int World::make_workspace() {
    workspace_.pes = static_cast<int>(process_->size());
    const uint64_t offset = process_->heap().allocate(workspace_.bytes(), 64);
    if (offset == Heap::none) {
        return error(SYNCLINE_ERR_NO_MEMORY,
                     "the symmetric heap is too small for the library's own words; ask for a larger one");
    }
    workspace_.base = offset;
    std::memset(endpoint_->memory().local(offset), 0, workspace_.bytes());
    consumed_of_active_sets_.assign(process_->size(), 0);
    const int status = process_->barrier();
    return status == SYNCLINE_ERR_PEER ? error(status, "a PE has ended, and all PEs initialize together") : status;
}

// All PEs have joined the job by now, so each knows which PEs share its CPUs.
int World::learn_how_pes_wait() {
    constexpr uint64_t sleeping = 1;
    constexpr uint64_t crowding = 2;
    Group& group = all_->group();
    is_crowded_ = has_sleepers_ = false;
    if (const int status = group.sync(); status != SYNCLINE_OK) {
        return status;
    }
    endpoint_->waiting().look_at_crowd();
    std::vector<uint64_t> values;
    const int status = group.exchange(
        (process_->blocks() ? sleeping : 0) | (endpoint_->waiting().is_crowded() ? crowding : 0), &values);
    for (const uint64_t value : values) {
        has_sleepers_ |= (value & sleeping) != 0;
        is_crowded_ |= (value & crowding) != 0;
    }
    return status;
}

int World::show_memory(const Options& options) {
    if (!heap_) {
        heap_ = std::make_unique<SymmetricHeap>(this, &process_->heap(), options.heap_limit);
    }
    heap_->show();
    return options.variables ? data_.show(this, options.debug) : SYNCLINE_OK;
}

int World::open(const Options& options) {
    const auto ranks = process_->job().map.ranks_of(endpoint_->config().node);
    std::vector<int> here(ranks.begin(), ranks.end());
    std::sort(here.begin(), here.end());
    flusher_ = std::make_unique<Flusher>(&endpoint_->batches(), context_.batch);
    courier_ = std::make_unique<Courier>(&endpoint_->fabrics(), &endpoint_->waiting(), &endpoint_->batches());
    if (const int status = make_workspace(); status != SYNCLINE_OK) {
        return status;
    }
    all_ = std::make_unique<Team>(this, 0, Members{0, 1, static_cast<int>(process_->size())});
    node_ = std::make_unique<Team>(this, 1, Members::of(std::move(here)));
    int status = all_->join();
    status = status == SYNCLINE_OK ? learn_how_pes_wait() : status;
    status = status == SYNCLINE_OK ? show_memory(options) : status;
    return status == SYNCLINE_OK ? all_->group().sync() : status;
}

int World::close() {
    flusher_.reset();
    int status = node_->leave();
    status = status == SYNCLINE_OK ? all_->leave() : status;
    node_.reset();
    all_.reset();
    courier_.reset();
    memory_.clear();
    heap_->clear();
    process_->heap().free(workspace_.base);
    return status;
}

int World::put_later(const Context& context, int pe, syncline_address_t target, const void* source, size_t bytes) {
    return courier_->take(context.batch, pe, target, source, bytes)
               ? static_cast<int>(SYNCLINE_OK)
               : endpoint_->batches().put(context.batch, pe, target, source, bytes, true);
}

int World::complete(const Context& context) {
    endpoint_->posting().send_gathered();
    const int sent = courier_->finish(context.batch);
    const int completed = endpoint_->batches().complete(context.batch);
    return sent == SYNCLINE_OK ? completed : error(sent, "a put failed: {}", status_text(sent));
}

void World::add(void* start, uint64_t bytes, syncline_address_t address) {
    memory_.add(&endpoint_->attachment(), endpoint_->memory(), start, bytes, address);
}

}  // namespace syncline
