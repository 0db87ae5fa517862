// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/choice/fabrics.h"

#include <algorithm>

#include "base/clock.h"
#include "fabric/choice/factory.h"
#include "fabric/memory/memory_fabric.h"
#include "fabric/packet/connection/packet_fabric.h"

namespace syncline {

namespace {

bool is_operation(int operation) {
    const auto code = static_cast<uint32_t>(operation);
    return slw_is_atomic(code, slw_traits_of(code)) != 0;
}

// Returns an atomic's constant, without FETCH.
int operation_of(uint32_t number, uint32_t width) {
    return static_cast<int>(SYNCLINE_CODE_(number) | width << SLW_WIDTH_SHIFT);
}

}  // namespace

Fabrics::Fabrics(Attachment* attachment, uint32_t peer_timeout_ms)
    : local_memory_(attachment), own_target_(attachment, &local_memory_) {
    const JobSpec& spec = attachment->job().spec;
    std::unique_ptr<Transport> transport;
    if (!attachment->alone() && has_packets(spec)) {
        tables_ = std::make_unique<PacketTables>(PacketTables::map(attachment));
        transport = make_transport(attachment, *tables_, &local_memory_);
    }
    // Faults strike packets: if a job of one node asks for faults, its operations go by packets, too.
    make(attachment, std::move(transport), {peer_timeout_ms, spec.properties().between_nodes || !spec.faults.any()});
}

Fabrics::Fabrics(Attachment* attachment, std::unique_ptr<PacketTables> tables, std::unique_ptr<Transport> transport,
                 const Options& options, std::unique_ptr<Fabric> card)
    : local_memory_(attachment),
      own_target_(attachment, &local_memory_),
      tables_(std::move(tables)),
      card_(std::move(card)) {
    make(attachment, std::move(transport), options);
}

Fabrics::~Fabrics() = default;

void Fabrics::make(Attachment* attachment, std::unique_ptr<Transport> transport, const Options& options) {
    memory_ = std::make_unique<MemoryFabric>(attachment, &local_memory_);
    if (transport) {
        packets_ = std::make_unique<PacketFabric>(attachment, *tables_, &local_memory_, &own_target_,
                                                  std::move(transport), uint64_t{options.peer_timeout_ms} * ns_per_ms);
    }
    for (Fabric* const fabric : {card_.get(), packets_.get()}) {
        if (fabric != nullptr) {
            moving_.push_back(fabric);
        }
    }
    std::vector<Fabric*> at_hand = {memory_.get()};
    at_hand.insert(at_hand.end(), moving_.begin(), moving_.end());
    splits_ = card_ != nullptr;
    for (const Fabric* const fabric : at_hand) {
        const Capabilities& own = fabric->capabilities();
        for (uint32_t width = 0; width < widths; width++) {
            cpu_may_change_words_ &= !owns_words(*fabric, width);
        }
        wakes_sleepers_ &= own.wakes_sleepers;
        counts_requests_ &= own.counts_requests;
        recalls_ &= own.recalls;
    }
    ways_here_ = choose(at_hand);
    ways_elsewhere_ = choose(moving_);
    const Job& job = attachment->job();
    for (uint32_t rank = 0; rank < job.spec.config.ranks; rank++) {
        const bool here = options.direct && job.map.node_of(rank) == job.spec.config.node;
        here_.push_back(here ? 1 : 0);
    }
}

// Returns whether a fabric has all operations of a width, but excludes no CPU.
bool Fabrics::owns_words(const Fabric& fabric, uint32_t width) {
    const Capabilities& own = fabric.capabilities();
    bool has_all = true;
    for (uint32_t number = 0; number < SLW_OPERATIONS; number++) {
        const int operation = operation_of(number, width);
        has_all &= !is_operation(operation) || own.executes(operation);
    }
    return has_all && !own.atomics_exclude_cpu;
}

Fabrics::Ways Fabrics::choose(const std::vector<Fabric*>& candidates) const {
    Ways ways;
    if (candidates.empty()) {
        return ways;
    }
    ways.moves = candidates.front();
    const auto first = [&](auto&& may) {
        const auto found = std::find_if(candidates.begin(), candidates.end(), [&](Fabric* one) { return may(*one); });
        return found == candidates.end() ? nullptr : *found;
    };
    ways.floats = first([](const Fabric& one) { return one.capabilities().adds_floating; });
    for (uint32_t width = 0; width < widths; width++) {
        Fabric* const owner = first([&](const Fabric& one) { return owns_words(one, width); });
        for (uint32_t number = 0; number < SLW_OPERATIONS; number++) {
            const int operation = operation_of(number, width);
            ways.atomics[width][number] = owner != nullptr ? owner : first([&](const Fabric& one) {
                return one.capabilities().atomics_exclude_cpu && one.capabilities().executes(operation);
            });
        }
    }
    return ways;
}

Fabric& Fabrics::of(int rank, Accumulate::Element element, Accumulate::Combine combine) const {
    if (combine == Accumulate::Combine::kAdd && Accumulate::is_floating(element)) {
        return *ways_to(rank).floats;
    }
    const int width = Accumulate::width_of(element) == 4 ? +SYNCLINE_32 : +SYNCLINE_64;
    return of(rank, width | (combine == Accumulate::Combine::kAdd ? +SYNCLINE_ADD : +SYNCLINE_SWAP));
}

uint64_t Fabrics::retry(uint64_t now) {
    uint64_t next = UINT64_MAX;
    for (Fabric* const fabric : moving_) {
        next = std::min(next, fabric->retry(now));
    }
    return next;
}

bool Fabrics::joins_barriers(int rank) const {
    return ways_to(rank).moves->capabilities().joins_barriers ||
           std::any_of(moving_.begin(), moving_.end(),
                       [](const Fabric* fabric) { return fabric->capabilities().joins_barriers; });
}

bool Fabrics::is_quiet(int rank) {
    return std::all_of(moving_.begin(), moving_.end(), [&](Fabric* fabric) { return fabric->is_quiet(rank); });
}

bool Fabrics::is_silent(int rank) const {
    return std::any_of(moving_.begin(), moving_.end(), [&](Fabric* fabric) { return fabric->is_silent(rank); });
}

bool Fabrics::may_repeat(int rank) const {
    return std::any_of(moving_.begin(), moving_.end(), [&](Fabric* fabric) { return fabric->may_repeat(rank); });
}

uint32_t Fabrics::issued(int rank) const {
    uint32_t sum = 0;
    for (Fabric* const fabric : moving_) {
        sum += fabric->issued(rank);
    }
    return sum;
}

uint32_t Fabrics::executed(int rank) const {
    uint32_t sum = 0;
    for (const Fabric* const fabric : moving_) {
        sum += fabric->executed(rank);
    }
    return sum;
}

void Fabrics::forget(Completion* completion) {
    for (Fabric* const fabric : moving_) {
        fabric->forget(completion);
    }
}

std::string Fabrics::trouble() const {
    for (const Fabric* const fabric : moving_) {
        if (std::string found = fabric->trouble(); !found.empty()) {
            return found;
        }
    }
    return {};
}

std::vector<int> Fabrics::wait_fds() const {
    std::vector<int> all;
    for (const Fabric* const fabric : moving_) {
        const std::vector<int> fds = fabric->wait_fds();
        all.insert(all.end(), fds.begin(), fds.end());
    }
    return all;
}

}  // namespace syncline
