// SPDX-License-Identifier: BSD-3-Clause
// The executor of each operation. Operations on memory follow the rule of Fabrics, barriers the rule of the groups of
// OpenSHMEM's collectives.
#pragma once

namespace syncline {

enum class Executor {
    kCpu,    // the calling processes, with instructions on mapped memory
    kNic,    // the NICs of the nodes
    kAgent,  // threads of the nodes' daemons
};

enum class OperationKind {
    kPut,
    kGet,
    kAtomic,
    kPutSignal,
    kLock,       // the changes of the lock's queue
    kBarrier,    // and the end of the other collectives
    kReduceOne,  // one integer, float or double of each PE, no product; also a broadcast of up to 8 bytes
    kReduceAny,  // the combining; gets and puts move the data
};

// For operations on PEs of this PE's node, or of another node, whose fabric has this capability.
constexpr Executor executor_of(OperationKind kind, bool same_node, bool nic_executed) {
    if (same_node || kind == OperationKind::kReduceAny) {
        return Executor::kCpu;
    }
    return nic_executed ? Executor::kNic : Executor::kAgent;
}

}  // namespace syncline
