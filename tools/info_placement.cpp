// SPDX-License-Identifier: BSD-3-Clause
#include "tools/info_placement.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/counted.h"
#include "launch/plan.h"
#include "tools/commands.h"

namespace syncline::tools {

bool PlacementQuestion::is_asked() const {
    return option->count() != 0;
}

std::shared_ptr<PlacementQuestion> add_placement_options(CLI::App* command) {
    auto question = std::make_shared<PlacementQuestion>();
    CLI::Option* const placement =
        command
            ->add_option("--placement", question->job,
                         "say instead on which CPUs the PEs of such a job would run, by the next three options as "
                         "`syncline run` takes them")
            ->type_name("PES NODES");
    question->option = placement;
    command->add_option("-t,--transport", question->transport, "between nodes: shm, udp, xdp or auto")
        ->check(CLI::IsMember({"shm", "udp", "xdp", "auto"}))
        ->capture_default_str()
        ->needs(placement);
    command->add_option("-m,--map-by,--distribution", question->map_by, map_by_help)
        ->capture_default_str()
        ->needs(placement);
    command->add_option("--bind-to", question->bind_to, bind_to_help)
        ->check(CLI::IsMember(bind_to_names()))
        ->needs(placement);
    return question;
}

int show_placement(const PlacementQuestion& question) {
    LaunchOptions options;
    options.ranks = question.job.first;
    options.nodes = question.job.second;
    options.transport = transport_named(question.transport);
    options.map_by = question.map_by;
    options.bind_to = parse_bind_to(question.bind_to);
    const BindingPreview preview = preview_binding(options);
    fmt::print("{} on {} over {}\n", counted(options.ranks, "PE"), counted(options.nodes, "node"),
               transport_name(preview.transport));
    for (const std::string& line : describe(preview.binding, preview.map)) {
        fmt::print("  {}\n", line);
    }
    return 0;
}

void show_binding() {
    LaunchOptions smallest;
    smallest.ranks = 2;
    smallest.transport = TransportKind::kShm;
    const Binding binding = preview_binding(smallest).binding;
    if (!binding.placement.why_not.empty()) {
        fmt::print("binding      none by default: {}\n", binding.placement.why_not);
        return;
    }
    const std::vector<bool> claimed = CoreClaims::claimed(binding.topology);
    const auto free = static_cast<uint64_t>(std::count(claimed.begin(), claimed.end(), false));
    fmt::print("binding      by default, where PEs and agents need {} at most: {} of {} are free\n",
               counted(free, "core"), free, claimed.size());
}

}  // namespace syncline::tools
