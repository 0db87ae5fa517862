// SPDX-License-Identifier: BSD-3-Clause
// Atomics with a result, or whose end is waited for. See syncline.h for what each guarantees.
#pragma once

#include "runtime/operations/checks.h"
#include "runtime/process/requests.h"

namespace syncline {

class Atomics {
  public:
    Atomics(Fabrics* fabrics, Waiting* waiting, Requests* requests, const Checks* checks)
        : fabrics_(fabrics), waiting_(waiting), requests_(requests), checks_(checks) {}

    // Blocking.
    int execute(const AtomicCall& call);
    // Completed by `request` or, if that is NULL, by poll() with the tag.
    int start(const AtomicCall& call, uint64_t tag, syncline_request_t* request);

  private:
    Fabrics* const fabrics_;
    Waiting* const waiting_;
    Requests* const requests_;
    const Checks* const checks_;
};

}  // namespace syncline
