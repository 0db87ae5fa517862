// SPDX-License-Identifier: BSD-3-Clause
// All parameters of the machine of Underwood 2008 and of the workloads on it. A default is the paper's value where the
// paper states one.
#pragma once

#include <cstdint>
#include <string>

#include "sim/kernel/results.h"
#include "sim/kernel/settings.h"
#include "sim/models/atomic_unit/atomic_unit.h"
#include "sim/models/atomic_unit/host_interface.h"
#include "sim/models/atomic_unit/memory.h"
#include "sim/models/atomic_unit/torus.h"

namespace syncline::sim::atomic_unit {

enum class WorkloadKind { kFocused, kRandomAccess, kRandomAccessMessages, kTrace };
enum class AddressOrder { kRandom, kCyclic };

struct WorkloadParameters {
    WorkloadKind kind = WorkloadKind::kFocused;
    uint64_t pes = 64;
    uint64_t operations = 1000;  // number of operations of each PE
    uint64_t addresses = 16;     // number of words of each PE; 1: all PEs share one
    AddressOrder order = AddressOrder::kCyclic;
    Operation operation = Operation::ADD;
    bool fetch = false;
    uint64_t outstanding = 1024;
    uint64_t table_words = 1 << 18;  // number of the table's words on each node
    uint64_t seed = 1;
    std::string trace;
};

struct ProcessorParameters {
    uint64_t per_node = 2;
    double issue_ns = 10;
    double apply_ns = 8;
};

struct NicParameters {
    uint64_t command_cycles = 4;
    uint64_t receive_cycles = 4;
    uint64_t command_queue = 128;
    uint64_t receive_queue = 16;
};

struct Parameters {
    WorkloadParameters workload;
    ProcessorParameters processor;
    NicParameters nic;
    UnitParameters unit;
    HostParameters host;
    MemoryParameters memory;
    NetworkParameters network;

    void visit(Visitor* visitor);
    // Throws Failure with the reason if no machine can have these parameters.
    void check() const;
    uint32_t nodes() const {
        return static_cast<uint32_t>((workload.pes + processor.per_node - 1) / processor.per_node);
    }
};

// Throws Failure if no machine can have these parameters.
Results run(const Parameters& parameters);

}  // namespace syncline::sim::atomic_unit
