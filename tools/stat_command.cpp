// SPDX-License-Identifier: BSD-3-Clause
// `syncline stat`: the firmware's counters of running jobs, from their launchers and from this node's resident daemon.
#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "firmware/native.h"
#include "tools/commands.h"
#include "tools/job_statistics.h"

namespace syncline::tools {
namespace {

using nlohmann::json;

void print_job(const json& nodes) {
    const json& first = nodes.at(0);
    uint64_t attached = 0, dead = 0, by_processes = 0, by_daemons = 0;
    for (const json& node : nodes) {
        attached += node.at("attached").get<uint64_t>();
        dead += node.at("dead").get<uint64_t>();
        by_processes += node.at("retransmitted_by_processes").get<uint64_t>();
        by_daemons += node.at("retransmitted_by_daemon").get<uint64_t>();
    }
    fmt::print("job {}: {}, {} attached, {} dead, {} ({}), authentication {}\n", first.at("job").get<std::string>(),
               counted(nodes.size(), "node"), counted(attached, "PE"), dead, first.at("transport").get<std::string>(),
               first.at("executor").get<std::string>(), first.at("authenticated").get<bool>() ? "on" : "off");
    fmt::print("  {:>14}  requests sent again by processes\n", by_processes);
    fmt::print("  {:>14}  requests sent again by daemons' timers\n", by_daemons);
    for (uint32_t i = 0; i < FW_COUNTER_COUNT; i++) {
        uint64_t sum = 0;
        for (const json& node : nodes) {
            sum += node.at("counters").at(fw_counter_names[i]).get<uint64_t>();
        }
        fmt::print("  {:>14}  {}\n", sum, fw_counter_texts[i]);
    }
}

enum class StatForm { kTable, kJson, kPrometheus };

// One metric of Prometheus' text format, version 0.0.4: its help and type, then a sample for each node of each job.
void print_metric(const std::vector<json>& jobs, const std::string& name, const char* type, const std::string& help,
                  const std::function<uint64_t(const json& node)>& value) {
    fmt::print("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
    for (const json& nodes : jobs) {
        for (const json& node : nodes) {
            fmt::print("{}{{job=\"{}\",node=\"{}\",transport=\"{}\"}} {}\n", name, node.at("job").get<std::string>(),
                       node.at("node").get<uint32_t>(), node.at("transport").get<std::string>(), value(node));
        }
    }
}

void print_prometheus(const std::vector<json>& jobs) {
    const auto field = [](const char* name) {
        return [name](const json& node) { return node.at(name).get<uint64_t>(); };
    };
    print_metric(jobs, "syncline_pes", "gauge", "PEs of the job on the node",
                 [](const json& node) { return node.at("ranks").size(); });
    print_metric(jobs, "syncline_pes_attached", "gauge", "PEs that have joined", field("attached"));
    print_metric(jobs, "syncline_pes_dead", "gauge", "PEs that have died", field("dead"));
    print_metric(jobs, "syncline_retransmitted_by_processes_total", "counter", "requests sent again by processes",
                 field("retransmitted_by_processes"));
    print_metric(jobs, "syncline_retransmitted_by_daemon_total", "counter", "requests sent again by the daemon's timer",
                 field("retransmitted_by_daemon"));
    print_metric(jobs, "syncline_bytes_total", "counter", "bytes that PEs have sent to other nodes or asked of them",
                 field("bytes"));
    print_metric(jobs, "syncline_pes_asleep", "gauge", "PEs that sleep until something comes", field("asleep"));
    for (uint32_t i = 0; i < FW_COUNTER_COUNT; i++) {
        print_metric(jobs, fmt::format("syncline_{}_total", fw_counter_names[i]), "counter", fw_counter_texts[i],
                     [i](const json& node) { return node.at("counters").at(fw_counter_names[i]).get<uint64_t>(); });
    }
}

int stat(StatForm form) {
    const auto [jobs, silent] = statistics_of_jobs();
    for (const std::string& line : silent) {
        fmt::print(stderr, "syncline: {}\n", line);
    }
    if (form == StatForm::kJson) {
        fmt::print("{}\n", json(jobs).dump(2));
    } else if (form == StatForm::kPrometheus) {
        print_prometheus(jobs);
    } else if (jobs.empty() && silent.empty()) {
        fmt::print("no job of yours is running\n");
    } else {
        for (const json& job : jobs) {
            print_job(job);
        }
    }
    return 0;
}

}  // namespace

void add_stat_command(CLI::App* app, int* exit_code) {
    auto form = std::make_shared<StatForm>(StatForm::kTable);
    CLI::App* const command =
        app->add_subcommand("stat", "Show the firmware's counters of the running jobs, summed over their nodes.");
    CLI::Option* const as_json =
        command->add_flag_callback("--json", [form] { *form = StatForm::kJson; }, "as JSON, per node");
    command
        ->add_flag_callback(
            "--prometheus", [form] { *form = StatForm::kPrometheus; }, "in Prometheus' text format, per node")
        ->excludes(as_json);
    command->callback([form, exit_code] { *exit_code = stat(*form); });
}

}  // namespace syncline::tools
