// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "sim/papers/reproduce_papers.h"

namespace syncline::sim {

namespace {

using namespace std::string_literals;

constexpr double link_mops = 4000.0 / 48;

// Returns the rate of the focused workload, in MB/s of operands.
double focused(Measurements* m, const Values& changes) {
    return m->number("003-focused", changes, "payload_mbps");
}

Values plain(double latency, int64_t tags, int64_t addresses = 16) {
    return {{"cache.lines", int64_t{0}},
            {"unit.registers", int64_t{0}},
            {"host.latency_ns", latency},
            {"host.tags", tags},
            {"workload.addresses", addresses}};
}

Values cached(int64_t lines, int64_t ways, int64_t tags, int64_t pes = 64) {
    return {{"cache.lines", lines}, {"cache.ways", ways}, {"host.tags", tags}, {"workload.pes", pes}};
}

Values random_access(int64_t lines, int64_t ways, int64_t tags, double latency = 250) {
    return {{"cache.lines", lines},
            {"cache.ways", ways},
            {"host.tags", tags},
            {"host.latency_ns", latency},
            {"workload.operations", int64_t{2000}}};
}

// Returns the rate in millions of updates a second on each node.
double updates(Measurements* m, const Values& changes) {
    return m->number("003-random-access", changes, "rate_mops_per_node");
}

Values messages(Values changes) {
    changes["workload.kind"] = "random-access-messages"s;
    return changes;
}

void add_bandwidth(Measurements* m, Fidelity* fidelity) {
    const Values atomics = random_access(0, 1, 128);
    const auto bytes = [&](const char* where, const char* what, const Values& changes, const char* result,
                           double paper) {
        fidelity->figures.push_back(
            {where, what, "B", paper, m->number("003-random-access", changes, result), false,
             "The equation leaves out the updates to the PE's own memory, which take no message."});
    };
    bytes("eq. 1", "messages: NIC to host, bytes per update", messages(atomics), "to_host_bytes", 16);
    bytes("eq. 2", "messages: host to NIC, bytes per update", messages(atomics), "to_nic_bytes", 32);
    bytes("eq. 3", "atomics: NIC to host, bytes per update", atomics, "to_host_bytes", 24);
    bytes("eq. 4", "atomics: host to NIC, bytes per update", atomics, "to_nic_bytes", 44);
    fidelity->figures[2].note =
        "The paper's text counts 16 bytes for every request, its equation 8 for a read, and so does the simulation.";
    fidelity->figures[3].note = "";
}

void add_rates(Measurements* m, Fidelity* fidelity) {
    const double shared = m->number("003-focused", {{"workload.addresses", int64_t{1}}}, "rate_mops");
    fidelity->figures.push_back(
        {"V.A", "one address, with a cache: share of the link", "", 1.0 / 6, shared * 8 / 4000, false, ""});
    fidelity->figures.push_back({"VI.B", "network rate", "M/s", 83, shared, false, ""});
    fidelity->figures.push_back({"VI.B", "RandAccRate by eq. 5, atomics", "M/s", 52,
                                 updates(m, random_access(128, 16, 128)), false,
                                 "The run has 2000 updates per PE, and its beginning and end count."});
    fidelity->figures.push_back({"eq. 5", "RandAccRate by eq. 5, messages", "M/s", 2300.0 / 32,
                                 updates(m, messages(random_access(128, 16, 128))), false,
                                 "The paper states no rate. The one here is 2.3 GB/s divided by 32 bytes."});
    Values target = plain(250, 256);
    target["network.link_gbps"] = 16.0;
    target["nic.receive_cycles"] = int64_t{1};
    target["workload.addresses"] = int64_t{256};
    fidelity->figures.push_back({"VI.B", "AtomicAccessRate of a PE that is only a target, without limit by the network",
                                 "M/s", 95, m->number("003-focused", target, "rate_mops"), false, ""});
}

// Returns the fewest tags that reach 95 % of the rate with 256 tags.
double tags_needed(Measurements* m, const std::string& preset, Values changes) {
    const auto rate = [&](int64_t tags) {
        changes["host.tags"] = tags;
        return m->number(preset, changes, "rate_mops");
    };
    const double enough = 0.95 * rate(256);
    int64_t few = 0, many = 256;
    while (many - few > 1) {
        const int64_t middle = (few + many) / 2;
        (rate(middle) < enough ? few : many) = middle;
    }
    return static_cast<double>(many);
}

void add_tags(Measurements* m, Fidelity* fidelity) {
    constexpr const char* note =
        "Simulated: the fewest that reach 95 % of the rate with 256 tags. Equation 6 is the mean number in flight; "
        "reads and writes come in bursts, so the full rate takes more.";
    constexpr const char* waiting =
        "The bus to the NIC is full. Requests that wait for it are in flight, too, and the equation has no waiting.";
    const double latencies[] = {250, 150, 50};
    const double sources[] = {43, 27, 11}, targets[] = {69, 44, 19};
    for (size_t i = 0; i < 3; i++) {
        const std::string ns = fmt::format("{:.0f}/{:.0f} ns", 2 * latencies[i], latencies[i]);
        const Values updating = random_access(128, 16, 256, latencies[i]);
        fidelity->figures.push_back({"table III", "requests for RandomAccess, " + ns, "", sources[i],
                                     tags_needed(m, "003-random-access", updating), false, note});
        fidelity->figures.push_back({"eq. 6, table III", "requests in flight in the mean, 256 tags, " + ns, "",
                                     sources[i], m->number("003-random-access", updating, "tags_mean"), false,
                                     waiting});
    }
    for (size_t i = 0; i < 3; i++) {
        const std::string ns = fmt::format("{:.0f}/{:.0f} ns", 2 * latencies[i], latencies[i]);
        Values target = plain(latencies[i], 256);
        target["workload.addresses"] = int64_t{256};
        fidelity->figures.push_back({"table IV", "requests at a PE that is only a target, " + ns, "", targets[i],
                                     tags_needed(m, "003-focused", target), false,
                                     "As above. With 256 words per PE no two updates wait for each other."});
        fidelity->figures.push_back({"eq. 6, table IV", "requests in flight in the mean, 256 tags, " + ns, "",
                                     targets[i], m->number("003-focused", target, "tags_mean"), false, ""});
    }
}

void claim(Fidelity* fidelity, const char* where, const char* what, bool holds, std::string evidence,
           std::string note = "") {
    fidelity->claims.push_back({where, what, holds, std::move(evidence), std::move(note)});
}

std::string pair(const char* one, double first, const char* other, double second) {
    return fmt::format("{} {:.1f}, {} {:.1f}", one, first, other, second);
}

void add_claims_without_cache(Measurements* m, Fidelity* f) {
    const double one = focused(m, plain(250, 128, 1)), many = focused(m, plain(250, 128));
    claim(f, "V.A, fig. 2",
          "without a cache, one address is very slow, because each update takes a round trip of the bus",
          one < many / 10, pair("MB/s: one address", one, "16 per PE", many));
    const double lowest = focused(m, plain(50, 32));
    claim(f, "V.A, fig. 2", "32 tags are acceptable at the lowest latency", lowest > 0.9 * 8 * link_mops,
          pair("MB/s: 32 tags, 50 ns", lowest, "the link", 8 * link_mops));
    const double t64 = focused(m, plain(250, 64)), t256 = focused(m, plain(250, 256));
    claim(f, "V.A, fig. 2", "at higher latency 128 tags are sufficient", many > 0.97 * t256,
          pair("MB/s at 250 ns: 128 tags", many, "256 tags", t256));
    claim(f, "V.A, fig. 2", "64 tags are nearly sufficient", t64 > 0.9 * many,
          pair("MB/s at 250 ns: 64 tags", t64, "128 tags", many));
    Values small = plain(250, 128);
    small["workload.pes"] = int64_t{16};
    const double p16 = focused(m, small);
    claim(
        f, "V.A, note 1", "all system sizes perform alike", p16 > 0.9 * many && p16 < 1.1 * many,
        pair("MB/s: 16 PEs", p16, "64 PEs", many),
        "The unit issues in order. With fewer PEs, a PE comes back to one of its 16 words while the write to that word "
        "is not acknowledged yet, and this operation holds up all others.");
}

void add_claims_with_cache(Measurements* m, Fidelity* f) {
    const double none = focused(m, plain(250, 32)), one = focused(m, {{"workload.addresses", int64_t{1}}});
    const double some = focused(m, cached(32, 1, 32));
    claim(f, "V.A, fig. 3", "with 32 lines, direct-mapped, one address reaches the limit of the network",
          one > 0.98 * 8 * link_mops, pair("MB/s: one address", one, "limit", 8 * link_mops));
    claim(
        f, "V.A, fig. 3", "that cache helps a little with 16 addresses per PE", some > none && some < 1.3 * none,
        pair("MB/s: 32 lines", some, "none", none),
        "In the model it hurts: an operation keeps its line until it has been issued, in order, so two words of a set "
        "are served one after the other. Without a cache they do not conflict.");
    const double ways = focused(m, cached(128, 16, 32)), size = focused(m, cached(256, 1, 32));
    claim(f, "V.A, fig. 4", "associativity matters more than size", ways > size,
          pair("MB/s, 64 PEs: 128 lines 16-way", ways, "256 lines direct-mapped", size));
    const double few = focused(m, cached(128, 16, 32, 8));
    claim(f, "V.A, fig. 4", "with 32 tags the cache has to grow with the system", few > 1.2 * ways,
          pair("MB/s, 128 lines 16-way: 8 PEs", few, "64 PEs", ways));
    const double large = focused(m, cached(1024, 16, 32));
    claim(f, "V.A, fig. 4", "with 32 tags only many hits sustain the network's bandwidth",
          large > 0.95 * 8 * link_mops && ways < 0.8 * 8 * link_mops,
          pair("MB/s: 1024 lines", large, "128 lines", ways));
    const double free = focused(m, cached(128, 16, 128));
    claim(f, "V.A, fig. 5", "with 128 tags a relatively small cache sustains most of the bandwidth",
          free > 0.8 * 8 * link_mops, pair("MB/s: 128 lines, 128 tags", free, "limit", 8 * link_mops));
}

void add_claims_random_access(Measurements* m, Fidelity* f) {
    const Results& base = m->run("003-random-access", random_access(128, 16, 64));
    const double hits = base.number("cache_hits") / base.number("operations");
    claim(f, "V.B", "updates of RandomAccess never hit the cache", hits < 0.01,
          fmt::format("{:.2f} % hit", 100 * hits));
    const double w4 = updates(m, random_access(128, 4, 64)), w16 = base.number("rate_mops_per_node");
    claim(f, "V.B, fig. 6", "a 4-way cache is enough: 4-way and 16-way overlap", w4 > 0.95 * w16,
          pair("M/s per node: 4-way", w4, "16-way", w16),
          "With 64 tags some sets of 4 lines are full at times, and the unit issues in order. With 32 tags they "
          "overlap.");
    const double t4 = updates(m, random_access(128, 4, 32)), t16 = updates(m, random_access(128, 16, 32));
    claim(f, "V.B, fig. 6 (a)", "4-way and 16-way overlap with 32 tags", t4 > 0.95 * t16,
          pair("M/s per node: 4-way", t4, "16-way", t16));
    const double l512 = updates(m, random_access(512, 16, 64));
    claim(f, "V.B, fig. 6", "128 lines are adequate", w16 > 0.95 * l512, pair("M/s per node: 128", w16, "512", l512));
    claim(f, "V.B, fig. 6", "64 tags are needed", w16 > 1.2 * t16, pair("M/s per node: 64 tags", w16, "32 tags", t16));
    const double none = updates(m, random_access(0, 1, 64));
    claim(f, "V.B, fig. 7", "without a cache RandomAccess loses nothing", none > 0.95 * w16,
          pair("M/s per node: none", none, "128 lines, 16-way", w16));
    const double put = updates(m, messages(random_access(128, 16, 64)));
    claim(f, "V.B, fig. 8", "the SHMEM version beats the atomic unit", put > w16,
          pair("M/s per node: SHMEM", put, "atomics", w16));
    Values slow = messages(random_access(128, 16, 64));
    slow["processor.apply_ns"] = 40.0;
    const double late = updates(m, slow);
    claim(f, "V.B", "the SHMEM version wins only if the host updates fast enough", late < w16,
          pair("M/s per node: SHMEM, 40 ns per update", late, "atomics", w16));
}

}  // namespace

Fidelity reproduce_003(Measurements* m) {
    Fidelity fidelity = {"High Message Rate, NIC-Based Atomics (2008), presets 003-*", {}, {}, {}};
    add_bandwidth(m, &fidelity);
    add_rates(m, &fidelity);
    add_tags(m, &fidelity);
    add_claims_without_cache(m, &fidelity);
    add_claims_with_cache(m, &fidelity);
    add_claims_random_access(m, &fidelity);
    return fidelity;
}

}  // namespace syncline::sim
