// SPDX-License-Identifier: BSD-3-Clause
// Page fetches over InfiniBand (Noronha 2004, section 5.2): all nodes but the first fetch the pages of the first, one
// after the other and all at once.
//
//   async   a message asks a handler at the first node, which writes the page and a word; it serves one request at
//           a time
//   ardmar  the reader makes sure of the home by a compare&swap, and reads the page; no host takes part
#pragma once

#include "sim/kernel/results.h"
#include "sim/kernel/settings.h"

namespace syncline::sim::pages {

enum class Protocol { kAsync, kArdmar };

struct WorkloadParameters {
    Protocol protocol = Protocol::kAsync;
    uint64_t nodes = 2;
    uint64_t pages = 1024;
    uint64_t page_bytes = 4096;
};

struct HandlerParameters {
    double request_ns = 8690;
    double page_ns = 9500;
    double control_ns = 6700;
    double receive_ns = 8440;
};

struct AdapterParameters {
    double atomic_ns = 23'000;
    double atomic_busy_ns = 0;  // part of atomic_ns in which the adapter can execute no other atomic operation
    double read_ns = 36'390;
    double bandwidth_gbps = 0.7875;
};

struct HostParameters {
    double fault_ns = 6600;
};

struct Parameters {
    WorkloadParameters workload;
    HandlerParameters handler;
    AdapterParameters adapter;
    HostParameters host;

    void visit(Visitor* visitor);
};

// Results: fetch_us, the mean time from a request until the page is there; handler_busy, the share of the time in which
// the first node's handler works; fetched, the number of pages fetched.
Results run(const Parameters& parameters);

}  // namespace syncline::sim::pages
