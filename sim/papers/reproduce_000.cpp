// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "sim/papers/reproduce_papers.h"

namespace syncline::sim {

namespace {

using namespace std::string_literals;

struct Cluster {
    std::string card, presets;  // the end of its presets' names
    int64_t nodes;
    bool fitted;  // whether the NIC's operation and the spinning server are fitted
    double nic, poll, spin, block;
    double over_poll, over_spin, over_block;
    double lock_over_smp, lock_over_up;
};
const Cluster clusters[] = {
    {"LANai 4.3", "", 10, true, 42.1, 49.9, 50.2, 94.3, 15.7, 16.1, 55.4, 61.4, 62.3},
    {"LANai 7.2", "-7.2", 8, false, 29.7, 32.2, 32.4, 45.4, 7.6, 8.3, 34.5, 54.0, 57.8},
};

double improvement(double nic, double host) {
    return 100 * (host - nic) / host;
}

Values variant(const char* executor, const char* wait) {
    return {{"workload.executor", std::string(executor)}, {"workload.wait", std::string(wait)}};
}

void add_compare_swap(Measurements* m, const Cluster& c, Fidelity* f) {
    const auto latency = [&](const char* executor, const char* wait) {
        return m->number("000-atomics" + c.presets, variant(executor, wait), "latency_us");
    };
    const double nic = latency("nic", "poll"), poll = latency("host", "poll"), spin = latency("host", "spin-block"),
                 block = latency("host", "block");
    const auto figure = [&](const char* what, const char* unit, double paper, double ours, bool fitted) {
        f->figures.push_back({"V.A", "compare&swap, hit, " + c.card + ": " + what, unit, paper, ours, fitted, ""});
    };
    figure("NIC", "us", c.nic, nic, c.fitted);
    figure("host polls", "us", c.poll, poll, true);
    figure("host spins, then blocks", "us", c.spin, spin, c.fitted);
    figure("host blocks", "us", c.block, block, true);
    figure("gain of the NIC over polling", "%", c.over_poll, improvement(nic, poll), c.fitted);
    figure("gain of the NIC over spinning, then blocking", "%", c.over_spin, improvement(nic, spin), c.fitted);
    figure("gain of the NIC over blocking", "%", c.over_block, improvement(nic, block), c.fitted);
    f->claims.push_back({"V.A", "NIC-based operations are faster than all host-based ones, " + c.card,
                         nic < std::min({poll, spin, block}),
                         fmt::format("us: {:.1f}, {:.1f}, {:.1f}, {:.1f}", nic, poll, spin, block), ""});
}

// The values of figure 5's four lines at one number of nodes.
struct Lock {
    double nic_smp, nic_up, smp, up;
};

std::vector<Lock> lock_latencies(Measurements* m, const Cluster& c) {
    const auto latency = [&](int64_t nodes, const char* executor, const char* wait, int64_t cpus) {
        Values values = variant(executor, wait);
        values["workload.nodes"] = nodes;
        values["host.cpus"] = cpus;
        return m->number("000-lock" + c.presets, values, "latency_us");
    };
    std::vector<Lock> latencies;
    for (int64_t nodes = 2; nodes <= c.nodes; nodes++) {
        latencies.push_back({latency(nodes, "nic", "poll", 2), latency(nodes, "nic", "block", 1),
                             latency(nodes, "host", "poll", 2), latency(nodes, "host", "block", 1)});
    }
    return latencies;
}

void add_lock(Measurements* m, const Cluster& c, Fidelity* f) {
    double least_smp = 100, most_smp = 0, least_up = 100, most_up = 0;
    bool same = true, smp_beats_up = true;
    for (const Lock& lock : lock_latencies(m, c)) {
        const double over_smp = improvement(lock.nic_smp, lock.smp), over_up = improvement(lock.nic_up, lock.up);
        least_smp = std::min(least_smp, over_smp);
        most_smp = std::max(most_smp, over_smp);
        least_up = std::min(least_up, over_up);
        most_up = std::max(most_up, over_up);
        same = same && lock.nic_smp == lock.nic_up;
        smp_beats_up = smp_beats_up && lock.smp < lock.up;
    }
    f->figures.push_back({"V.B", "lock, " + c.card + ": greatest gain of the NIC over blocking, UP kernel", "%",
                          c.lock_over_up, most_up, false, "No parameter is fitted to the lock's numbers."});
    f->figures.push_back({"V.B", "lock, " + c.card + ": greatest gain of the NIC over polling, SMP kernel", "%",
                          c.lock_over_smp, most_smp, false,
                          "At the operations' costs in V.A, a server that polls is nearly as fast as a NIC. The paper "
                          "does not explain why in a lock the NIC gains almost as much over a server that polls as "
                          "over one that blocks."});
    const auto claim = [&](const char* what, bool holds, const std::string& evidence) {
        f->claims.push_back({"V.B", what + (", " + c.card), holds, evidence, ""});
    };
    claim("NIC-based locks outperform host-based ones on any number of nodes", least_smp > 0 && least_up > 0,
          fmt::format("least gain: SMP {:.1f} %, UP {:.1f} %", least_smp, least_up));
    claim("NIC-based locks take the same time on both kernels", same, same ? "equal times" : "different times");
    claim("polling on the SMP kernel outperforms blocking on the UP kernel", smp_beats_up,
          fmt::format("greatest gain of the NIC: SMP {:.1f} %, UP {:.1f} %", most_smp, most_up));
}

void add_counter(Measurements* m, const Cluster& c, Fidelity* f) {
    const auto iterations = [&](const char* executor, bool disturb, double delay) {
        return m->number(
            "000-counter" + c.presets,
            {{"workload.executor", std::string(executor)}, {"workload.disturb", disturb}, {"workload.delay_ns", delay}},
            "iterations");
    };
    const double idle = iterations("host", false, 0);
    bool unaffected = iterations("nic", false, 0) == idle, decreases = true;
    double before = idle;
    std::string evidence = fmt::format("iterations by growing rate, % of those without locks:");
    for (const double delay : {1e6, 5e5, 2e5, 1e5, 5e4, 0.0}) {
        const double host = iterations("host", true, delay);
        unaffected = unaffected && iterations("nic", true, delay) == idle;
        decreases = decreases && host < before;
        before = host;
        evidence += fmt::format(" {:.0f}", 100 * host / idle);
    }
    f->claims.push_back({"V.C, fig. 7", "NIC-based locks do not slow a process that counts at the home, " + c.card,
                         unaffected,
                         unaffected ? "at every rate as many iterations as without locks" : "fewer iterations", ""});
    f->claims.push_back({"V.C, fig. 7",
                         "the higher the rate of host-based locks, the slower the process counts, " + c.card, decreases,
                         evidence, ""});
}

// The bandwidth that locking takes from a stream at the home, in MB/s for one lock and unlock each millisecond.
struct Loss {
    double nic, host;
};

Loss bandwidth_loss(Measurements* m, const Cluster& c, int64_t message_bytes) {
    const auto run = [&](const char* executor, bool disturb) -> const Results& {
        return m->run("000-bandwidth" + c.presets, {{"workload.executor", std::string(executor)},
                                                    {"workload.disturb", disturb},
                                                    {"workload.message_bytes", message_bytes}});
    };
    const auto loss = [&](const char* executor) {
        const Results& disturbed = run(executor, true);
        const double lost = run(executor, false).number("payload_mbps") - disturbed.number("payload_mbps");
        return lost / disturbed.number("locks_per_ms");
    };
    return {loss("nic"), loss("host")};
}

void add_bandwidth(Measurements* m, const Cluster& c, Fidelity* f) {
    const Loss loss = bandwidth_loss(m, c, 16384), small = bandwidth_loss(m, c, 4096);
    const std::string evidence =
        fmt::format("MB/s lost by a lock and unlock each ms: NIC {:.2f}, host {:.2f}", loss.nic, loss.host);
    f->claims.push_back({"V.C, fig. 8", "locking takes bandwidth from the home, " + c.card,
                         loss.nic > 0 && loss.host > 0, evidence, ""});
    f->claims.push_back(
        {"V.C, fig. 8", "host-based locking takes more than NIC-based, " + c.card, loss.host > 1.01 * loss.nic,
         evidence + fmt::format("; with messages of 4 KB: NIC {:.2f}, host {:.2f}", small.nic, small.host),
         "In the model the bus is the limit, and an operation takes two bus transfers with either method. An "
         "interrupted process hands over its next message later. A long message that its NIC is still sending hides "
         "this delay; a short one does not. According to the paper, its messages have 16 MB."});
}

}  // namespace

Fidelity reproduce_000(Measurements* m) {
    Fidelity f = {"NIC-Based Atomic Remote Memory Operations in Myrinet/GM (2002), presets 000-*", {}, {}, {}};
    for (const auto add : {add_compare_swap, add_lock, add_counter, add_bandwidth}) {
        for (const Cluster& cluster : clusters) {
            add(m, cluster, &f);
        }
    }
    return f;
}

}  // namespace syncline::sim
