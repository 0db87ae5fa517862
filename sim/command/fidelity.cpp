// SPDX-License-Identifier: BSD-3-Clause
#include "sim/command/fidelity.h"

#include <algorithm>
#include <cmath>

#include "bench/report/text.h"

namespace syncline::tools {

namespace {

using bench::add;
using bench::Text;

constexpr double close_enough = 0.05;

constexpr const char* fidelity_introduction = R"(# Fidelity

This page compares the simulation with the numbers and claims in the papers' text, tables, captions and equations. The
papers' figures were not available. This command writes the page:

    syncline sim reproduce --markdown docs/FIDELITY.md

The command takes about two minutes and writes the same page on every machine. `syncline sim presets NAME` shows what each
parameter of a preset is and where its value comes from: the paper *states* it, or it was *chosen*, or *fitted* to a number
of the paper. A number to which a parameter was fitted says nothing about the model. The tables mark such a number as
fitted, and count it neither as reproduced nor as missed.
)";

double error_of(const sim::Figure& figure) {
    return 100 * (figure.ours - figure.paper) / figure.paper;
}

bool is_close(const sim::Figure& figure) {
    return std::abs(error_of(figure)) <= 100 * close_enough;
}

void add_figures(Text* text, const sim::Fidelity& paper) {
    add(text, "\n| Where | Quantity | Paper | Simulated | Error | Remark |\n|---|---|---|---|---|---|\n");
    for (const sim::Figure& figure : paper.figures) {
        const std::string unit = figure.unit.empty() ? "" : " " + figure.unit;
        add(text, "| {} | {} | {:.4g}{} | {:.4g}{} | {} | {} |\n", figure.where, figure.what, figure.paper, unit,
            figure.ours, unit, figure.fitted ? "fitted" : fmt::format("{:+.1f} %", error_of(figure)), figure.note);
    }
}

void add_claims(Text* text, const sim::Fidelity& paper) {
    add(text, "\n| Where | Claim | Holds | Evidence | Remark |\n|---|---|---|---|---|\n");
    for (const sim::Claim& claim : paper.claims) {
        add(text, "| {} | {} | {} | {} | {} |\n", claim.where, claim.what, claim.holds ? "yes" : "**no**",
            claim.evidence, claim.holds ? "" : claim.note);
    }
}

void add_row(Text* text, const std::vector<std::string>& cells) {
    add(text, "| {} |\n", fmt::join(cells, " | "));
}

void add_study(Text* text, const sim::Study& study) {
    add(text, "\n### {}\n\n{}\n\n", study.question, study.remark);
    add_row(text, study.columns);
    add_row(text, std::vector<std::string>(study.columns.size(), "---"));
    for (const std::vector<std::string>& row : study.rows) {
        add_row(text, row);
    }
}

}  // namespace

std::string summary_of(const std::vector<sim::Fidelity>& papers) {
    Text text;
    add(&text, "| Paper | Numbers within 5 % | Fitted, not counted | Claims that hold |\n|---|---|---|---|\n");
    for (const sim::Fidelity& paper : papers) {
        const auto fitted =
            std::count_if(paper.figures.begin(), paper.figures.end(), [](const auto& f) { return f.fitted; });
        const auto near = std::count_if(paper.figures.begin(), paper.figures.end(),
                                        [](const auto& figure) { return !figure.fitted && is_close(figure); });
        const auto holding =
            std::count_if(paper.claims.begin(), paper.claims.end(), [](const auto& c) { return c.holds; });
        add(&text, "| {} | {} of {} | {} | {} of {} |\n", paper.paper, near,
            static_cast<std::ptrdiff_t>(paper.figures.size()) - fitted, fitted, holding, paper.claims.size());
    }
    return fmt::to_string(text);
}

std::string sections_of(const std::vector<sim::Fidelity>& papers) {
    Text text;
    for (const sim::Fidelity& paper : papers) {
        add(&text, "\n## {}\n", paper.paper);
        add_figures(&text, paper);
        add_claims(&text, paper);
        if (!paper.missing.empty()) {
            add(&text, "\nNot reproduced, because the simulator does not model it:\n\n");
        }
        for (const std::string& missing : paper.missing) {
            add(&text, "- {}\n", missing);
        }
    }
    return fmt::to_string(text);
}

std::string markdown_of(const std::vector<sim::Fidelity>& papers, const std::vector<sim::Study>& beyond) {
    Text text;
    add(&text, "{}\n{}{}", fidelity_introduction, summary_of(papers), sections_of(papers));
    add(&text, "\n## Beyond the papers\n");
    for (const sim::Study& study : beyond) {
        add_study(&text, study);
    }
    return fmt::to_string(text);
}

}  // namespace syncline::tools
