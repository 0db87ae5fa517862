// SPDX-License-Identifier: BSD-3-Clause
// A PE's side of the job: its identity and fabrics, and one object for each kind of operation on them.
#pragma once

#include <memory>
#include <vector>

#include "fabric/choice/fabrics.h"
#include "job/attachment/attachment.h"
#include "runtime/endpoint/liveness.h"
#include "runtime/ground/waiting.h"
#include "runtime/memory/memory.h"
#include "runtime/operations/atomics.h"
#include "runtime/operations/batches.h"
#include "runtime/operations/bulk.h"
#include "runtime/operations/checks.h"
#include "runtime/operations/executor.h"
#include "runtime/operations/posting.h"
#include "runtime/operations/requests.h"
#include "runtime/operations/reserved.h"

namespace syncline {

class Endpoint {
  public:
    // `wait_mode`: enum syncline_wait_mode.
    Endpoint(std::unique_ptr<Attachment> attachment, std::unique_ptr<Fabrics> fabrics, int wait_mode);
    ~Endpoint();
    Endpoint(const Endpoint&) = delete;
    Endpoint& operator=(const Endpoint&) = delete;

    Attachment& attachment() { return *attachment_; }
    const fw_config& config() const { return attachment_->config(); }
    uint32_t rank() const { return attachment_->rank(); }
    uint32_t size() const { return config().ranks; }
    uint32_t node_of(uint32_t rank) const { return attachment_->job().map.node_of(rank); }
    // Returns the port of `rank` at its node.
    uint32_t port_of(int rank) const { return attachment_->job().map.port_of(static_cast<uint32_t>(rank)); }

    // Returns the executor of operations on a PE.
    Executor executor(OperationKind kind, int rank) const;

    Fabrics& fabrics() { return *fabrics_; }
    Memory& memory() { return memory_; }
    Reserved& reserved() { return reserved_; }
    Atomics& atomics() { return atomics_; }
    Bulk& bulk() { return bulk_; }
    Posting& posting() { return posting_; }
    Batches& batches() { return batches_; }
    Requests& requests() { return requests_; }
    Waiting& waiting() { return waiting_; }
    Liveness& liveness() { return liveness_; }
    const Checks& checks() const { return checks_; }

  private:
    const std::unique_ptr<Attachment> attachment_;
    const std::unique_ptr<Fabrics> fabrics_;
    Checks checks_;
    Waiting waiting_;
    Requests requests_;
    Memory memory_;
    Atomics atomics_;
    Bulk bulk_;
    Posting posting_;
    Batches batches_;
    Reserved reserved_;
    Liveness liveness_;
};

}  // namespace syncline
