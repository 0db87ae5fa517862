// SPDX-License-Identifier: BSD-3-Clause
// The table of `syncline bench dsm`: a column for each number of nodes.
#include <fmt/format.h>

#include <functional>
#include <utility>

#include "bench/dsm/dsm_report.h"
#include "bench/report/dsm_quantities.h"
#include "bench/report/text.h"

namespace syncline::bench {
namespace {

constexpr int dsm_first = 46, dsm_column = 17;

class DsmTable {
  public:
    DsmTable(const DsmResult& result, int mtu) : result_(result), mtu_(mtu) {}

    void add_yardsticks();
    void add_pages();
    void add_cpu();
    void add_synchronisation();
    void add_applications(const std::string& size);
    void add_shares(const std::string& size);
    void add_counts(const std::string& size);
    void add_ratios(const std::vector<DsmRatio>& ratios, const char* name, const std::string& title);
    std::string text() const { return fmt::to_string(text_); }

  private:
    using CellWords = std::function<std::string(const DsmPoint&)>;

    const DsmSettings& settings() const { return result_.settings; }
    // Sets the heading above the next line, if there is one.
    void head(const std::string& title);
    void put(const std::string& title, const std::string& cells);
    // Adds no line if the point was not measured for any number of nodes.
    void line(const std::string& title, DsmPoint point, const CellWords& words);
    void line_of_times(const std::string& title, const Quantity& quantity, const std::string& subject,
                       const std::string& condition);
    void add_ratio_line(const std::vector<DsmRatio>& ratios, const DsmRatio& first);
    DsmPoint point_of(const Quantity& quantity, const std::string& subject, const std::string& condition,
                      const std::string& size = "") const {
        return {quantity.benchmark, subject, condition, 0, mtu_, size};
    }
    void each_application(const std::function<void(const DsmApplication&, const std::string& protocol)>& take) const;

    const DsmResult& result_;
    const int mtu_;
    std::string head_;
    Text text_;
};

void DsmTable::head(const std::string& title) {
    head_ = fmt::format("\n{:<{}}", title, dsm_first);
    for (const uint32_t nodes : settings().nodes) {
        head_ += fmt::format("{:>{}}", fmt::format("{} nodes", nodes), dsm_column);
    }
    head_ += "\n";
}

void DsmTable::put(const std::string& title, const std::string& cells) {
    add(&text_, "{}{:<{}}{}\n", std::exchange(head_, ""), title, dsm_first, cells);
}

void DsmTable::line(const std::string& title, DsmPoint point, const CellWords& words) {
    std::string cells;
    bool is_empty = true;
    for (const uint32_t nodes : settings().nodes) {
        point.nodes = nodes;
        const bool has = result_.measured.has(point);
        cells += fmt::format("{:>{}}", has ? words(point) : "-", dsm_column);
        is_empty &= !has;
    }
    if (!is_empty) {
        put(title, cells);
    }
}

void DsmTable::line_of_times(const std::string& title, const Quantity& quantity, const std::string& subject,
                             const std::string& condition) {
    line(title, point_of(quantity, subject, condition), [&](const DsmPoint& point) {
        const Cell cell = cell_of(result_.measured.rounds(point));
        return cell.p99 == 0 ? fmt::format("{:.2f}", cell.median / 1e3)
                             : fmt::format("{:.2f} {:8.1f}", cell.median / 1e3, cell.p99 / 1e3);
    });
}

void DsmTable::add_yardsticks() {
    head("us, p99");
    line_of_times("bare XDP round trip", quantities::page_time, fetch_add_alone.name, bare_series);
    line_of_times(fetch_add_alone.title, quantities::page_time, fetch_add_alone.name, library_series);
    line_of_times(fetch_add_contended.title, quantities::page_time, fetch_add_contended.name, library_series);
}

void DsmTable::add_pages() {
    head("us of a page, p99 of one access");
    for (const PageSubject& subject : page_subjects) {
        for (const std::string& protocol : settings().protocols) {
            line_of_times(fmt::format("{}, {}", subject.title, protocol), quantities::page_time, subject.name,
                          protocol);
        }
    }
}

void DsmTable::add_cpu() {
    head("us of the CPUs for a page, all processes");
    for (const PageSubject& subject : page_subjects) {
        for (const std::string& protocol : settings().protocols) {
            line_of_times(fmt::format("{}, {}", subject.title, protocol), quantities::page_cpu, subject.name, protocol);
        }
    }
}

void DsmTable::add_synchronisation() {
    head("us, p99 of one");
    for (const NamedSubject& subject : synchronisation_subjects) {
        for (const std::string& protocol : settings().protocols) {
            line_of_times(fmt::format("{}, {}", subject.title, protocol), quantities::shared_synchronisation,
                          subject.name, protocol);
        }
    }
}

void DsmTable::each_application(
    const std::function<void(const DsmApplication&, const std::string& protocol)>& take) const {
    for (const DsmApplication& application : dsm_applications) {
        for (const std::string& protocol : settings().protocols) {
            take(application, protocol);
        }
    }
}

void DsmTable::add_applications(const std::string& size) {
    head(fmt::format("{} size: seconds", size));
    for (const DsmApplication& application : dsm_applications) {
        DsmPoint alone = point_of(quantities::application, application.name, sequential_series, size);
        alone.nodes = 1;
        if (result_.measured.has(alone)) {
            put(fmt::format("{}, one process, sequential", application.title),
                fmt::format("{:>{}.3f}", result_.measured.median(alone), dsm_column));
        }
        for (const std::string& protocol : settings().protocols) {
            line(fmt::format("{}, {}", application.title, protocol),
                 point_of(quantities::application, application.name, protocol, size),
                 [&](const DsmPoint& point) { return fmt::format("{:.3f}", result_.measured.median(point)); });
        }
    }
}

void DsmTable::add_shares(const std::string& size) {
    const uint32_t nodes = settings().nodes.back();
    head_ = fmt::format("\n{:<{}}", fmt::format("{} size, {} nodes: seconds of a process", size, nodes), dsm_first);
    for (const ShareOfTime& share : shares_of_time) {
        head_ += fmt::format("{:>16}", share.title);
    }
    for (const PartOfShares& part : parts_of_shares) {
        head_ += fmt::format("{:>16}", part.title);
    }
    head_ += "\n";
    each_application([&](const DsmApplication& application, const std::string& protocol) {
        std::string cells;
        const auto take = [&](const Quantity& quantity) {
            DsmPoint point = point_of(quantity, application.name, protocol, size);
            point.nodes = nodes;
            cells += result_.measured.has(point) ? fmt::format("{:>16.3f}", result_.measured.median(point)) : "";
        };
        for (const ShareOfTime& share : shares_of_time) {
            take(share.quantity);
        }
        for (const PartOfShares& part : parts_of_shares) {
            take(part.quantity);
        }
        if (!cells.empty()) {
            put(fmt::format("{}, {}", application.title, protocol), cells);
        }
    });
}

void DsmTable::add_counts(const std::string& size) {
    const auto add_quantity = [&](const std::string& title, const Quantity& quantity, const char* form) {
        head(fmt::format("{} size: {}", size, title));
        each_application([&](const DsmApplication& application, const std::string& protocol) {
            line(fmt::format("{}, {}", application.title, protocol),
                 point_of(quantity, application.name, protocol, size), [&](const DsmPoint& point) {
                     return fmt::format(fmt::runtime(form), result_.measured.median(point));
                 });
        });
    };
    add_quantity("handler, seconds of a process", quantities::application_handler, "{:.3f}");
    add_quantity("page fetch, seconds of a process", quantities::application_page, "{:.3f}");
    add_quantity("page faults of a process", quantities::application_faults, "{:.0f}");
}

// Puts all ratios of one title into a line, which says whether all of them that have a limit keep it.
void DsmTable::add_ratio_line(const std::vector<DsmRatio>& ratios, const DsmRatio& first) {
    std::string cells, ending;
    bool reached = true;
    for (const uint32_t nodes : settings().nodes) {
        std::string cell = "-";
        for (const DsmRatio& ratio : ratios) {
            if (ratio.name == first.name && ratio.title == first.title && ratio.of.nodes == nodes) {
                cell = fmt::format("{:.2f}x", ratio.got);
                if (ratio.wanted) {
                    reached &= ratio.reached();
                    ending = fmt::format("  at {} {:g}  ", ratio.at_most ? "most" : "least", *ratio.wanted);
                }
                if (ratio.published) {
                    cell += fmt::format(" ({:g})", *ratio.published);
                }
            }
        }
        cells += fmt::format("{:>{}}", cell, dsm_column);
    }
    put(first.title, cells + ending + (ending.empty() ? "" : reached ? "reached" : "not reached"));
}

void DsmTable::add_ratios(const std::vector<DsmRatio>& ratios, const char* name, const std::string& title) {
    std::string last;
    for (const DsmRatio& ratio : ratios) {
        if (std::string_view(ratio.name) == name && ratio.title != last) {
            if (last.empty()) {
                head(title);
            }
            add_ratio_line(ratios, ratio);
            last = ratio.title;
        }
    }
}

void add_micro(const DsmResult& result, int mtu, Text* text) {
    const DsmSettings& settings = result.settings;
    DsmTable table(result, mtu);
    add(text, "\nLinks with an MTU of {}\n", mtu);
    if (settings.has("pages")) {
        const std::vector<DsmRatio> ratios = page_ratios(settings, result.measured, mtu);
        table.add_yardsticks();
        table.add_pages();
        table.add_cpu();
        table.add_ratios(ratios, "page_over_fetch_add", "a page to a fetch&add alike");
        table.add_ratios(ratios, "page_flatness", "against the fewest nodes, time");
        table.add_ratios(ratios, "page_cpu_flatness", "against the fewest nodes, CPUs");
    }
    if (settings.has("synchronisation")) {
        table.add_synchronisation();
    }
    add(text, "{}", table.text());
}

void add_applications(const DsmResult& result, Text* text) {
    const DsmSettings& settings = result.settings;
    const std::vector<DsmRatio> ratios = application_ratios(settings, result.measured);
    DsmTable table(result, settings.mtus.front());
    add(text, "\nApplications, links with an MTU of {}\n", settings.mtus.front());
    for (const std::string& size : settings.sizes) {
        table.add_applications(size);
    }
    table.add_ratios(ratios, "speed_up", "times quicker than one process, sequential");
    table.add_ratios(ratios, "over_async", "times quicker (published)");
    table.add_ratios(ratios, "best_over_async", "times quicker");
    for (const std::string& size : settings.sizes) {
        table.add_shares(size);
        table.add_counts(size);
    }
    add(text, "{}", table.text());
}

}  // namespace

std::string dsm_table(const DsmResult& result, const Machine& machine) {
    Text text;
    add(&text, "{}\n", machine.line());
    for (const std::string& remark : dsm_remarks(result, machine)) {
        add(&text, "{}\n", remark);
    }
    for (const int mtu : result.settings.mtus) {
        if (result.settings.has_micro()) {
            add_micro(result, mtu, &text);
        }
    }
    if (result.settings.has("applications")) {
        add_applications(result, &text);
    }
    return fmt::to_string(text);
}

}  // namespace syncline::bench
