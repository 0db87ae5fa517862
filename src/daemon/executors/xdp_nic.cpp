// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/executors/xdp_nic.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/resource.h>

#include <cstdarg>
#include <fstream>

#include "base/failure.h"
#include "daemon/executors/xdp_dispatcher.h"
#include "nic.skel.h"

namespace syncline {
namespace {

// libbpf's own words are for developers; ours carry the cause. SYNCLINE_DEBUG=1 shows both.
int print_libbpf(libbpf_print_level level, const char* format, va_list arguments) {
    if (level == LIBBPF_DEBUG || std::getenv("SYNCLINE_DEBUG") == nullptr) {
        return 0;
    }
    return std::vfprintf(stderr, format, arguments);
}

UniqueFd create_array(const char* name, bpf_map_type type, uint32_t value_size, uint32_t entries, uint32_t flags) {
    LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = flags);
    const uint32_t key_size = type == BPF_MAP_TYPE_RINGBUF ? 0 : 4;
    UniqueFd fd(bpf_map_create(type, name, key_size, value_size, entries, &options));
    if (!fd) {
        fail_errno(SYNCLINE_ERR_NO_MEMORY, "cannot create the BPF map {} ({} entries of {} bytes)", name, entries,
                   value_size);
    }
    return fd;
}

void update(int map, uint32_t key, const void* value, const char* what) {
    if (bpf_map_update_elem(map, &key, value, BPF_ANY) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot write entry {} of the BPF map {}", key, what);
    }
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

XdpNic::XdpNic(const Job& job) : NodeNic(job) {
    try {
        check_who_loads_programs(job.spec.owner_uid);
        libbpf_set_print(print_libbpf);
        raise_memlock_limit();
        dispatcher_ = XdpDispatcher::on(job.spec.interface);
        load();
        make_inner_maps();
        if (!ports_map_.map(ports_fd(), config().ports * sizeof(fw_port))) {
            fail_errno(SYNCLINE_ERR_SYSTEM, "cannot map the ports' shared words");
        }
        if (!barriers_map_.map(barriers_fd(), barriers_bytes)) {
            fail_errno(SYNCLINE_ERR_SYSTEM, "cannot map the barriers");
        }
        introduce_peers();
        attach();
    } catch (...) {
        nic_bpf__destroy(skeleton_);
        throw;
    }
}

XdpNic::~XdpNic() {
    dispatcher_->remove(config().job, config().udp_port);
    nic_bpf__destroy(skeleton_);
}

void XdpNic::load() {
    skeleton_ = nic_bpf__open();
    if (skeleton_ == nullptr) {
        fail_errno(SYNCLINE_ERR_UNSUPPORTED, "cannot open the NIC program: this kernel or libbpf is too old");
    }
    std::memcpy(const_cast<void*>(static_cast<const volatile void*>(&skeleton_->rodata->fw_job)), &config(),
                sizeof(fw_config));
    const std::span<const uint16_t> ranks = job_.map.ranks_of(config().node);
    std::memcpy(const_cast<void*>(static_cast<const volatile void*>(&skeleton_->rodata->fw_ranks)), ranks.data(),
                ranks.size_bytes());
    bpf_map__set_max_entries(skeleton_->maps.fw_slots, config().ranks * config().window);
    bpf_map__set_max_entries(skeleton_->maps.fw_ports, config().ports);
    bpf_map__set_max_entries(skeleton_->maps.fw_peers, config().nodes);
    bpf_map__set_value_size(bpf_map__inner_map(skeleton_->maps.fw_completions),
                            fw_completion_bytes(config().packet_max));
    bpf_map__set_value_size(bpf_map__inner_map(skeleton_->maps.fw_images), fw_image_bytes(config().packet_max));
    if (nic_bpf__load(skeleton_) != 0) {
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
    // The program alone writes the slots, and processes read them. Unlike a read-only descriptor, of which a process
    // makes a writable one by pinning, a frozen map takes no write through any descriptor.
    if (bpf_map_freeze(slots_fd()) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot freeze the NIC's slot tables");
    }
}

void XdpNic::make_inner_maps() {
    const uint32_t entries = config().nodes * config().window;
    for (uint32_t port = 0; port < config().ports; port++) {
        completions_fds_.push_back(create_array("fw_completions", BPF_MAP_TYPE_ARRAY,
                                                fw_completion_bytes(config().packet_max), entries,
                                                BPF_F_MMAPABLE | BPF_F_INNER_MAP));
        images_fds_.push_back(create_array("fw_images", BPF_MAP_TYPE_ARRAY, fw_image_bytes(config().packet_max),
                                           entries + 1, BPF_F_MMAPABLE | BPF_F_INNER_MAP));
        ring_fds_.push_back(create_array("fw_wakes", BPF_MAP_TYPE_RINGBUF, 0, 4096, 0));
        int fd = completions_fds_[port].get();
        update(bpf_map__fd(skeleton_->maps.fw_completions), port, &fd, "fw_completions");
        fd = images_fds_[port].get();
        update(bpf_map__fd(skeleton_->maps.fw_images), port, &fd, "fw_images");
        fd = ring_fds_[port].get();
        update(bpf_map__fd(skeleton_->maps.fw_wakes), port, &fd, "fw_wakes");
    }
}

void XdpNic::introduce_peers() {
    for (uint32_t node = 0; node < config().nodes; node++) {
        fw_peer peer = {};
        const std::span<const uint8_t> address = job_.addresses[node].bytes();
        std::memcpy(peer.address, address.data(), std::min(address.size(), sizeof(peer.address)));
        update(bpf_map__fd(skeleton_->maps.fw_peers), node, &peer, "fw_peers");
    }
}

// The maps through which a barrier's message is cloned: all entries name the NIC's own interface.
void XdpNic::make_fans(int interface) {
    const bpf_devmap_val value = {.ifindex = static_cast<uint32_t>(interface),
                                  .bpf_prog = {.fd = bpf_program__fd(skeleton_->progs.syncline_fan)}};
    for (bpf_map* const fan : {skeleton_->maps.fw_fan_2, skeleton_->maps.fw_fan_4, skeleton_->maps.fw_fan_8,
                               skeleton_->maps.fw_fan_16, skeleton_->maps.fw_fan_32, skeleton_->maps.fw_fan_64}) {
        for (uint32_t i = 0; i < bpf_map__max_entries(fan); i++) {
            update(bpf_map__fd(fan), i, &value, bpf_map__name(fan));
        }
    }
}

void XdpNic::attach() {
    make_fans(static_cast<int>(dispatcher_->index()));
    dispatcher_->add(config().job, config().udp_port, bpf_program__fd(skeleton_->progs.syncline_nic));
}

std::string XdpNic::description() const {
    return dispatcher_->description();
}

bool XdpNic::has_answered(uint32_t node) const {
    fw_peer peer = {};
    return bpf_map_lookup_elem(bpf_map__fd(skeleton_->maps.fw_peers), &node, &peer) == 0 && peer.answered != 0;
}

std::string XdpNic::obstacle() const {
    return dispatcher_->obstacle();
}

int XdpNic::barriers_fd() const {
    return bpf_map__fd(skeleton_->maps.fw_barriers);
}

int XdpNic::slots_fd() const {
    return bpf_map__fd(skeleton_->maps.fw_slots);
}

int XdpNic::ports_fd() const {
    return bpf_map__fd(skeleton_->maps.fw_ports);
}

UniqueFd XdpNic::create_memory(uint64_t bytes) {
    return create_array("fw_memory", BPF_MAP_TYPE_ARRAY, SLW_BLOCK_BYTES,
                        static_cast<uint32_t>(bytes / SLW_BLOCK_BYTES), BPF_F_MMAPABLE | BPF_F_INNER_MAP);
}

// The memory is in place before the entry that opens it, and the entry closed before anything else changes.
void XdpNic::install(uint32_t index, const fw_segment& entry, int memory_fd) {
    if (memory_fd >= 0) {
        update(bpf_map__fd(skeleton_->maps.fw_memory), index, &memory_fd, "fw_memory");
    }
    update(bpf_map__fd(skeleton_->maps.fw_segments), index, &entry, "fw_segments");
}

// The kernel frees the memory once no program run that has looked it up is under way.
void XdpNic::uninstall(uint32_t index) {
    (void)bpf_map_delete_elem(bpf_map__fd(skeleton_->maps.fw_memory), &index);
}

fw_counters XdpNic::counters() {
    const uint32_t zero = 0;
    fw_counters sum = {};
    std::vector<fw_counters> of_cpu(static_cast<size_t>(libbpf_num_possible_cpus()));
    if (bpf_map_lookup_elem(bpf_map__fd(skeleton_->maps.fw_counts), &zero, of_cpu.data()) == 0) {
        for (const fw_counters& counters : of_cpu) {
            for (uint32_t i = 0; i < FW_COUNTER_COUNT; i++) {
                sum.value[i] += counters.value[i];
            }
        }
    }
    return sum;
}

}  // namespace syncline
