// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/executors/nic_program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <cstring>
#include <numeric>

#include "base/failure.h"
#include "daemon/executors/xdp_dispatcher.h"
#include "nic.skel.h"

namespace syncline {
namespace {

constexpr const char* table_names[] = {"fw_ranks",    "fw_sources",     "fw_row_count", "fw_slots", "fw_directory",
                                       "fw_segments", "fw_ports",       "fw_barriers",  "fw_peers", "fw_counts",
                                       "fw_memory",   "fw_completions", "fw_images",    "fw_wakes", "fw_fans"};
static_assert(std::size(table_names) == nic_tables);

using Skeleton = std::unique_ptr<nic_bpf, void (*)(nic_bpf*)>;

// The skeleton declares what the loader sets to be constant, as it is for the program.
template <typename T>
void set(const volatile T& constant, const T& value) {
    std::memcpy(const_cast<void*>(static_cast<const volatile void*>(&constant)), &value, sizeof(T));
}

bpf_map* table_of(const Skeleton& skeleton, const char* name) {
    return bpf_object__find_map_by_name(skeleton->obj, name);
}

// libbpf 1.5 and newer ends the process that sizes the inner map which the object file declares: a map gives its shape.
void set_template(bpf_map* outer, int inner) {
    if (bpf_map__set_inner_map_fd(outer, inner) != 0) {
        fail_errno(SYNCLINE_ERR_UNSUPPORTED, "libbpf does not take the shape of the maps in {}", bpf_map__name(outer));
    }
}

void size_tables(const Skeleton& skeleton, const fw_config& config, uint32_t places,
                 const NicProgram::Templates& templates) {
    const auto& maps = skeleton->maps;
    bpf_map__set_max_entries(maps.fw_peers, config.nodes);
    set_template(maps.fw_sources, templates.sources);
    set_template(maps.fw_directory, templates.directory);
    set_template(maps.fw_ports, templates.ports);
    set_template(maps.fw_completions, templates.completions);
    set_template(maps.fw_images, templates.images);
    for (const char* const name : table_names) {
        bpf_map* const table = table_of(skeleton, name);
        bpf_map__set_max_entries(table, bpf_map__max_entries(table) * places);
    }
}

// A tail call leads to programs of the caller's kind only. Below libxdp's dispatcher the kernel counts a program
// neither as one that takes frames in several parts nor as attached to XDP.
void suit_dispatcher(const Skeleton& skeleton, const XdpDispatcher& dispatcher) {
    if (dispatcher.is_below_another()) {
        (void)bpf_program__set_expected_attach_type(skeleton->progs.syncline_nic, static_cast<bpf_attach_type>(0));
        return;
    }
    (void)bpf_program__set_flags(skeleton->progs.syncline_nic, BPF_F_XDP_HAS_FRAGS);
    (void)bpf_program__set_flags(skeleton->progs.syncline_fan, BPF_F_XDP_HAS_FRAGS);
}

void load_program(const Skeleton& skeleton) {
    if (nic_bpf__load(skeleton.get()) != 0) {
        const int error = errno;
        // Without CAP_PERFMON the verifier holds back what the program does with pointers.
        fail(error == EPERM ? SYNCLINE_ERR_PERMISSION : SYNCLINE_ERR_UNSUPPORTED,
             "the kernel refused the NIC program ({}): XDP needs {}; without that use --transport udp",
             std::strerror(error),
             error == EPERM    ? "CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON"
             : error == EACCES ? "CAP_PERFMON beside CAP_BPF and CAP_NET_ADMIN, and Linux 6.1 or newer"
             : error == EMFILE ? "a higher limit of open files (ulimit -n)"
                               : "Linux 6.1 or newer");
    }
}

}  // namespace

std::shared_ptr<NicProgram> NicProgram::load(const fw_config& config, const XdpDispatcher& dispatcher, bool for_all,
                                             const Templates& templates) {
    const Skeleton skeleton(nic_bpf__open(), nic_bpf__destroy);
    if (skeleton == nullptr) {
        fail_errno(SYNCLINE_ERR_UNSUPPORTED, "cannot open the NIC program: this kernel or libbpf is too old");
    }
    const uint32_t keep_parts = config.keep_parts != 0 || dispatcher.is_generic() ? 1 : 0;
    const LentProgram lent = {.job = config.job,
                              .places = for_all ? config.nodes : 1,
                              .first_interface = for_all ? dispatcher.index() - config.node : 0,
                              .packet_max = config.packet_max,
                              .keep_parts = keep_parts,
                              .reserved = 0};
    fw_config common = config;
    common.node = for_all ? 0 : config.node;
    common.keep_parts = keep_parts;
    set(skeleton->rodata->fw_job, common);
    set(skeleton->rodata->fw_places, lent.places);
    set(skeleton->rodata->fw_first_interface, lent.first_interface);
    size_tables(skeleton, config, lent.places, templates);
    suit_dispatcher(skeleton, dispatcher);
    load_program(skeleton);
    std::vector<UniqueFd> fds;
    fds.push_back(copy_of(bpf_program__fd(skeleton->progs.syncline_nic)));
    fds.push_back(copy_of(bpf_program__fd(skeleton->progs.syncline_fan)));
    for (const int part : dispatcher.parts()) {
        fds.push_back(copy_of(part));
    }
    for (const char* const name : table_names) {
        fds.push_back(copy_of(bpf_map__fd(table_of(skeleton, name))));
    }
    return std::make_shared<NicProgram>(lent, std::move(fds));
}

NicProgram::NicProgram(const LentProgram& lent, std::vector<UniqueFd> fds) : lent_(lent), fds_(std::move(fds)) {
    if (fds_.size() != 5 + nic_tables || lent_.places == 0) {
        fail(SYNCLINE_ERR_PROTOCOL, "a NIC program has {} descriptors, and {} were handed on", 5 + nic_tables,
             fds_.size());
    }
}

std::vector<int> NicProgram::fds() const {
    std::vector<int> fds;
    for (const UniqueFd& fd : fds_) {
        fds.push_back(fd.get());
    }
    return fds;
}

bool NicProgram::fits(const fw_config& config, uint32_t interface) const {
    return lent_.job == config.job && config.node < lent_.places && interface == lent_.first_interface + config.node &&
           lent_.packet_max == config.packet_max && lent_.keep_parts == config.keep_parts;
}

void NicProgram::write(NicTable table, uint32_t index, const void* entry) const {
    if (bpf_map_update_elem(this->table(table), &index, entry, BPF_ANY) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot write entry {} of the BPF map {}", index,
                   table_names[static_cast<uint32_t>(table)]);
    }
}

void NicProgram::enter(NicTable table, uint32_t first, std::span<const int> maps) const {
    std::vector<uint32_t> indices(maps.size());
    std::iota(indices.begin(), indices.end(), first);
    auto count = static_cast<uint32_t>(maps.size());
    if (bpf_map_update_batch(this->table(table), indices.data(), maps.data(), &count, nullptr) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot enter {} maps in the BPF map {}", maps.size(),
                   table_names[static_cast<uint32_t>(table)]);
    }
}

}  // namespace syncline
