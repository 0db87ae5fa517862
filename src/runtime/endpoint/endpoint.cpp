// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/endpoint/endpoint.h"

namespace syncline {

Endpoint::Endpoint(std::unique_ptr<Attachment> attachment, std::unique_ptr<Fabrics> fabrics, int wait_mode)
    : attachment_(std::move(attachment)),
      fabrics_(std::move(fabrics)),
      checks_(attachment_.get(), fabrics_.get()),
      waiting_(attachment_.get(), fabrics_.get(), wait_mode),
      requests_(fabrics_.get(), &waiting_, &checks_),
      memory_(attachment_.get(), fabrics_.get()),
      atomics_(fabrics_.get(), &waiting_, &requests_, &checks_),
      bulk_(fabrics_.get(), &waiting_, &requests_, &checks_),
      posting_(attachment_.get(), fabrics_.get(), &waiting_, &checks_),
      batches_(fabrics_.get(), &waiting_, &posting_, &checks_),
      reserved_(attachment_.get(), fabrics_.get(), &waiting_, &atomics_, &posting_),
      liveness_(attachment_.get(), &reserved_) {}

Endpoint::~Endpoint() = default;

Executor Endpoint::executor(OperationKind kind, int rank) const {
    const bool same_node = node_of(static_cast<uint32_t>(rank)) == config().node;
    return executor_of(kind, same_node, fabrics_->of(rank).capabilities().nic_executed);
}

}  // namespace syncline
