// SPDX-License-Identifier: BSD-3-Clause
// `syncline top`: shows what the running jobs do now, and which PEs and nodes wait for which nodes.
#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/memory.h"
#include "tools/commands.h"
#include "tools/job_statistics.h"
#include "tools/job_traces.h"

namespace syncline::tools {
namespace {

using nlohmann::json;

constexpr const char* description =
    "Show what the running jobs do, again and again: jobs whose `syncline run` is in this network namespace, with all "
    "their nodes, and this node's part of jobs that mpirun or srun has started.";
constexpr const char* meaning =
    "OPERATIONS: executed by these nodes' NICs or agents for PEs of other nodes. PEs of one node use memory that they "
    "share, and no counter counts that. AGAIN: requests sent again. BYTES: of requests to other nodes, or of replies "
    "where these are longer. REFUSED: packets that the firmware rejected, and requests that it answered with an error. "
    "Numbers are per second; with --once they are totals.\n"
    "\n"
    "Below a job: PEs whose requests to another node have no answer yet, and NIC barriers that have not heard from a "
    "node, the longest waits first. Over udp a PE receives its answers itself, so a PE that computes stays listed "
    "until it looks for them. A wait for a PE of the same node, or for a word of memory, shows only as a PE that "
    "sleeps.";

struct Figures {
    uint64_t operations = 0, again = 0, bytes = 0, refused = 0;

    // Returns figures per second. A job that is new, or whose node has begun again, has done everything since the last
    // look.
    Figures since(const Figures& before, uint64_t ns) const {
        const auto rate = [ns](uint64_t now, uint64_t then) {
            return static_cast<uint64_t>(static_cast<double>(now >= then ? now - then : now) * ns_per_s /
                                         static_cast<double>(ns));
        };
        return {rate(operations, before.operations), rate(again, before.again), rate(bytes, before.bytes),
                rate(refused, before.refused)};
    }
};

Figures figures_of(const json& nodes) {
    Figures sum;
    for (const json& node : nodes) {
        sum.again += node.at("retransmitted_by_processes").get<uint64_t>();
        sum.again += node.at("retransmitted_by_daemon").get<uint64_t>();
        sum.bytes += node.at("bytes").get<uint64_t>();
        for (const auto& [name, value] : node.at("counters").items()) {
            sum.operations += name == "operations" ? value.get<uint64_t>() : 0;
            sum.refused += name == "refused" || name.starts_with("rejected") ? value.get<uint64_t>() : 0;
        }
    }
    return sum;
}

std::string user_name(uid_t user) {
    const passwd* const found = ::getpwuid(user);
    return found != nullptr ? found->pw_name : std::to_string(user);
}

std::string seconds(uint64_t ms) {
    return fmt::format("{:.1f} s", static_cast<double>(ms) / 1000);
}

struct Line {
    uint64_t ms;
    std::string text;
};

std::vector<Line> waits_of(const json& nodes) {
    std::vector<Line> lines;
    for (const json& node : nodes) {
        for (const json& wait : node.at("waits")) {
            const auto ms = wait.at("ms").get<uint64_t>();
            const auto requests = wait.at("requests").get<uint64_t>();
            lines.push_back({ms, fmt::format("PE {} waits for node {}: {} request{}, the oldest for {}",
                                             wait.at("rank").get<uint32_t>(), wait.at("node").get<uint32_t>(), requests,
                                             requests == 1 ? "" : "s", seconds(ms))});
        }
        for (const json& wait : node.at("barrier_waits")) {
            const auto ms = wait.at("ms").get<uint64_t>();
            lines.push_back(
                {ms, fmt::format("barrier {} of node {} waits for node {} for {}", wait.at("barrier").get<uint32_t>(),
                                 node.at("node").get<uint32_t>(), wait.at("node").get<uint32_t>(), seconds(ms))});
        }
    }
    std::sort(lines.begin(), lines.end(), [](const Line& one, const Line& other) { return one.ms > other.ms; });
    return lines;
}

uint64_t sum_of(const json& nodes, const char* name) {
    uint64_t sum = 0;
    for (const json& node : nodes) {
        sum += node.at(name).get<uint64_t>();
    }
    return sum;
}

class Top {
  public:
    explicit Top(size_t waits) : waits_(waits) {}

    void show(bool totals) {
        const auto [jobs, silent] = statistics_of_jobs();
        const uint64_t now = now_ns();
        std::map<std::string, Figures> figures;
        fmt::print("{:8}  {:10}  {:4}  {:>5}  {:>9}  {:>6}  {:>10}  {:>8}  {:>10}  {:>8}\n", "JOB", "USER", "OVER",
                   "NODES", "PES", "ASLEEP", "OPERATIONS", "AGAIN", "BYTES", "REFUSED");
        for (const json& nodes : jobs) {
            const Figures all = figures_of(nodes);
            const auto job = nodes.at(0).at("job").get<std::string>();
            const auto before = figures_.find(job);
            print_job(nodes, totals ? all
                             : before == figures_.end()
                                 ? Figures()
                                 : all.since(before->second, std::max<uint64_t>(1, now - shown_ns_)));
            figures[job] = all;
        }
        for (const std::string& line : silent) {
            fmt::print("{}\n", line);
        }
        if (jobs.empty() && silent.empty()) {
            fmt::print("no job of yours is running\n");
        }
        figures_ = std::move(figures);
        shown_ns_ = now;
    }

  private:
    void print_job(const json& nodes, const Figures& figures) const {
        const json& first = nodes.at(0);
        uint64_t pes = 0;
        for (const json& node : nodes) {
            pes += node.at("ranks").size();
        }
        fmt::print("{:8}  {:10}  {:4}  {:>5}  {:>9}  {:>6}  {:>10}  {:>8}  {:>10}  {:>8}\n",
                   first.at("job").get<std::string>(), user_name(first.at("user").get<uid_t>()),
                   first.at("transport").get<std::string>(), nodes.size(),
                   fmt::format("{}/{}", sum_of(nodes, "attached"), pes), sum_of(nodes, "asleep"), figures.operations,
                   figures.again, format_bytes(figures.bytes), figures.refused);
        if (const uint64_t dead = sum_of(nodes, "dead"); dead != 0) {
            fmt::print("    {} of its PEs ha{} died\n", dead, dead == 1 ? "s" : "ve");
        }
        const std::vector<Line> waits = waits_of(nodes);
        for (size_t i = 0; i < std::min(waits.size(), waits_); i++) {
            fmt::print("    {}\n", waits[i].text);
        }
    }

    const size_t waits_;
    std::map<std::string, Figures> figures_;  // by job, as shown before
    uint64_t shown_ns_ = 0;
};

struct Options {
    bool once = false;
    double interval = 1;
    size_t waits = 10;
    pid_t traced = 0;
    size_t events = 200;
};

int show_trace(const Options& options) {
    const std::vector<ReadTrace> traces = traces_of_process(options.traced);
    fmt::print("{}", render_traces(traces, now_ns(), options.events));
    return 0;
}

int top(const Options& options) {
    Top shown(options.waits);
    const bool terminal = ::isatty(STDOUT_FILENO) == 1;
    for (bool first = true;; first = false) {
        if (terminal && !options.once) {
            fmt::print("\033[H\033[J");
        } else if (!first) {
            fmt::print("\n");
        }
        shown.show(options.once);
        if (options.once || std::fflush(stdout) != 0) {
            return 0;  // the command says that it cannot write
        }
        ::usleep(static_cast<useconds_t>(options.interval * 1e6));
    }
}

}  // namespace

void add_top_command(CLI::App* app, int* exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App* const command = app->add_subcommand("top", description)->footer(meaning);
    command->add_flag("--once", options->once, "show the totals once, and end");
    command->add_option("--interval", options->interval, "seconds between two looks")
        ->check(CLI::Range(0.1, 3600.0))
        ->capture_default_str();
    command->add_option("--waits", options->waits, "number of waits shown for a job, at most")->capture_default_str();
    CLI::Option* const trace =
        command
            ->add_option("--trace", options->traced,
                         "show once, in the order of time, which waits and events the PEs on the node of this process "
                         "and their daemon have traced, and end: a process of a job that runs with SYNCLINE_TRACE, or "
                         "its `syncline run`, which has all its nodes")
            ->type_name("PID")
            ->check(CLI::PositiveNumber);
    command->add_option("--events", options->events, "with --trace: number of the last events shown")
        ->needs(trace)
        ->capture_default_str();
    command->callback(
        [options, exit_code] { *exit_code = options->traced != 0 ? show_trace(*options) : top(*options); });
}

}  // namespace syncline::tools
