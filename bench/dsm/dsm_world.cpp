// SPDX-License-Identifier: BSD-3-Clause
#include "bench/dsm/dsm_world.h"

#include <fmt/format.h>

#include <algorithm>

namespace syncline::bench {
namespace {

// PE 0 has a word for each PE behind Pe::word, so that the results of atomics can be checked.
constexpr uint64_t counted_words_offset = 1024;
constexpr uint64_t counted_word_bytes = 64;
constexpr uint64_t allocations_before = 10'000;

int number_of(const std::string& protocol) {
    return static_cast<int>(std::find(std::begin(dsm_protocols), std::end(dsm_protocols), protocol) -
                            std::begin(dsm_protocols));
}

}  // namespace

DsmWorld::DsmWorld(const DsmSettings& settings, int mtu, DsmMeasured* measured)
    : settings_(settings), mtu_(mtu), measured_(measured), bare_(mtu) {
    for (const uint32_t nodes : settings.nodes) {
        auto bed = std::make_unique<Bed>(
            BedOptions{.nodes = nodes, .authenticate = settings.authenticate, .mtu = mtu, .table_bytes = 4096});
        BenchJob* const job = &bed->job();
        beds_.push_back({nodes, std::move(bed), {job}});
    }
}

void DsmWorld::add(const Quantity& quantity, const std::string& subject, const std::string& condition, uint32_t nodes,
                   const Statement& statement) {
    measured_->add({quantity.benchmark, subject, condition, nodes, mtu_}, statement);
}

void DsmWorld::round(Progress* progress) {
    for (NodesBed& bed : beds_) {
        progress->step(fmt::format("MTU {}, {} nodes, yardsticks", mtu_, bed.nodes));
        measure_yardsticks(&bed);
        for (const std::string& protocol : settings_.protocols) {
            progress->step(fmt::format("MTU {}, {} nodes, {}", mtu_, bed.nodes, protocol));
            measure_protocol(&bed, protocol);
        }
    }
}

void DsmWorld::measure_yardsticks(NodesBed* bed) {
    const uint64_t count = 2 * settings_.pages;  // enough for processes that share a CPU to take turns, as with pages
    add(quantities::page_time, fetch_add_alone.name, bare_series, bed->nodes,
        statement_of(bare_.measure(count, cpus_.initiator)));
    const auto at_own_word = [](uint32_t rank, Command* command) {
        command->word_offset = counted_words_offset + rank * counted_word_bytes;
    };
    const Command command = {.verb = Verb::kLatency, .count = count};
    const auto measure = [&](const NamedSubject& subject, const std::vector<uint32_t>& ranks) {
        add(quantities::page_time, subject.name, library_series, bed->nodes,
            of_phase(bed->job.run_together(ranks, command, at_own_word), count));
    };
    measure(fetch_add_alone, {1});
    measure(fetch_add_contended, bed->job.all_but_home());
}

void DsmWorld::measure_protocol(NodesBed* bed, const std::string& protocol) {
    PageSession session(&bed->job, number_of(protocol), settings_.pages);
    if (settings_.has("pages")) {
        measure_pages(&session, *bed, protocol);
    }
    if (settings_.has("synchronisation")) {
        measure_synchronisation(&session, *bed, protocol);
    }
}

void DsmWorld::measure_pages(PageSession* session, const NodesBed& bed, const std::string& protocol) {
    for (size_t i = 0; i < std::size(page_subjects); i += 2) {
        const auto [first, again] = session->read(page_subjects[i]);
        add(quantities::page_time, page_subjects[i].name, protocol, bed.nodes, first.time);
        add(quantities::page_cpu, page_subjects[i].name, protocol, bed.nodes, first.cpu);
        add(quantities::page_time, page_subjects[i + 1].name, protocol, bed.nodes, again.time);
        add(quantities::page_cpu, page_subjects[i + 1].name, protocol, bed.nodes, again.cpu);
    }
}

void DsmWorld::measure_synchronisation(PageSession* session, const NodesBed& bed, const std::string& protocol) {
    const auto take = [&](const NamedSubject& subject, const Statement& statement) {
        add(quantities::shared_synchronisation, subject.name, protocol, bed.nodes, statement);
    };
    take(lock_alone, session->lock({1}, settings_.iterations));
    take(lock_contended, session->lock(bed.job.all(), std::max<uint64_t>(10, 2 * settings_.iterations / bed.nodes)));
    take(barrier_plain, session->barrier(false, settings_.iterations));
    take(barrier_writes, session->barrier(true, settings_.iterations));
    const uint64_t allocations = std::min<uint64_t>(settings_.iterations, 500);
    take(allocation_first, session->allocate(0, allocations));
    take(allocation_many, session->allocate(allocations_before, allocations));
}

}  // namespace syncline::bench
