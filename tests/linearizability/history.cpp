// SPDX-License-Identifier: BSD-3-Clause
#include "tests/linearizability/history.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/linearizability/pe.h"

namespace linearizability {
namespace {

size_t file_bytes(uint64_t capacity) {
    return sizeof(Header) + capacity * sizeof(Record);
}

}  // namespace

History::History(const std::string& folder, int rank, int ranks, uint64_t capacity)
    : capacity_(capacity),
      file_(::open((folder + "/pe-" + std::to_string(rank)).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644)) {
    const size_t bytes = file_bytes(capacity);
    if (!file_ || ::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0) {
        fail("cannot make a history in " + folder);
    }
    // Populated, or the first operation on each page would seem to take the time of a page fault.
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file_.get(), 0);
    if (memory == MAP_FAILED) {
        fail("cannot map a history in " + folder);
    }
    header_ = static_cast<Header*>(memory);
    records_ = reinterpret_cast<Record*>(header_ + 1);
    header_->magic = history_magic;
    header_->rank = static_cast<uint32_t>(rank);
    header_->ranks = static_cast<uint32_t>(ranks);
}

History::~History() {
    ::munmap(header_, file_bytes(capacity_));
}

uint32_t History::add_object(uint32_t kind, int home) {
    if (header_->objects == objects_max) {
        fail("too many objects for a history");
    }
    header_->object[header_->objects] = {kind, static_cast<uint32_t>(home)};
    return header_->objects++;
}

Record* History::call(uint32_t object, Operation operation, uint64_t argument, uint64_t comparand) {
    if (full()) {
        fail("more operations than the history has place for");
    }
    Record* const record = records_ + recorded();
    record->object = object;
    record->operation = operation;
    record->argument = argument;
    record->comparand = comparand;
    __atomic_store_n(&header_->recorded, recorded() + 1, __ATOMIC_RELEASE);
    // An exchange is a full barrier: no load of the operation is executed before the time was read.
    (void)__atomic_exchange_n(&record->call_ns, syncline::now_ns(), __ATOMIC_SEQ_CST);
    return record;
}

void History::done(Record* record, Outcome outcome, uint64_t value) {
    const uint64_t now = syncline::now_ns();
    record->value = value;
    record->outcome = outcome;
    __atomic_store_n(&record->return_ns, now, __ATOMIC_RELEASE);
}

}  // namespace linearizability
