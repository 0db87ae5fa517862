// SPDX-License-Identifier: BSD-3-Clause
// One operation of the catalogue, between given PEs and of a given size, as the measuring loops call it. An object is
// made by every PE that takes part, before any of them begins.
#pragma once

#include <syncline.h>

#include <cstdint>
#include <memory>
#include <string>

#include "tools/perf/catalogue.h"
#include "tools/perf/options.h"

namespace syncline::perf {

// Symmetric memory of every PE.
struct Ground {
    syncline_address_t area = 0;  // for data
    uint64_t area_bytes = 0;
    syncline_address_t words = 0;  // for atomics and signals: words_bytes, aligned to a page
};
constexpr uint64_t words_bytes = 64 << 10;

struct Task {
    Pair pair;
    uint64_t bytes = 0;
    uint32_t window = 1;
    Ground ground;
    syncline_lock_t* lock = nullptr;  // with its home at pair.to; of "lock" only
};

class Operation {
  public:
    virtual ~Operation() = default;

    // `count` of them, one after the other, each complete at its target before the next one begins. Throws Failure, as
    // the others do, if a result is wrong.
    virtual void run(uint64_t count) = 0;
    // `count` of them, as many at once as the window allows; all are complete on return.
    virtual void stream(uint64_t count) { run(count); }
    // The memory is as all of them together leave it, or Failure.
    virtual void check() {}

    // Party::kBoth and kAll: the other PEs answer until the initiator, which is through, releases them.
    virtual void answer() {}
    virtual void release() {}
};

// Makes the operation of that entry of the catalogue.
std::unique_ptr<Operation> make_operation(const Entry& entry, const Task& task);

// The makers for each file's part of the catalogue; NULL: the name is not of that part.
std::unique_ptr<Operation> make_move(const std::string& name, const Task& task);
std::unique_ptr<Operation> make_accumulate(const std::string& name, const Task& task);
std::unique_ptr<Operation> make_atomic(const std::string& name, const Task& task);
std::unique_ptr<Operation> make_synchronisation(const std::string& name, const Task& task);

}  // namespace syncline::perf
