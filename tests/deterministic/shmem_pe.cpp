// SPDX-License-Identifier: BSD-3-Clause
#include "tests/deterministic/shmem_pe.h"

#include "runtime/process/lifetime.h"

namespace syncline::deterministic {
namespace {

constexpr uint64_t heap_limit = 0;

}  // namespace

ShmemJob::ShmemJob(World* world) : world_(world), processes_(world->size()), libraries_(world->size()) {
    world->scheduler().when_resuming([this](uint32_t rank) { become(rank); });
}

ShmemJob::~ShmemJob() {
    process = nullptr;
    shmem::library = nullptr;
}

void ShmemJob::become(uint32_t rank) const {
    process = processes_[rank];
    shmem::library = libraries_[rank];
}

// As join() and make_everything() of src/api/shmem do for the one PE of a process.
void ShmemJob::begin(uint32_t rank) {
    begin_call("shmem_init");
    processes_[rank] = new Process(world_->attach(rank), world_->wait_mode());
    become(rank);
    libraries_[rank] = new shmem::Library;
    become(rank);
    shmem::Library& library = *libraries_[rank];
    shmem::check(library.world.open({.heap_limit = heap_limit, .variables = false}));
    library.all = std::make_unique<shmem::UserTeam>(&library.world.all());
    library.shared = std::make_unique<shmem::UserTeam>(&library.world.node());
}

// As stop() and leave() do.
void ShmemJob::end(uint32_t rank) {
    begin_call("shmem_finalize");
    shmem::Library* const library = libraries_[rank];
    shmem::quiet(library->context);
    shmem::check(library->world.all().group().barrier());
    shmem::check(library->world.close());
    int status = process->barrier();
    if (const int late = process->endpoint().posting().quiet(); status == SYNCLINE_OK) {
        status = late;
    }
    shmem::check(status);
    process->part();
    library->shared.reset();
    library->all.reset();
    delete library;
    libraries_[rank] = shmem::library = nullptr;
    delete processes_[rank];
    processes_[rank] = process = nullptr;
}

bool ShmemJob::run(const std::function<void(int)>& program, uint64_t time_limit) {
    for (uint32_t rank = 0; rank < world_->size(); rank++) {
        world_->spawn(rank, [this, rank, &program] {
            begin(rank);
            program(static_cast<int>(rank));
            end(rank);
        });
    }
    return world_->scheduler().run(time_limit);
}

}  // namespace syncline::deterministic
