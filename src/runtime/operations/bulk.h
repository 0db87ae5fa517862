// SPDX-License-Identifier: BSD-3-Clause
// Put, get and accumulate, of consecutive bytes or in pieces. syncline.h has the guarantees of each.
#pragma once

#include "runtime/operations/checks.h"
#include "runtime/operations/requests.h"

namespace syncline {

class Bulk {
  public:
    Bulk(Fabrics* fabrics, Waiting* waiting, Requests* requests, const Checks* checks)
        : fabrics_(fabrics), waiting_(waiting), requests_(requests), checks_(checks) {}

    // For an operation that does not wait: `request` completes it or, if that is NULL, poll() with the tag does.
    struct Later {
        uint64_t tag;
        syncline_request_t* request;
    };

    int put(int rank, syncline_address_t target, const void* source, size_t bytes);
    int get(int rank, syncline_address_t source, void* target, size_t bytes);
    int put_nb(int rank, syncline_address_t target, const void* source, size_t bytes, uint64_t tag,
               syncline_request_t* request);
    int get_nb(int rank, syncline_address_t source, void* target, size_t bytes, uint64_t tag,
               syncline_request_t* request);
    // Blocks if `later` is NULL. `element`: enum syncline_element.
    int move_pieces(Direction direction, Pieces pieces, const Later* later = nullptr);
    int accumulate(int rank, syncline_address_t target, int element, const void* values, size_t count,
                   const Later* later = nullptr);
    int accumulate_pieces(int element, const Pieces& pieces, const Later* later = nullptr);

  private:
    int move(Direction direction, Transfer transfer, const Later* later);
    template <typename Begin>
    int run(int rank, syncline_address_t address, const Later* later, Begin&& begin);
    template <typename Begin>
    int start(int rank, syncline_address_t address, const Later& later, Begin&& begin);

    Fabrics* const fabrics_;
    Waiting* const waiting_;
    Requests* const requests_;
    const Checks* const checks_;
};

}  // namespace syncline
