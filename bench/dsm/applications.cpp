// SPDX-License-Identifier: BSD-3-Clause
#include "bench/dsm/applications.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <fstream>

#include "base/failure.h"
#include "base/interruption.h"
#include "base/unique_fd.h"
#include "bench/measure/embedded_files.h"
#include "bench/measure/shmem_library.h"

namespace syncline::bench {
namespace {

std::string source_of(const std::string& application) {
    static const std::map<std::string, std::string (*)()> sources = {{"barnes", dsm_barnes_source},
                                                                     {"radix", dsm_radix_source},
                                                                     {"is", dsm_is_source},
                                                                     {"fft", dsm_fft_source},
                                                                     {"water", dsm_water_source}};
    return sources.at(application)();
}

const DsmApplication& application_named(const std::string& name) {
    return *std::find_if(std::begin(dsm_applications), std::end(dsm_applications),
                         [&](const DsmApplication& application) { return application.name == name; });
}

ShmemLayout layout_of(const DsmSettings& settings, uint32_t nodes) {
    return {.pes = nodes,
            .nodes = nodes,
            .transport = "xdp",
            .authenticate = settings.authenticate,
            .mtu = settings.mtus.front()};
}

// Returns the mean of a count over all processes, in its unit; of a time, in seconds.
double mean_of(const Json& said, const char* count) {
    const double mean = said.at("statistics").at(count).at("sum").get<double>() / said.at("processes").get<double>();
    return std::string(count).ends_with("_ns") ? mean / 1e9 : mean;
}

// Finds why a program failed: the program says so first, then its launcher says that it has failed.
std::string first_complaint(const std::string& name) {
    std::ifstream file(name);
    for (std::string line; std::getline(file, line);) {
        if (!line.empty() && line.find("warning: ") == std::string::npos) {
            return line;
        }
    }
    return "it says nothing";
}

}  // namespace

std::string Applications::Way::words() const {
    return is_sequential() ? fmt::format("{} {}, sequential", application->title, size)
                           : fmt::format("{} {}, {} nodes, {}", application->title, size, nodes, protocol);
}

Applications::Applications(const DsmSettings& settings, DsmMeasured* measured)
    : settings_(settings), measured_(measured) {
    write_file(folder_.file("common.h"), dsm_common_header());
    write_file(folder_.file("common.c"), dsm_common_source());
    for (const std::string& name : settings.applications) {
        write_file(folder_.file(name + ".c"), source_of(name));
        const std::unique_ptr<ShmemLibrary> library = make_own_library(
            layout_of(settings, settings.nodes.front()), {folder_.file("common.c"), "-ffp-contract=off", "-lm"});
        programs_[name] = compile(*library, folder_, folder_.file(name + ".c"), name);
    }
}

std::vector<Applications::Way> Applications::ways() const {
    std::vector<Way> ways;
    for (const std::string& name : settings_.applications) {
        const DsmApplication& application = application_named(name);
        for (const std::string& size : settings_.sizes) {
            ways.push_back({&application, size, 1, sequential_series});
            for (const uint32_t nodes : settings_.nodes) {
                for (const std::string& protocol : settings_.protocols) {
                    ways.push_back({&application, size, nodes, protocol});
                }
            }
        }
    }
    return ways;
}

uint64_t Applications::steps_of_round() const {
    return ways().size();
}

void Applications::round(Progress* progress) {
    for (const Way& way : ways()) {
        progress->step(way.words());
        if (!left_out_.contains(way.words())) {
            run(way);
        }
    }
    rounds_++;
}

ChildSpec Applications::child_of(const Way& way) const {
    const bool is_quick = way.size == quick_size;
    std::vector<std::string> program = {programs_.at(way.application->name), "--size",
                                        is_quick ? way.application->quick_size : way.size};
    if (is_quick) {
        program.insert(program.end(), {"--iterations", "2"});
    }
    if (way.is_sequential()) {
        program.emplace_back("--sequential");
        ChildSpec spec;
        spec.argv = program;
        return spec;
    }
    if (settings_.verify && rounds_ == 0) {
        program.emplace_back("--verify");
    }
    ChildSpec spec = make_own_library(layout_of(settings_, way.nodes))->start(program);
    spec.environment.push_back("SYNCLINE_DSM_PROTOCOL=" + way.protocol);
    return spec;
}

void Applications::run(const Way& way) {
    const std::string complaints = folder_.file("complaints");
    const UniqueFd file(::open(complaints.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    ChildSpec child = child_of(way);
    child.stderr_fd = file.get();
    try {
        take(way, Json::parse(output_of(child, settings_.time_limit_s)));
    } catch (const Interrupted&) {
        throw;
    } catch (const std::exception& failure) {
        failures_.push_back(fmt::format("{}: {}: {}", way.words(), failure.what(), first_complaint(complaints)));
        left_out_.insert(way.words());
    }
}

void Applications::add(const Way& way, const Quantity& quantity, double value) {
    measured_->add(
        {quantity.benchmark, way.application->name, way.protocol, way.nodes, settings_.mtus.front(), way.size},
        {value, 0, value});
}

void Applications::take(const Way& way, const Json& said) {
    const double seconds = said.at("seconds");
    if (said.at("verified").is_boolean() && !said.at("verified").get<bool>()) {
        fail(SYNCLINE_ERR_PROTOCOL, "its results are wrong");
    }
    add(way, quantities::application, seconds);
    if (way.is_sequential()) {
        return;
    }
    const double fault = mean_of(said, "fault_ns");
    const double lock = mean_of(said, "lock_ns"), barrier = mean_of(said, "barrier_ns");
    add(way, quantities::application_computing, seconds - fault - lock - barrier);
    add(way, quantities::application_fault, fault);
    add(way, quantities::application_lock, lock);
    add(way, quantities::application_barrier, barrier);
    add(way, quantities::application_page, mean_of(said, "fetch_ns"));
    add(way, quantities::application_flush, mean_of(said, "flush_ns"));
    add(way, quantities::application_handler, mean_of(said, "handler_ns"));
    add(way, quantities::application_faults, mean_of(said, "read_faults") + mean_of(said, "write_faults"));
}

}  // namespace syncline::bench
