// SPDX-License-Identifier: BSD-3-Clause
// The part of `syncline info` that says where PEs run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace syncline::tools {

// The options of `syncline info` about placement.
struct PlacementQuestion {
    bool is_asked() const;

    std::pair<uint32_t, uint32_t> job;  // PEs, nodes
    std::string transport = "auto";
    std::string map_by = "block";
    std::string bind_to;
    const CLI::Option* option = nullptr;
};

std::shared_ptr<PlacementQuestion> add_placement_options(CLI::App* command);

// Prints where the PEs of such a job would run if it started now. Returns the exit code; throws Failure.
int show_placement(const PlacementQuestion& question);

// Prints whether `syncline run` binds PEs by default.
void show_binding();

}  // namespace syncline::tools
