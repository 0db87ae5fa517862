// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/targets/nic_programs.h"

#include "base/failure.h"
#include "daemon/addresses.h"
#include "daemon/targets/bpf_objects.h"
#include "daemon/targets/libxdp_seat.h"
#include "daemon/targets/xdp_dispatcher.h"

namespace syncline {
namespace {

constexpr uint32_t resident_places = 32;  // some 110 KB each
constexpr size_t dispatcher_parts = 3;

NicProgram::Kind kind_for(const XdpDispatcher& dispatcher, uint32_t packet_max) {
    return {.packet_max = packet_max, .several_parts = !dispatcher.is_below_another()};
}

}  // namespace

void NicPrograms::keep(const NicProgram::Kind& kind) {
    usual_ = NicProgram::load(kind, resident_places, 0);
    usual_kind_ = kind;
}

void NicPrograms::prepare(const std::string& interface, uint32_t packet_max) {
    prepare_for_bpf();
    keep({.packet_max = packet_max, .several_parts = !LibxdpSeat::is_for(XdpDispatcher::index_of(interface))});
}

// A job may ask for shorter packets than the interface carries; no program is kept for such jobs.
NicPlace NicPrograms::place_for(const Job& job) {
    if (!resident_) {
        return place_of_node(job);
    }
    NicPlace found = {.dispatcher = XdpDispatcher::on(job.spec.interface, {}), .program = {}};
    const NicProgram::Kind kind = kind_for(*found.dispatcher, job.spec.config.packet_max);
    if (kind.packet_max == longest_packet_over(job.spec.interface) && (usual_ == nullptr || usual_kind_ != kind)) {
        keep(kind);
    }
    const std::optional<uint32_t> place = usual_ && usual_kind_ == kind ? usual_->take_place() : std::nullopt;
    found.program = place ? usual_ : NicProgram::load(kind, 1, 0);
    found.place = place.value_or(0);
    return found;
}

NicPlace NicPrograms::place_of_node(const Job& job) {
    const fw_config& config = job.spec.config;
    const std::string interface = job.spec.interface;
    if (shared_ && shared_->fits(config) &&
        !XdpDispatcher::leads_to(shared_dispatcher_, XdpDispatcher::index_of(interface), config.job)) {
        NicPlace found = {XdpDispatcher::on(interface, numbers_of(shared_dispatcher_)), shared_, config.node};
        if (found.dispatcher->is_lent()) {
            return found;
        }
    }
    const bool may_share = !shared_ && config.nodes > 1 && config.nodes <= FW_PLACES && job.spec.shared_cpus != 0;
    NicPlace found = {.dispatcher = XdpDispatcher::on(interface, {}, may_share), .program = {}};
    if (found.dispatcher->is_lent()) {
        fail(SYNCLINE_ERR_BUSY, "interface '{}' has the XDP program of another daemon's job", interface);
    }
    const bool for_all = may_share && found.dispatcher->is_for_nodes();
    found.program = NicProgram::load(kind_for(*found.dispatcher, config.packet_max), for_all ? config.nodes : 1,
                                     for_all ? config.job : 0);
    if (for_all) {
        std::vector<UniqueFd> parts;
        for (const int part : found.dispatcher->parts()) {
            parts.push_back(copy_of(part));
        }
        found.place = config.node;
        shared_dispatcher_ = std::move(parts);
        shared_ = found.program;
    }
    return found;
}

bool NicPrograms::use(const LentProgram& lent, std::vector<UniqueFd> fds) {
    if (resident_ || shared_) {
        return false;
    }
    std::vector<UniqueFd> dispatcher;
    while (fds.size() > 2 + nic_tables && dispatcher.size() < dispatcher_parts) {
        dispatcher.insert(dispatcher.begin(), std::move(fds.back()));
        fds.pop_back();
    }
    if (dispatcher.size() != dispatcher_parts) {
        fail(SYNCLINE_ERR_PROTOCOL, "a NIC program comes with {} descriptors, and {} were handed on",
             2 + nic_tables + dispatcher_parts, fds.size() + dispatcher.size());
    }
    shared_ = std::make_shared<NicProgram>(lent, std::move(fds));
    shared_dispatcher_ = std::move(dispatcher);
    return true;
}

bool NicPrograms::lend(LentProgram* lent, std::vector<int>* fds) const {
    if (!shared_) {
        return false;
    }
    *lent = shared_->lent();
    *fds = shared_->fds();
    for (const int part : numbers_of(shared_dispatcher_)) {
        fds->push_back(part);
    }
    return true;
}

}  // namespace syncline
