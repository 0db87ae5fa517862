// SPDX-License-Identifier: BSD-3-Clause
#include "bench/dsm/dsm_ratios.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/report/dsm_quantities.h"

namespace syncline::bench {
namespace {

constexpr double page_over_fetch_add_wanted = 2.5;
constexpr double flatness_wanted = 1.2;
constexpr double best_factor_wanted = 2.25;

std::vector<double> quotients(const std::vector<Statement>& over, const std::vector<Statement>& under) {
    std::vector<double> rounds;
    for (size_t i = 0; i < std::min(over.size(), under.size()); i++) {
        rounds.push_back(over[i].median / under[i].median);
    }
    return rounds;
}

// Gathers ratios of points that were both measured.
class Ratios {
  public:
    explicit Ratios(const DsmMeasured& measured) : measured_(measured) {}

    struct Form {
        const char* name;
        std::string title;
        std::optional<double> wanted = {};
        bool at_most = false;
        std::optional<double> published = {};
    };
    // Adds how many times the second quantity the first one is, if both were measured.
    void add(const Form& form, const DsmPoint& over, const DsmPoint& under, const DsmPoint& of) {
        const std::vector<double> rounds = quotients(measured_.rounds(over), measured_.rounds(under));
        if (rounds.empty()) {
            return;
        }
        all_.push_back(
            {form.name, form.title, of, rounds, quantile(rounds, 0.5), form.wanted, form.at_most, form.published});
    }
    std::vector<DsmRatio> take() { return std::move(all_); }

  private:
    const DsmMeasured& measured_;
    std::vector<DsmRatio> all_;
};

bool goes_by_nic(const std::string& protocol) {
    return protocol != dsm_handler_protocol;
}

void add_over_fetch_add(const DsmSettings& settings, int mtu, Ratios* ratios) {
    for (const PageSubject& subject : page_subjects) {
        for (const std::string& protocol : settings.protocols) {
            for (const uint32_t nodes : settings.nodes) {
                const NamedSubject& yardstick = subject.contended ? fetch_add_contended : fetch_add_alone;
                const DsmPoint page = {quantities::page_time.benchmark, subject.name, protocol, nodes, mtu};
                ratios->add({"page_over_fetch_add", fmt::format("{}, {}", subject.title, protocol),
                             goes_by_nic(protocol) ? std::optional(page_over_fetch_add_wanted) : std::nullopt, true},
                            page, {quantities::page_time.benchmark, yardstick.name, library_series, nodes, mtu}, page);
            }
        }
    }
}

// Compares with the fewest nodes: the time of a page where one process reads, the CPUs' time for a page where all read.
void add_flatness(const DsmSettings& settings, int mtu, Ratios* ratios) {
    for (const PageSubject& subject : page_subjects) {
        const Quantity& quantity = subject.contended ? quantities::page_cpu : quantities::page_time;
        for (const std::string& protocol : settings.protocols) {
            const DsmPoint fewest = {quantity.benchmark, subject.name, protocol, settings.nodes.front(), mtu};
            for (size_t i = 1; i < settings.nodes.size(); i++) {
                DsmPoint page = fewest;
                page.nodes = settings.nodes[i];
                ratios->add({subject.contended ? "page_cpu_flatness" : "page_flatness",
                             fmt::format("{}, {}{}", subject.title, protocol, subject.contended ? ", CPU" : ""),
                             goes_by_nic(protocol) ? std::optional(flatness_wanted) : std::nullopt, true},
                            page, fewest, page);
            }
        }
    }
}

struct Task {
    const DsmApplication& application;
    const std::string& size;
    int mtu;

    DsmPoint point(const std::string& condition, uint32_t nodes) const {
        return {quantities::application.benchmark, application.name, condition, nodes, mtu, size};
    }
    std::string title(const std::string& words) const {
        return fmt::format("{} {}, {}", application.title, size, words);
    }
    bool is_large() const { return size == large_size; }
};

template <typename Take>
void each_task(const DsmSettings& settings, Take&& take) {
    for (const std::string& size : settings.sizes) {
        for (const DsmApplication& application : dsm_applications) {
            if (std::find(settings.applications.begin(), settings.applications.end(), application.name) !=
                settings.applications.end()) {
                take(Task{application, size, settings.mtus.front()});
            }
        }
    }
}

void add_speed_up(const DsmSettings& settings, const Task& task, Ratios* ratios) {
    for (const std::string& protocol : settings.protocols) {
        for (const uint32_t nodes : settings.nodes) {
            const bool is_wanted = protocol == dsm_protocols[0] && nodes == 2 && task.is_large();
            const DsmPoint point = task.point(protocol, nodes);
            ratios->add({"speed_up", task.title(protocol), is_wanted ? task.application.speed_up : std::nullopt},
                        task.point(sequential_series, 1), point, point);
        }
    }
}

void add_factors(const DsmSettings& settings, const Task& task, Ratios* ratios) {
    for (const std::string& protocol : settings.protocols) {
        for (const uint32_t nodes : settings.nodes) {
            if (protocol == dsm_handler_protocol) {
                continue;
            }
            const bool is_own = protocol == dsm_protocols[0] && task.size != quick_size;
            const bool is_published = protocol == dsm_protocols[1] && nodes == published_nodes && task.is_large();
            const DsmPoint point = task.point(protocol, nodes);
            ratios->add({"over_async", task.title(fmt::format("{} against {}", protocol, dsm_handler_protocol)),
                         is_own ? std::optional(1.0) : std::nullopt, false,
                         is_published ? std::optional(task.application.published) : std::nullopt},
                        task.point(dsm_handler_protocol, nodes), point, point);
        }
    }
}

// Adds the best of these factors with the most nodes.
void add_best(std::vector<DsmRatio>* ratios) {
    const DsmRatio* best = nullptr;
    for (const DsmRatio& ratio : *ratios) {
        if (std::string_view(ratio.name) == "over_async" && ratio.of.condition == dsm_protocols[0] &&
            (best == nullptr || ratio.of.nodes > best->of.nodes ||
             (ratio.of.nodes == best->of.nodes && ratio.got > best->got))) {
            best = &ratio;
        }
    }
    if (best != nullptr && best->of.size != quick_size) {
        DsmRatio copy = *best;
        copy.name = "best_over_async";
        copy.title = "the best of these: " + best->title;
        copy.wanted = best_factor_wanted;
        ratios->push_back(copy);
    }
}

}  // namespace

std::vector<DsmRatio> page_ratios(const DsmSettings& settings, const DsmMeasured& measured, int mtu) {
    Ratios ratios(measured);
    add_over_fetch_add(settings, mtu, &ratios);
    add_flatness(settings, mtu, &ratios);
    return ratios.take();
}

std::vector<DsmRatio> application_ratios(const DsmSettings& settings, const DsmMeasured& measured) {
    Ratios ratios(measured);
    each_task(settings, [&](const Task& task) { add_speed_up(settings, task, &ratios); });
    each_task(settings, [&](const Task& task) { add_factors(settings, task, &ratios); });
    std::vector<DsmRatio> all = ratios.take();
    add_best(&all);
    return all;
}

}  // namespace syncline::bench
