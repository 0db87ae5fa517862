// SPDX-License-Identifier: BSD-3-Clause
// Holds the statements of the papers against the simulation.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace syncline::sim {

// A number of a paper.
struct Figure {
    std::string where, what, unit;
    double paper, ours;
    bool fitted;  // a parameter was fitted to it, so it says nothing
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

// The numbers of the papers.
std::vector<std::string> papers();
// Those papers whose numbers are named. `progress` is called with the name of what is simulated next.
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
