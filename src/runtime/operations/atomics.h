// SPDX-License-Identifier: BSD-3-Clause
// Atomics that have a result, or for whose end the caller waits. syncline.h has the guarantees of each.
#pragma once

#include "runtime/operations/checks.h"
#include "runtime/operations/requests.h"

namespace syncline {

class Atomics {
  public:
    Atomics(Fabrics* fabrics, Waiting* waiting, Requests* requests, const Checks* checks)
        : fabrics_(fabrics), waiting_(waiting), requests_(requests), checks_(checks) {}

    // Blocking.
    int execute(const AtomicCall& call);
    // Starts an atomic; `request` completes it or, if that is NULL, poll() with the tag does.
    int start(const AtomicCall& call, uint64_t tag, syncline_request_t* request);

  private:
    Fabrics* const fabrics_;
    Waiting* const waiting_;
    Requests* const requests_;
    const Checks* const checks_;
};

}  // namespace syncline
