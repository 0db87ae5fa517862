// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report/panels.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/report/looks.h"

namespace syncline::bench {

namespace {

// The series of that name, made at the end if there is none yet.
FigureSeries* find_or_add(std::vector<FigureSeries>* all, const std::string& name) {
    const std::string label = label_of(name);
    auto found =
        std::find_if(all->begin(), all->end(), [&](const FigureSeries& series) { return series.label == label; });
    if (found == all->end()) {
        found = all->insert(all->end(), {label, look_of(name, all->size()), {}});
    }
    return &*found;
}

}  // namespace

Sample sample_of(const Cell& cell, double at, double unit) {
    if (cell.batches.empty()) {
        return {at, cell.median * unit, cell.median * unit, cell.median * unit};
    }
    const auto [least, most] = std::minmax_element(cell.batches.begin(), cell.batches.end());
    return {at, cell.median * unit, *least * unit, *most * unit};
}

std::vector<FigureSeries> lines_over_rows(const std::vector<Row>& rows, const std::vector<std::string>& series,
                                          double unit) {
    std::vector<FigureSeries> lines;
    for (const std::string& name : series) {
        for (const Row& row : rows) {
            if (const Cell* const cell = row.find(name); cell != nullptr) {
                find_or_add(&lines, name)->samples.push_back(sample_of(*cell, std::stod(row.name), unit));
            }
        }
    }
    for (FigureSeries& line : lines) {
        std::sort(line.samples.begin(), line.samples.end(),
                  [](const Sample& a, const Sample& b) { return a.at < b.at; });
    }
    return lines;
}

std::vector<std::string> series_of(const std::vector<Row>& rows) {
    std::vector<std::string> names;
    for (const Row& row : rows) {
        for (const NamedCell& named : row.cells) {
            if (std::find(names.begin(), names.end(), named.series) == names.end()) {
                names.push_back(named.series);
            }
        }
    }
    return names;
}

Panel dots_panel(std::string title, std::string subtitle, Axis value, const std::vector<Row>& rows, double unit) {
    Panel panel = {.kind = Panel::Kind::kDots,
                   .title = std::move(title),
                   .subtitle = std::move(subtitle),
                   .value = std::move(value)};
    for (const Row& row : rows) {
        const auto at = static_cast<double>(panel.rows.size());
        panel.rows.push_back(row.name);
        for (const NamedCell& named : row.cells) {
            find_or_add(&panel.series, named.series)->samples.push_back(sample_of(named.cell, at, unit));
        }
    }
    return panel;
}

void note_times_quicker(Panel* panel, const std::vector<Row>& rows, const std::string& own, const std::string& peer) {
    bool has_both = false;
    for (const Row& row : rows) {
        const Cell *const ours = row.find(own), *const theirs = row.find(peer);
        Note note = {"", better_colour};
        if (ours != nullptr && theirs != nullptr && ours->median > 0) {
            const double times = theirs->median / ours->median;
            note = {fmt::format("{:.{}f}×", times, times < 100 ? 2 : 0), times >= 1 ? better_colour : worse_colour};
            has_both = true;
        }
        panel->notes.push_back(note);
    }
    if (has_both) {
        panel->subtitle += fmt::format("; at the right: times quicker than {}", label_of(peer));
    } else {
        panel->notes.clear();
    }
}

void add_panel(Figure* figure, Panel panel) {
    if (!panel.series.empty()) {
        figure->panels.push_back(std::move(panel));
    }
}

}  // namespace syncline::bench
