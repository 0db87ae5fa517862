// SPDX-License-Identifier: BSD-3-Clause
// The executor of each operation. The rule for memory is that of Fabrics, for barriers that of the groups of
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
    kLock,       // the changes of its queue
    kBarrier,    // also the other collectives' end
    kReduceOne,  // one integer, float or double of each PE, but for the product; also a broadcast of up to 8 bytes
    kReduceAny,  // combining; the data is got and put
};

// Towards PEs of the own node, or of another one whose fabric has this capability.
constexpr Executor executor_of(OperationKind kind, bool same_node, bool nic_executed) {
    if (same_node || kind == OperationKind::kReduceAny) {
        return Executor::kCpu;
    }
    return nic_executed ? Executor::kNic : Executor::kAgent;
}

}  // namespace syncline
