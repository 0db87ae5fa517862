// SPDX-License-Identifier: BSD-3-Clause
// Put and get. See syncline.h for what each guarantees.
#pragma once

#include "runtime/operations/checks.h"
#include "runtime/process/requests.h"

namespace syncline {

class Bulk {
  public:
    Bulk(Fabrics* fabrics, Waiting* waiting, Requests* requests, const Checks* checks)
        : fabrics_(fabrics), waiting_(waiting), requests_(requests), checks_(checks) {}

    // Blocking.
    int put(int rank, syncline_address_t target, const void* source, size_t bytes);
    int get(int rank, syncline_address_t source, void* target, size_t bytes);
    // Completed by `request` or, if that is NULL, by poll() with the tag.
    int put_nb(int rank, syncline_address_t target, const void* source, size_t bytes, uint64_t tag,
               syncline_request_t* request);
    int get_nb(int rank, syncline_address_t source, void* target, size_t bytes, uint64_t tag,
               syncline_request_t* request);

  private:
    int move(Direction direction, Transfer transfer);
    int start(Direction direction, Transfer transfer, uint64_t tag, syncline_request_t* request);

    Fabrics* const fabrics_;
    Waiting* const waiting_;
    Requests* const requests_;
    const Checks* const checks_;
};

}  // namespace syncline
