// SPDX-License-Identifier: BSD-3-Clause
// Names of `syncline bench dsm`, in the order in which tables and pictures show them.
#pragma once

#include <optional>
#include <string>

#include "bench/report/quantities.h"

namespace syncline::bench {

// The protocols, as SYNCLINE_DSM_PROTOCOL takes them: at the index that enum syncline_dsm_protocol gives them.
constexpr const char* dsm_protocols[] = {"nic", "ardmar", "async"};
constexpr const char* dsm_handler_protocol = "async";  // what the others are compared with
constexpr const char* library_series = "library";      // without shared memory
constexpr const char* bare_series = "bare";
constexpr const char* sequential_series = "sequential";

// How processes read pages that process 0 has written.
struct PageSubject {
    const char* name;
    const char* title;
    bool scattered;  // in an order without neighbours; else one page behind the other
    bool contended;  // all processes at once; else one after the other
    bool again;      // a page that the process has had before, whose home it knows
};
constexpr PageSubject page_subjects[] = {
    {"first_in_order_contended", "first, in order, all at once", false, true, false},
    {"again_in_order_contended", "again, in order, all at once", false, true, true},
    {"first_scattered_contended", "first, scattered, all at once", true, true, false},
    {"again_scattered_contended", "again, scattered, all at once", true, true, true},
    {"first_in_order_alone", "first, in order, one reader", false, false, false},
    {"again_in_order_alone", "again, in order, one reader", false, false, true},
    {"first_scattered_alone", "first, scattered, one reader", true, false, false},
    {"again_scattered_alone", "again, scattered, one reader", true, false, true},
};

struct NamedSubject {
    const char* name;
    const char* title;
};
// Yardsticks, in the quantity `page`, by the series `library` and `bare`.
constexpr NamedSubject fetch_add_alone = {"fetch_add_alone", "fetch&add, one process"};
constexpr NamedSubject fetch_add_contended = {"fetch_add_contended", "fetch&add, all at once"};

constexpr NamedSubject lock_alone = {"lock_alone", "lock, one process"};
constexpr NamedSubject lock_contended = {"lock_contended", "lock, handed over"};
constexpr NamedSubject barrier_plain = {"barrier", "barrier"};
constexpr NamedSubject barrier_writes = {"barrier_writes", "barrier, a page written by each"};
constexpr NamedSubject allocation_first = {"allocation_first", "allocation, the first ones"};
constexpr NamedSubject allocation_many = {"allocation_many", "allocation, behind 10,000"};
constexpr NamedSubject synchronisation_subjects[] = {lock_alone,     lock_contended,   barrier_plain,
                                                     barrier_writes, allocation_first, allocation_many};

struct DsmApplication {
    const char* name;  // of the program
    const char* title;
    const char* quick_size;
    double published;  // times quicker with ARDMAR than with ASYNC, on 16 nodes with InfiniBand (002, section 5.3)
    std::optional<double> speed_up = {};  // that is wanted of two nodes
};
constexpr DsmApplication dsm_applications[] = {
    {"barnes", "Barnes", "1024", 1.73, 1.5},    {"radix", "Radix Sort", "16384", 2.25},
    {"is", "Integer Sort", "16384", 1.41, 1.5}, {"fft", "3D FFT", "16", 1.18},
    {"water", "Water", "1000", 1.02, 1.5},
};
constexpr const char* large_size = "large";
constexpr const char* quick_size = "quick";
constexpr uint32_t published_nodes = 16;

namespace quantities {

constexpr Quantity page_time = {"page", "ns", Better::kLower, "nodes"};
constexpr Quantity page_cpu = {"page CPU", "ns", Better::kLower, "nodes"};
constexpr Quantity shared_synchronisation = {"shared synchronisation", "ns", Better::kLower, "nodes"};
constexpr Quantity application = {"application", "s", Better::kLower, "nodes"};

// Means of an application's processes. Faults, locks and barriers take their time from it, and computing has the rest.
// Page fetches and flushes are parts of these; a handler has a thread of its own.
constexpr Quantity application_computing = {"application computing", "s", Better::kHigher, "nodes"};
constexpr Quantity application_fault = {"application fault", "s", Better::kLower, "nodes"};
constexpr Quantity application_lock = {"application lock", "s", Better::kLower, "nodes"};
constexpr Quantity application_barrier = {"application barrier", "s", Better::kLower, "nodes"};
constexpr Quantity application_page = {"application page", "s", Better::kLower, "nodes"};
constexpr Quantity application_flush = {"application flush", "s", Better::kLower, "nodes"};
constexpr Quantity application_handler = {"application handler", "s", Better::kLower, "nodes"};
constexpr Quantity application_faults = {"application page faults", "faults", Better::kLower, "nodes"};

}  // namespace quantities

// Where the time of an application goes, and a colour for each part.
struct ShareOfTime {
    Quantity quantity;
    const char* title;
    const char* colour;
};
constexpr ShareOfTime shares_of_time[] = {{quantities::application_computing, "computing", "#56b4e9"},
                                          {quantities::application_fault, "page faults", "#d55e00"},
                                          {quantities::application_lock, "lock", "#cc79a7"},
                                          {quantities::application_barrier, "barrier", "#009e73"}};
struct PartOfShares {
    Quantity quantity;
    const char* title;
};
constexpr PartOfShares parts_of_shares[] = {{quantities::application_page, "(page fetch)"},
                                            {quantities::application_flush, "(flush)"},
                                            {quantities::application_handler, "(handler)"}};

}  // namespace syncline::bench
