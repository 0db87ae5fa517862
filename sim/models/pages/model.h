// SPDX-License-Identifier: BSD-3-Clause
// Page fetches over InfiniBand (paper 002, section 5.2): all nodes but the first fetch the pages of the first, one
// after the other and all at once.
//
//   async   a handler at the first node is asked by a message, and writes the page and a word; it serves one at a time
//   ardmar  the reader makes sure of the home by a compare&swap, and reads the page; no host has a part in it
#pragma once

#include "sim/kernel/model.h"

namespace syncline::sim {

enum class PageProtocol { kAsync, kArdmar };

struct PagesParameters {
    PageProtocol protocol = PageProtocol::kAsync;
    uint64_t nodes = 2;
    uint64_t pages = 1024;
    double request_ns = 8690;
    double page_ns = 9500;
    double control_ns = 6700;
    double receive_ns = 8440;
    double atomic_ns = 23'000;
    double atomic_busy_ns = 0;  // of atomic_ns, the adapter can do no other
    double read_ns = 36'390;
    double gigabytes_per_s = 0.7875;
    uint64_t page_bytes = 4096;
    double fault_ns = 6600;

    void visit(Visitor* visitor);
};

// Results: fetch_us, the mean from a request until the page is there; handler_busy, the share of the time in which the
// first node's handler works; fetched, how many were.
class PagesModel final : public Model {
  public:
    void visit(Visitor* visitor) override { parameters_.visit(visitor); }
    Results run() const override;

  private:
    PagesParameters parameters_;
};

}  // namespace syncline::sim
