// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/executors/xdp_nic.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "base/failure.h"
#include "base/libbpf_words.h"
#include "daemon/executors/nic_program.h"
#include "daemon/executors/xdp_dispatcher.h"

namespace syncline {
namespace {

UniqueFd create_array(const char* name, bpf_map_type type, uint32_t value_size, uint32_t entries, uint32_t flags) {
    LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = flags);
    const uint32_t key_size = type == BPF_MAP_TYPE_RINGBUF ? 0 : 4;
    UniqueFd fd(bpf_map_create(type, name, key_size, value_size, entries, &options));
    if (!fd && errno == EPERM) {
        fail(SYNCLINE_ERR_PERMISSION,
             "the kernel refused the NIC's tables ({}): XDP needs CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON; without that "
             "use "
             "--transport udp",
             std::strerror(EPERM));
    }
    if (!fd) {
        fail_errno(SYNCLINE_ERR_NO_MEMORY, "cannot create the BPF map {} ({} entries of {} bytes)", name, entries,
                   value_size);
    }
    return fd;
}

// A process that may load programs writes a map by one of its own, whatever its descriptor allows.
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

void raise_memlock_limit() {
    const rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
    (void)::setrlimit(RLIMIT_MEMLOCK, &unlimited);
}

XdpNic::XdpNic(const Job& job, std::shared_ptr<NicProgram>* shared) : NodeNic(job) {
    check_who_loads_programs(job.spec.owner_uid);
    silence_libbpf();
    raise_memlock_limit();
    make_tables();
    take_program(shared);
    enter_tables();
    add_rows(initial_rows(job.spec));
    introduce_peers();
    make_fans();
    if (!dispatcher_->is_lent()) {
        dispatcher_->add(config().job, config().udp_port, program_->nic());
    }
}

// Other nodes' frames may go the same way; it ends with the last daemon that has it.
XdpNic::~XdpNic() {
    if (!program_->is_shared()) {
        dispatcher_->remove(config().job, config().udp_port);
    }
}

// All nodes' arrays of ports have one length, because the verifier expands look-ups in them for one.
uint32_t XdpNic::ports_most() const {
    uint32_t most = 0;
    for (uint32_t node = 0; node < config().nodes; node++) {
        most = std::max(most, job_.map.ports_of(node));
    }
    return most;
}

void XdpNic::make_tables() {
    const uint32_t entries = buffers_of(config());
    fw_config widest = config();
    widest.ports = ports_most();
    const auto elements = static_cast<uint32_t>(directory_bytes(widest) / sizeof(fw_buffers));
    sources_fd_ = create_array("fw_sources", BPF_MAP_TYPE_ARRAY, sizeof(fw_source), config().ranks, BPF_F_MMAPABLE);
    rows_fd_ = create_array("fw_row_count", BPF_MAP_TYPE_ARRAY, sizeof(fw_rows), 1, BPF_F_MMAPABLE);
    directory_fd_ = create_array("fw_directory", BPF_MAP_TYPE_ARRAY, sizeof(fw_buffers), elements, BPF_F_MMAPABLE);
    ports_fd_ = create_array("fw_ports", BPF_MAP_TYPE_ARRAY, sizeof(fw_port), ports_most(), BPF_F_MMAPABLE);
    barriers_fd_ =
        create_array("fw_barriers", BPF_MAP_TYPE_ARRAY, sizeof(fw_barrier), SLW_BARRIERS_MAX, BPF_F_MMAPABLE);
    for (uint32_t port = 0; port < config().ports; port++) {
        completions_fds_.push_back(create_array("fw_completions", BPF_MAP_TYPE_ARRAY,
                                                fw_completion_bytes(config().packet_max), entries,
                                                BPF_F_MMAPABLE | BPF_F_INNER_MAP));
        images_fds_.push_back(create_array("fw_images", BPF_MAP_TYPE_ARRAY, fw_image_bytes(config().packet_max),
                                           entries + 1, BPF_F_MMAPABLE | BPF_F_INNER_MAP));
        ring_fds_.push_back(create_array("fw_wakes", BPF_MAP_TYPE_RINGBUF, 0, 4096, 0));
    }
    // The program alone writes what it has executed, and processes read it. Unlike a read-only descriptor, of which a
    // process makes a writable one by pinning, a frozen map takes no write through any descriptor.
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

// The one that the nodes of the job share, where this node fits in; the first node loads it for all.
void XdpNic::take_program(std::shared_ptr<NicProgram>* shared) {
    const std::string interface = job_.spec.interface;
    if (shared != nullptr && *shared && (*shared)->fits(config(), XdpDispatcher::index_of(interface))) {
        program_ = *shared;
        dispatcher_ = XdpDispatcher::on(interface, program_->dispatcher());
    } else {
        dispatcher_ = XdpDispatcher::on(interface, {});
        const bool for_all = shared != nullptr && !*shared && config().nodes > 1 && job_.spec.shared_cpus != 0 &&
                             !dispatcher_->is_below_another();
        program_ = NicProgram::load(config(), *dispatcher_, for_all,
                                    {sources_fd_.get(), directory_fd_.get(), ports_fd_.get(),
                                     completions_fds_.front().get(), images_fds_.front().get()});
        if (for_all) {
            *shared = program_;
        }
    }
    place_ = program_->place_of(config());
}

void XdpNic::enter_tables() {
    const auto ports = [&](NicTable table, const std::vector<UniqueFd>& fds) {
        std::vector<int> maps;
        for (const UniqueFd& fd : fds) {
            maps.push_back(fd.get());
        }
        program_->enter(table, place_ * SLW_PORTS_MAX, maps);
    };
    for (uint32_t port = 0; port < config().ports; port++) {
        const uint32_t rank = job_.map.rank_at(config().node, port) + 1u;
        program_->write(NicTable::kRanks, place_ * SLW_PORTS_MAX + port, &rank);
    }
    program_->enter(NicTable::kSources, place_, std::array{sources_fd_.get()});
    program_->enter(NicTable::kRows, place_, std::array{rows_fd_.get()});
    program_->enter(NicTable::kDirectory, place_, std::array{directory_fd_.get()});
    program_->enter(NicTable::kPorts, place_, std::array{ports_fd_.get()});
    program_->enter(NicTable::kBarriers, place_, std::array{barriers_fd_.get()});
    ports(NicTable::kCompletions, completions_fds_);
    ports(NicTable::kImages, images_fds_);
    ports(NicTable::kWakes, ring_fds_);
}

void XdpNic::introduce_peers() {
    for (uint32_t node = 0; node < config().nodes; node++) {
        fw_peer peer = {};
        const std::span<const uint8_t> address = job_.addresses[node].bytes();
        std::memcpy(peer.address, address.data(), std::min(address.size(), sizeof(peer.address)));
        program_->write(NicTable::kPeers, place_ * config().nodes + node, &peer);
    }
}

// The maps through which a barrier's message is cloned: all entries name the NIC's own interface.
void XdpNic::make_fans() {
    const bpf_devmap_val value = {.ifindex = dispatcher_->index(), .bpf_prog = {.fd = program_->fan()}};
    std::vector<UniqueFd> fans;
    std::vector<int> maps;
    for (uint32_t i = 0; i < FW_FANS; i++) {
        const uint32_t copies = 2u << i;
        fans.push_back(create_array("fw_fan", BPF_MAP_TYPE_DEVMAP, sizeof(value), copies, 0));
        maps.push_back(fans.back().get());
        for (uint32_t copy = 0; copy < copies; copy++) {
            if (bpf_map_update_elem(maps.back(), &copy, &value, BPF_ANY) != 0) {
                fail_errno(SYNCLINE_ERR_SYSTEM, "cannot write entry {} of the BPF map fw_fan", copy);
            }
        }
    }
    program_->enter(NicTable::kFans, place_ * FW_FANS, maps);
}

std::string XdpNic::description() const {
    return dispatcher_->description();
}

bool XdpNic::has_answered(uint32_t node) const {
    const uint32_t index = place_ * config().nodes + node;
    fw_peer peer = {};
    return bpf_map_lookup_elem(program_->table(NicTable::kPeers), &index, &peer) == 0 && peer.answered != 0;
}

std::string XdpNic::obstacle() const {
    return dispatcher_->obstacle();
}

// The outer map holds a chunk from then on.
void XdpNic::make_rows(uint32_t first, uint32_t more) {
    for (uint32_t row = first; row < first + more; row += FW_CHUNK_ROWS) {
        const uint32_t rows = std::min<uint32_t>(FW_CHUNK_ROWS, first + more - row);
        const UniqueFd chunk =
            create_array("fw_slots", BPF_MAP_TYPE_ARRAY, sizeof(fw_slot), rows * config().window, BPF_F_INNER_MAP);
        program_->enter(NicTable::kSlots, place_ * FW_CHUNKS_OF_ROWS + (row >> FW_CHUNK_SHIFT),
                        std::array{chunk.get()});
    }
}

UniqueFd XdpNic::create_memory(uint64_t bytes) {
    return create_array("fw_memory", BPF_MAP_TYPE_ARRAY, SLW_BLOCK_BYTES,
                        static_cast<uint32_t>(bytes / SLW_BLOCK_BYTES), BPF_F_MMAPABLE | BPF_F_INNER_MAP);
}

// The memory is in place before the entry that opens it, and the entry closed before anything else changes.
void XdpNic::install(uint32_t index, const fw_segment& entry, int memory_fd) {
    if (memory_fd >= 0) {
        program_->enter(NicTable::kMemory, placed(index), std::array{memory_fd});
    }
    program_->write(NicTable::kSegments, placed(index), &entry);
}

// The kernel frees the memory once no program run that has looked it up is under way.
void XdpNic::uninstall(uint32_t index) {
    const uint32_t at = placed(index);
    (void)bpf_map_delete_elem(program_->table(NicTable::kMemory), &at);
}

uint32_t XdpNic::placed(uint32_t segment) const {
    return place_ * SLW_PORTS_MAX * SLW_SEGMENTS_MAX + segment;
}

fw_counters XdpNic::counters() {
    fw_counters sum = {};
    std::vector<fw_counters> of_cpu(static_cast<size_t>(libbpf_num_possible_cpus()));
    if (bpf_map_lookup_elem(program_->table(NicTable::kCounts), &place_, of_cpu.data()) == 0) {
        for (const fw_counters& counters : of_cpu) {
            for (uint32_t i = 0; i < FW_COUNTER_COUNT; i++) {
                sum.value[i] += counters.value[i];
            }
        }
    }
    return sum;
}

}  // namespace syncline
