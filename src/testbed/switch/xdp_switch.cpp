// SPDX-License-Identifier: BSD-3-Clause
#include "testbed/switch/xdp_switch.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "base/failure.h"
#include "base/libbpf_words.h"
#include "switch.skel.h"
#include "testbed/switch/switch_shared.h"

namespace syncline::testbed {
namespace {

struct SwitchDeleter {
    void operator()(switch_bpf* skeleton) const { switch_bpf__destroy(skeleton); }
};
using Skeleton = std::unique_ptr<switch_bpf, SwitchDeleter>;

UniqueFd duplicate(const bpf_map* map) {
    UniqueFd fd(::fcntl(bpf_map__fd(map), F_DUPFD_CLOEXEC, 0));
    if (!fd) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "keeping the map {} failed", bpf_map__name(map));
    }
    return fd;
}

void store_link(int links_fd, uint32_t port, const switch_link& link) {
    if (bpf_map_update_elem(links_fd, &port, &link, BPF_ANY) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "entering port {} in the switch's table of links failed", port);
    }
}

Skeleton load() {
    silence_libbpf();
    Skeleton skeleton(switch_bpf__open_and_load());
    if (!skeleton) {
        const int status = why_not_loaded() == EPERM ? SYNCLINE_ERR_PERMISSION : SYNCLINE_ERR_UNSUPPORTED;
        fail_errno(status, "loading the switch's programs failed{}",
                   needs_unless_limited(errno, "they need Linux 6.1 or newer with CONFIG_BPF_SYSCALL and CAP_BPF"));
    }
    return skeleton;
}

uint64_t scaled(double rate) {
    return static_cast<uint64_t>(std::llround(rate * static_cast<double>(SWITCH_RATE_ONE)));
}

double unscaled(uint64_t rate) {
    return std::round(static_cast<double>(rate) / static_cast<double>(SWITCH_RATE_ONE) * 1e9) / 1e9;
}

// Returns the map with that name, among those that a program uses.
UniqueFd find_map(const std::vector<uint32_t>& ids, const std::string& name, uint32_t value_bytes) {
    for (const uint32_t id : ids) {
        UniqueFd fd(bpf_map_get_fd_by_id(id));
        bpf_map_info info{};
        uint32_t bytes = sizeof info;
        if (fd && bpf_obj_get_info_by_fd(fd.get(), &info, &bytes) == 0 && name == info.name &&
            info.value_size == value_bytes) {
            return fd;
        }
    }
    fail(SYNCLINE_ERR_INVALID,
         "the program on the switch has no map {} of {} bytes, so another version of Syncline made it: "
         "remove the "
         "test bed and make it again",
         name, value_bytes);
}

std::vector<uint32_t> maps_of_program(uint32_t id) {
    const UniqueFd program(bpf_prog_get_fd_by_id(id));
    std::vector<uint32_t> ids(64);
    bpf_prog_info info{};
    info.nr_map_ids = static_cast<uint32_t>(ids.size());
    info.map_ids = reinterpret_cast<uintptr_t>(ids.data());
    uint32_t bytes = sizeof info;
    if (!program || bpf_obj_get_info_by_fd(program.get(), &info, &bytes) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "asking for the maps of the XDP program {} failed", id);
    }
    ids.resize(std::min<size_t>(ids.size(), info.nr_map_ids));
    return ids;
}

}  // namespace

XdpSwitch::XdpSwitch(UniqueFd control, UniqueFd counts) : counts_(std::move(counts)) {
    void* memory = ::mmap(nullptr, sizeof(switch_control), PROT_READ | PROT_WRITE, MAP_SHARED, control.get(), 0);
    if (memory == MAP_FAILED) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "mapping the switch's control words failed");
    }
    control_ = static_cast<switch_control*>(memory);
}

XdpSwitch::~XdpSwitch() {
    ::munmap(control_, sizeof(switch_control));
}

std::unique_ptr<XdpSwitch> XdpSwitch::attach(const std::vector<uint32_t>& ports, const std::vector<Node>& nodes,
                                             Attachment attachment) {
    const Skeleton skeleton = load();
    for (uint32_t port = 0; port < ports.size(); port++) {
        store_link(bpf_map__fd(skeleton->maps.switch_links), port,
                   {.interface = ports[port], .length_max = static_cast<uint32_t>(nodes[port].mtu) + ETH_HLEN});
    }
    std::unique_ptr<XdpSwitch> made(
        new XdpSwitch(duplicate(skeleton->maps.switch_control), duplicate(skeleton->maps.switch_counts)));
    attach_filter(bpf_program__fd(skeleton->progs.switch_skb), ports);  // first, because XDP passes frames up to it
    made->links_ = attach_program(bpf_program__fd(skeleton->progs.switch_forward), ports, attachment);
    return made;
}

std::unique_ptr<XdpSwitch> XdpSwitch::open(uint32_t port) {
    const std::vector<uint32_t> ids = maps_of_program(program_on(port));
    return std::unique_ptr<XdpSwitch>(new XdpSwitch(find_map(ids, "switch_control", sizeof(switch_control)),
                                                    find_map(ids, "switch_counts", sizeof(switch_counts))));
}

// Publishes a run as switch_shared.h says: fills an entry that no program uses, then stores its index with release.
void XdpSwitch::set_faults(const Faults& faults) {
    if (!faults.any()) {
        __atomic_store_n(&control_->active, 0, __ATOMIC_RELEASE);
        return;
    }
    const uint64_t generation = 1 + __atomic_fetch_add(&control_->started, 1, __ATOMIC_RELAXED);
    const uint64_t index = 1 + generation % (SWITCH_RUNS - 1);
    control_->runs[index] = {.generation = generation,
                             .seed = faults.seed,
                             .frames = 0,
                             .loss = scaled(faults.loss),
                             .corrupt = scaled(faults.corrupt),
                             .duplicate = scaled(faults.duplicate),
                             .reorder = scaled(faults.reorder),
                             .reserved = 0};
    __atomic_store_n(&control_->active, index, __ATOMIC_RELEASE);
}

Faults XdpSwitch::faults() const {
    const uint64_t index = __atomic_load_n(&control_->active, __ATOMIC_ACQUIRE);
    if (index == 0 || index >= SWITCH_RUNS) {
        return {};
    }
    const switch_run& run = control_->runs[index];
    return {.loss = unscaled(run.loss),
            .duplicate = unscaled(run.duplicate),
            .reorder = unscaled(run.reorder),
            .corrupt = unscaled(run.corrupt),
            .seed = run.seed};
}

Counters XdpSwitch::counters() const {
    Counters sum;
    const uint32_t zero = 0;
    std::vector<switch_counts> cpus(static_cast<size_t>(libbpf_num_possible_cpus()));
    if (bpf_map_lookup_elem(counts_.get(), &zero, cpus.data()) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "reading the switch's counters failed");
    }
    for (const switch_counts& cpu : cpus) {
        sum.forwarded += cpu.forwarded;
        sum.flooded += cpu.flooded;
        sum.lost += cpu.lost;
        sum.duplicated += cpu.duplicated;
        sum.reordered += cpu.reordered;
        sum.corrupted += cpu.corrupted;
        sum.unknown += cpu.unknown;
        sum.too_long += cpu.too_long;
        sum.held += cpu.held;
    }
    return sum;
}

}  // namespace syncline::testbed
