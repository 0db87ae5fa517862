// SPDX-License-Identifier: BSD-3-Clause
// Compares the statements of the papers with the simulation.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace syncline::sim {

// A number that a paper states.
struct Figure {
    std::string where, what, unit;
    double paper, ours;
    bool fitted;  // a parameter was fitted to the number, so it says nothing about the model
    std::string note;
};

// A claim in words.
struct Claim {
    std::string where, what;
    bool holds;
    std::string evidence;
    std::string note;
};

struct Fidelity {
    std::string paper;  // its title
    std::vector<Figure> figures;
    std::vector<Claim> claims;
    std::vector<std::string> missing;  // statements that nothing here reproduces
};

// Returns the numbers by which presets' names name the papers.
std::vector<std::string> papers();
// Reproduces the papers with these numbers. Calls `progress` with the name of each simulation before it begins.
std::vector<Fidelity> reproduce(const std::vector<std::string>& numbers,
                                const std::function<void(const std::string&)>& progress);

// A question that the papers leave open, and a table that answers it.
struct Study {
    std::string question;
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;
    std::string remark;
};
std::vector<Study> study_beyond(const std::function<void(const std::string&)>& progress);

}  // namespace syncline::sim
