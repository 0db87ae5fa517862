// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/targets/xdp_target.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "base/failure.h"
#include "daemon/targets/bpf_objects.h"
#include "daemon/targets/xdp_dispatcher.h"

namespace syncline {
namespace {

// A process that may load programs could write a map by a program of its own, whatever its descriptor allows.
void check_who_loads_programs(uint32_t owner_uid) {
    std::ifstream setting("/proc/sys/kernel/unprivileged_bpf_disabled");
    int disabled = 0;
    if (owner_uid != 0 && setting >> disabled && disabled == 0) {
        fail(SYNCLINE_ERR_UNSUPPORTED,
             "xdp would let the PEs of user {} write the NIC's tables, because every user here may load BPF programs; "
             "set "
             "`sysctl kernel.unprivileged_bpf_disabled=2` or use --transport udp",
             owner_uid);
    }
}

}  // namespace

XdpTarget::XdpTarget(const Job& job, NicPrograms* programs) : NodeTarget(job) {
    check_who_loads_programs(job.spec.owner_uid);
    prepare_for_bpf();
    make_tables();
    make_peers();
    at_ = programs->place_for(job);
    try {
        enter_tables();
        add_rows(initial_rows(job.spec));
        take_frames();
    } catch (...) {
        leave();
        throw;
    }
}

XdpTarget::~XdpTarget() {
    at_.dispatcher->remove(config().job, config().udp_port, at_.program->is_of_nodes());
    leave();
}

void XdpTarget::leave() {
    if (is_open_) {
        at_.program->close(node_key());
    }
    NicProgram::Tables tables = {.ports = config().ports, .chunks = chunks_, .segments = {}};
    for (uint32_t i = 0; i < memory_fds().size(); i++) {
        if (memory_fds()[i]) {
            tables.segments.push_back(i);
        }
    }
    at_.program->leave(at_.place, std::move(tables));
}

uint64_t XdpTarget::node_key() const {
    return fw_key_of_job(at_.dispatcher->index(), config().job);
}

void XdpTarget::make_tables() {
    const uint32_t entries = buffers_of(config());
    const auto elements = static_cast<uint32_t>(directory_bytes(config()) / sizeof(fw_buffers));
    sources_fd_ = create_map("fw_sources", BPF_MAP_TYPE_ARRAY, sizeof(fw_source), config().ranks,
                             BPF_F_MMAPABLE | BPF_F_INNER_MAP);
    rows_fd_ = create_map("fw_row_count", BPF_MAP_TYPE_ARRAY, sizeof(fw_rows), 1, BPF_F_MMAPABLE);
    directory_fd_ =
        create_map("fw_directory", BPF_MAP_TYPE_ARRAY, sizeof(fw_buffers), elements, BPF_F_MMAPABLE | BPF_F_INNER_MAP);
    ports_fd_ =
        create_map("fw_ports", BPF_MAP_TYPE_ARRAY, sizeof(fw_port), config().ports, BPF_F_MMAPABLE | BPF_F_INNER_MAP);
    barriers_fd_ = create_map("fw_barriers", BPF_MAP_TYPE_ARRAY, sizeof(fw_barrier), SLW_BARRIERS_MAX, BPF_F_MMAPABLE);
    for (uint32_t port = 0; port < config().ports; port++) {
        completions_fds_.push_back(create_map("fw_completions", BPF_MAP_TYPE_ARRAY,
                                              fw_completion_bytes(config().packet_max), entries,
                                              BPF_F_MMAPABLE | BPF_F_INNER_MAP));
        images_fds_.push_back(create_map("fw_images", BPF_MAP_TYPE_ARRAY, fw_image_bytes(config().packet_max),
                                         entries + 1, BPF_F_MMAPABLE | BPF_F_INNER_MAP));
        ring_fds_.push_back(create_map("fw_wakes", BPF_MAP_TYPE_RINGBUF, 0, 4096, 0));
    }
    // The program alone writes the counts of executed requests, and processes read them. From a read-only descriptor a
    // process makes a writable one by pinning, but a frozen map takes no write through any descriptor.
    if (bpf_map_freeze(sources_fd_.get()) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot freeze the NIC's records of sources");
    }
    if (!rows_map_.map(rows_fd_.get(), sizeof(fw_rows))) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot map the count of rows");
    }
    if (!ports_map_.map(ports_fd_.get(), config().ports * sizeof(fw_port))) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot map the ports' shared words");
    }
    if (!barriers_map_.map(barriers_fd_.get(), barriers_bytes)) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot map the barriers");
    }
}

void XdpTarget::make_peers() {
    peers_fd_ = create_map("fw_peers", BPF_MAP_TYPE_ARRAY, sizeof(fw_peer), config().nodes, BPF_F_INNER_MAP);
    for (uint32_t node = 0; node < config().nodes; node++) {
        fw_peer peer = {};
        const std::span<const uint8_t> address = job_.addresses[node].bytes();
        std::memcpy(peer.address, address.data(), std::min(address.size(), sizeof(peer.address)));
        if (bpf_map_update_elem(peers_fd_.get(), &node, &peer, BPF_ANY) != 0) {
            fail_errno(SYNCLINE_ERR_SYSTEM, "cannot write entry {} of the BPF map fw_peers", node);
        }
    }
}

void XdpTarget::enter_tables() {
    const auto one = [&](NicTable table, const UniqueFd& map) {
        return NicProgram::in_a_row(table, at_.place, {map.get()});
    };
    const auto all = [&](NicTable table, uint32_t of_place, const std::vector<UniqueFd>& maps) {
        return NicProgram::in_a_row(table, at_.place * of_place, numbers_of(maps));
    };
    for (uint32_t port = 0; port < config().ports; port++) {
        const uint32_t rank = job_.map.rank_at(config().node, port) + 1u;
        at_.program->write(NicTable::kRanks, at_.place * SLW_PORTS_MAX + port, &rank);
    }
    at_.program->enter(std::array{
        one(NicTable::kSources, sources_fd_), one(NicTable::kRows, rows_fd_), one(NicTable::kDirectory, directory_fd_),
        one(NicTable::kPorts, ports_fd_), one(NicTable::kBarriers, barriers_fd_), one(NicTable::kPeers, peers_fd_),
        all(NicTable::kCompletions, SLW_PORTS_MAX, completions_fds_),
        all(NicTable::kImages, SLW_PORTS_MAX, images_fds_), all(NicTable::kWakes, SLW_PORTS_MAX, ring_fds_),
        all(NicTable::kFans, FW_FANS, make_fans())});
}

// Makes the maps through which a barrier's message is cloned: all entries name the NIC's own interface.
std::vector<UniqueFd> XdpTarget::make_fans() const {
    const bpf_devmap_val value = {.ifindex = at_.dispatcher->index(), .bpf_prog = {.fd = at_.program->fan()}};
    std::vector<UniqueFd> fans;
    for (uint32_t i = 0; i < FW_FANS; i++) {
        const uint32_t copies = 2u << i;
        fans.push_back(create_map("fw_fan", BPF_MAP_TYPE_DEVMAP, sizeof(value), copies, 0));
        for (uint32_t copy = 0; copy < copies; copy++) {
            if (bpf_map_update_elem(fans.back().get(), &copy, &value, BPF_ANY) != 0) {
                fail_errno(SYNCLINE_ERR_SYSTEM, "cannot write entry {} of the BPF map fw_fan", copy);
            }
        }
    }
    return fans;
}

// From here on frames come.
void XdpTarget::take_frames() {
    fw_config here = config();
    here.keep_parts = here.keep_parts != 0 || at_.dispatcher->is_generic() ? 1 : 0;
    at_.program->open(at_.place, here, node_key());
    is_open_ = true;
    at_.dispatcher->add(here.job, here.udp_port, at_.program->nic(), at_.place);
}

std::string XdpTarget::description() const {
    return at_.dispatcher->description();
}

bool XdpTarget::has_answered(uint32_t node) const {
    fw_peer peer = {};
    return bpf_map_lookup_elem(peers_fd_.get(), &node, &peer) == 0 && peer.answered != 0;
}

std::string XdpTarget::obstacle() const {
    return at_.dispatcher->obstacle();
}

// From then on the outer map holds the chunks.
void XdpTarget::make_rows(uint32_t first, uint32_t more) {
    std::vector<UniqueFd> chunks;
    for (uint32_t row = first; row < first + more; row += FW_CHUNK_ROWS) {
        const uint32_t rows = std::min<uint32_t>(FW_CHUNK_ROWS, first + more - row);
        chunks.push_back(
            create_map("fw_slots", BPF_MAP_TYPE_ARRAY, sizeof(fw_slot), rows * config().window, BPF_F_INNER_MAP));
    }
    chunks_ = (first + more + FW_CHUNK_ROWS - 1) / FW_CHUNK_ROWS;
    at_.program->enter(std::array{NicProgram::in_a_row(
        NicTable::kSlots, at_.place * FW_CHUNKS_OF_ROWS + (first >> FW_CHUNK_SHIFT), numbers_of(chunks))});
}

UniqueFd XdpTarget::create_memory(uint64_t bytes) {
    return create_map("fw_memory", BPF_MAP_TYPE_ARRAY, SLW_BLOCK_BYTES, static_cast<uint32_t>(bytes / SLW_BLOCK_BYTES),
                      BPF_F_MMAPABLE | BPF_F_INNER_MAP);
}

// The memory is in place before the entry that opens it, and the entry is closed before anything else changes.
void XdpTarget::install(std::span<const Installed> all) {
    NicProgram::Entries entries = {NicTable::kMemory, {}, {}};
    for (const Installed& one : all) {
        if (one.memory_fd >= 0) {
            entries.indices.push_back(placed(one.index));
            entries.maps.push_back(one.memory_fd);
        }
    }
    at_.program->enter(std::array{entries});
    for (const Installed& one : all) {
        at_.program->write(NicTable::kSegments, placed(one.index), &one.entry);
    }
}

// The kernel frees the memory once no program run that has looked it up is under way.
void XdpTarget::uninstall(uint32_t index) {
    const uint32_t at = placed(index);
    (void)bpf_map_delete_elem(at_.program->table(NicTable::kMemory), &at);
}

uint32_t XdpTarget::placed(uint32_t segment) const {
    return at_.place * SLW_PORTS_MAX * SLW_SEGMENTS_MAX + segment;
}

fw_counters XdpTarget::counters() {
    fw_counters sum = {};
    std::vector<fw_counters> of_cpu(static_cast<size_t>(libbpf_num_possible_cpus()));
    if (bpf_map_lookup_elem(at_.program->table(NicTable::kCounts), &at_.place, of_cpu.data()) == 0) {
        for (const fw_counters& counters : of_cpu) {
            for (uint32_t i = 0; i < FW_COUNTER_COUNT; i++) {
                sum.value[i] += counters.value[i];
            }
        }
    }
    return sum;
}

}  // namespace syncline
