// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/targets/xdp_dispatcher.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>

#include "base/clock.h"
#include "base/failure.h"
#include "base/libbpf_words.h"
#include "base/os.h"
#include "base/unique_fd.h"
#include "daemon/addresses.h"
#include "daemon/targets/bpf_objects.h"
#include "daemon/targets/libxdp_seat.h"
#include "daemon/targets/program_name.h"
#include "dispatch.skel.h"
#include "job/links/attach_point.h"
#include "job/links/ethtool.h"
#include "job/links/veth.h"

namespace syncline {
namespace {

// The dispatchers of this process on an interface.
struct OnInterface {
    std::weak_ptr<XdpDispatcher> dispatcher;
    // The kernel's numbers of its programs that may be attached there: of the dispatcher that is running, of one that
    // another thread is attaching, and of those before, which the kernel takes off only after all CPUs have left them.
    std::set<uint32_t> programs;
};

// By interface index, because one process is in one network namespace. The thread that makes jobs writes it, and that
// of the offers to other jobs reads it.
struct Dispatchers {
    std::mutex guard;
    std::map<unsigned, OnInterface> all;
};

Dispatchers& dispatchers() {
    static Dispatchers dispatchers;
    return dispatchers;
}

std::shared_ptr<XdpDispatcher> running_on(unsigned index) {
    const std::lock_guard<std::mutex> guard(dispatchers().guard);
    const auto found = dispatchers().all.find(index);
    return found == dispatchers().all.end() ? nullptr : found->second.dispatcher.lock();
}

void announce(unsigned index, uint32_t program) {
    const std::lock_guard<std::mutex> guard(dispatchers().guard);
    dispatchers().all[index].programs.insert(program);
}

// The programs before are off by now.
void note_running(unsigned index, const std::shared_ptr<XdpDispatcher>& dispatcher) {
    const std::lock_guard<std::mutex> guard(dispatchers().guard);
    dispatchers().all[index] = {dispatcher, {dispatcher->program()}};
}

// Returns the number of the program on the interface, 0 if there is none.
uint32_t program_on(unsigned index) {
    uint32_t id = 0;
    return bpf_xdp_query_id(static_cast<int>(index), 0, &id) == 0 ? id : 0;
}

// Returns the number of a program on the interface that is not of this process; 0 if there is none. Nothing is
// announced or forgotten while it looks.
uint32_t foreign_program_on(unsigned index) {
    const std::lock_guard<std::mutex> guard(dispatchers().guard);
    const uint32_t program = program_on(index);
    const auto found = dispatchers().all.find(index);
    return found != dispatchers().all.end() && found->second.programs.contains(program) ? 0 : program;
}

// Returns a message that names the program in the way on the interface; "" if there is none.
std::string occupant_text(const std::string& device, unsigned index) {
    const uint32_t id = foreign_program_on(index);
    if (id == 0) {
        return "";
    }
    const std::string name = name_of_program(id);
    if (LibxdpSeat::is_for(index)) {
        const std::string reason = LibxdpSeat::why_not(index);
        return reason.empty() ? ""
                              : fmt::format(
                                    "interface '{}' already has XDP programs below libxdp's dispatcher, and {}; "
                                    "else use another interface, or --transport udp",
                                    device, reason);
    }
    if (is_our_program(name)) {
        return fmt::format(
            "interface '{}' already has the XDP program of another synclined: let that one run this job, use another "
            "interface, or use --transport udp",
            device);
    }
    return fmt::format(
        "interface '{}' already has the XDP program '{}' (number {}): detach it (`ip link set {} xdp off`), use "
        "another interface, or use --transport udp",
        device, name, id, device);
}

std::string mode_of(unsigned index) {
    LIBBPF_OPTS(bpf_xdp_query_opts, query);
    if (bpf_xdp_query(static_cast<int>(index), 0, &query) != 0) {
        return "generic";
    }
    return query.attach_mode == XDP_ATTACHED_HW    ? "offloaded"
           : query.attach_mode == XDP_ATTACHED_DRV ? "native"
                                                   : "generic";
}

}  // namespace

unsigned XdpDispatcher::index_of(const std::string& interface) {
    return ::if_nametoindex(attach_point_of(interface).c_str());
}

std::shared_ptr<XdpDispatcher> XdpDispatcher::on(const std::string& interface, std::span<const int> lent,
                                                 bool for_nodes) {
    const std::string device = attach_point_of(interface);
    const unsigned index = ::if_nametoindex(device.c_str());
    std::shared_ptr<XdpDispatcher> found = running_on(index);
    if (!found) {
        found = std::make_shared<XdpDispatcher>(device, lent, for_nodes);
        note_running(index, found);
    }
    return found;
}

bool XdpDispatcher::leads_to(std::span<const UniqueFd> parts, unsigned index, uint32_t job) {
    const uint64_t number = fw_key_of_job(index, job);
    fw_way way = {};
    return bpf_map_lookup_elem(parts[2].get(), &number, &way) == 0;
}

std::string XdpDispatcher::why_not_on(const std::string& interface) {
    const std::string device = attach_point_of(interface);
    const unsigned index = ::if_nametoindex(device.c_str());
    if (index == 0) {
        return fmt::format("there is no network interface '{}'", device);
    }
    return running_on(index) ? "" : occupant_text(device, index);
}

XdpDispatcher::~XdpDispatcher() = default;

XdpDispatcher::XdpDispatcher(const std::string& device, std::span<const int> lent, bool for_nodes)
    : device_(device),
      index_(::if_nametoindex(device.c_str())),
      lent_(!lent.empty()),
      for_nodes_(for_nodes || !lent.empty()) {
    if (index_ == 0) {
        fail(SYNCLINE_ERR_NOT_FOUND, "there is no network interface '{}'; `syncline info` lists them", device);
    }
    if (lent_) {
        program_ = copy_of(lent[0]);
        programs_ = copy_of(lent[1]);
        jobs_ = copy_of(lent[2]);
        attach();
    } else if (!sit()) {
        load();
        attach();
    }
    mode_ = mode_of(index_);
    if (mode_ == "generic") {
        warn_of_generic_mode();
    }
}

void XdpDispatcher::warn_of_generic_mode() const {
    const std::string driver = Ethtool(device_).driver();
    spdlog::warn(
        "{} runs XDP programs in generic mode only, because its driver{} {}: the kernel first makes a packet of "
        "each frame, which is slower",
        device_, driver.empty() ? "" : fmt::format(", {},", driver),
        refusal_.empty() ? "has no XDP of its own" : "refuses them, " + refusal_);
}

uint32_t XdpDispatcher::program() const {
    return number_of_program(program_.get());
}

void XdpDispatcher::load() {
    const std::unique_ptr<dispatch_bpf, void (*)(dispatch_bpf*)> skeleton(dispatch_bpf__open(), dispatch_bpf__destroy);
    if (skeleton != nullptr) {
        const_cast<uint32_t&>(skeleton->rodata->fw_tells_nodes) = for_nodes_ ? 1 : 0;
    }
    if (skeleton == nullptr || bpf_map__reuse_fd(skeleton->maps.fw_handed, handed_place()) != 0 ||
        dispatch_bpf__load(skeleton.get()) != 0) {
        const int error = why_not_loaded();
        fail(error == EPERM ? SYNCLINE_ERR_PERMISSION : SYNCLINE_ERR_UNSUPPORTED,
             "the kernel refused the dispatcher of NIC programs ({}): XDP needs {}; without that use --transport udp",
             std::strerror(error),
             error == EMFILE ? "a higher limit of open files (ulimit -n)"
                             : "CAP_BPF and CAP_NET_ADMIN, and Linux 6.1 or newer");
    }
    keep(*skeleton);
}

void XdpDispatcher::keep(const dispatch_bpf& skeleton) {
    program_ = copy_of(bpf_program__fd(skeleton.progs.syncline_dispatch));
    programs_ = copy_of(bpf_map__fd(skeleton.maps.fw_programs));
    jobs_ = copy_of(bpf_map__fd(skeleton.maps.fw_jobs));
}

// Attaches below libxdp's dispatcher, if that is there, even if only programs of killed daemons are. Returns false if
// it is not.
bool XdpDispatcher::sit() {
    if (!LibxdpSeat::is_for(index_)) {
        return false;
    }
    if (const std::string occupant = occupant_text(device_, index_); !occupant.empty()) {
        fail(SYNCLINE_ERR_BUSY, "{}", occupant);
    }
    LibxdpSeat::clear(index_);
    if (!LibxdpSeat::is_for(index_)) {
        return false;
    }
    for_nodes_ = false;
    seat_ = std::make_unique<LibxdpSeat>(index_);
    keep(seat_->skeleton());
    return true;
}

int XdpDispatcher::link_in(uint32_t mode) {
    LIBBPF_OPTS(bpf_link_create_opts, options, .flags = mode);
    link_.reset(bpf_link_create(program_.get(), static_cast<int>(index_), BPF_XDP, &options));
    return link_ ? 0 : errno;
}

// Returns "at MTU 9000 (Invalid argument: ...)". Attaching by a link reports the number alone; over netlink, many
// drivers report the reason.
std::string XdpDispatcher::refusal_in_driver(int error) const {
    std::string why = std::strerror(error);
    std::string sentence;
    kernels_sentence = &sentence;
    if (bpf_xdp_attach(static_cast<int>(index_), program_.get(), XDP_FLAGS_DRV_MODE | XDP_FLAGS_UPDATE_IF_NOEXIST,
                       nullptr) == 0) {
        (void)bpf_xdp_detach(static_cast<int>(index_), XDP_FLAGS_DRV_MODE, nullptr);
    }
    kernels_sentence = nullptr;
    why += sentence.empty() ? "; the kernel's log may say why" : ": " + sentence;
    return fmt::format("at MTU {} ({})", mtu_of(device_), why);
}

// A driver may support XDP, but not for this MTU, these queues or these offloads: then generic mode is left.
void XdpDispatcher::attach() {
    announce(index_, program());
    int error = link_in(0);
    // The end of the dispatcher before, in another thread, may be under way.
    for (int turn = 0; error == EBUSY && foreign_program_on(index_) == 0 && turn < 500; turn++) {
        (void)sleep_on({}, 2 * ns_per_ms);
        error = link_in(0);
    }
    if (error == 0) {
        return;
    }
    if (const std::string occupant = occupant_text(device_, index_); !occupant.empty()) {
        fail(SYNCLINE_ERR_BUSY, "{}", occupant);
    }
    if (error != EPERM) {
        refusal_ = refusal_in_driver(error);
    }
    if (error == EPERM || link_in(XDP_FLAGS_SKB_MODE) != 0) {
        errno = error;
        fail_errno(SYNCLINE_ERR_UNSUPPORTED, "interface '{}' takes no XDP program; use --transport udp", device_);
    }
}

uint32_t XdpDispatcher::free_slot() const {
    const auto* const found = std::find(std::begin(used_), std::end(used_), false);
    if (found == std::end(used_)) {
        fail(SYNCLINE_ERR_BUSY, "interface '{}' has {} jobs over xdp, as many as it takes; use --transport udp",
             device_, +FW_JOBS_MAX);
    }
    return static_cast<uint32_t>(found - std::begin(used_));
}

uint32_t XdpDispatcher::add_program(int program) {
    const uint32_t slot = free_slot();
    if (!lent_ && bpf_map_update_elem(programs_.get(), &slot, &program, BPF_ANY) != 0) {
        fail_errno(SYNCLINE_ERR_UNSUPPORTED, "the kernel refuses a tail call into the NIC program");
    }
    used_[slot] = true;
    return slot;
}

void XdpDispatcher::remove_program(uint32_t slot) {
    if (!lent_) {
        (void)bpf_map_delete_elem(programs_.get(), &slot);
    }
    used_[slot] = false;
}

// Puts the program into its slot before a frame can find the way to it.
void XdpDispatcher::add(uint32_t job, uint32_t udp_port, int program, uint32_t place) {
    const std::lock_guard<std::mutex> guard(jobs_guard_);
    const uint64_t number = fw_key_of_job(interface_in_keys(), job);
    const uint64_t port = fw_key_of_port(interface_in_keys(), udp_port);
    const fw_way way = {.program = add_program(program), .place = place};
    if (bpf_map_update_elem(jobs_.get(), &port, &way, BPF_NOEXIST) != 0) {
        remove_program(way.program);
        fail(SYNCLINE_ERR_BUSY, "another job over interface '{}' has UDP port {}; choose another with --udp-port",
             device_, udp_port);
    }
    if (bpf_map_update_elem(jobs_.get(), &number, &way, BPF_NOEXIST) != 0) {
        const int error = errno;
        (void)bpf_map_delete_elem(jobs_.get(), &port);
        remove_program(way.program);
        errno = error;
        fail_errno(SYNCLINE_ERR_BUSY, "interface '{}' cannot take job {:08x}", device_, job);
    }
}

void XdpDispatcher::remove(uint32_t job, uint32_t udp_port, bool program_stays) {
    const std::lock_guard<std::mutex> guard(jobs_guard_);
    const uint64_t number = fw_key_of_job(interface_in_keys(), job);
    const uint64_t port = fw_key_of_port(interface_in_keys(), udp_port);
    fw_way way = {};
    if (bpf_map_lookup_elem(jobs_.get(), &number, &way) == 0) {
        (void)bpf_map_delete_elem(jobs_.get(), &number);
        (void)bpf_map_delete_elem(jobs_.get(), &port);
        if (!program_stays) {
            remove_program(way.program);
        }
    }
}

std::string XdpDispatcher::description() const {
    const std::string here = fmt::format("xdp {} on {}{}", mode_, device_, seat_ ? ", below libxdp's dispatcher" : "");
    const std::string wrong = obstacle();
    return wrong.empty() ? here : here + "; " + wrong;
}

// Checked each time, because programs at the other end of the link come and go. In generic mode replies take the usual
// way.
std::string XdpDispatcher::obstacle() const {
    return mode_ == "native" && veth_swallows_answers(device_) ? swallowed_answers_text(device_) : "";
}

}  // namespace syncline
