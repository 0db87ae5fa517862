// SPDX-License-Identifier: BSD-3-Clause
// Who executes what. The rule for memory is that of Fabrics, for barriers that of the groups of OpenSHMEM's
// collectives.
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
    kReduceOne,  // one integer of each PE, but for the product; also a broadcast of up to 8 bytes
    kReduceAny,  // combining; the data is got and put
};

// Among PEs of one node, or of several, joined by a transport whose NICs execute operations or do not.
constexpr Executor executor_of(OperationKind kind, bool same_node, bool nic_executed) {
    if (same_node || kind == OperationKind::kReduceAny) {
        return Executor::kCpu;
    }
    return nic_executed ? Executor::kNic : Executor::kAgent;
}

}  // namespace syncline
