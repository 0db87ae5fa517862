// SPDX-License-Identifier: BSD-3-Clause
// The XDP program that this daemon has on an interface, for all its jobs there (firmware/dispatch.bpf.c). The first job
// attaches it, the last one takes it away; it hangs on a descriptor, so it also goes when the daemon is killed.
//
// An interface takes one program. Beside another daemon's, or anything else, none is attached, and a sentence says
// whose is there; only where libxdp's dispatcher is there, ours goes below it (libxdp_seat.h).
//
// Daemons of one job on one machine have the same program on their interfaces, if they share a NIC program: Linux waits
// for all CPUs, some 15 ms, whenever another XDP program comes or goes.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "firmware/dispatch.h"

struct dispatch_bpf;

namespace syncline {

class LibxdpSeat;

class XdpDispatcher {
  public:
    // This daemon's on that interface, attached now if it has none. `lent`: the parts of the one to attach then; none:
    // it loads one, which nodes of a job can share, if that is asked for. Throws Failure. One thread at a time makes
    // jobs; others may end some meanwhile.
    static std::shared_ptr<XdpDispatcher> on(const std::string& interface, std::span<const int> lent,
                                             bool for_nodes = false);
    // The index of the interface where jobs over `interface` have their program; 0: there is none.
    static unsigned index_of(const std::string& interface);
    // The dispatcher with these parts has a way for frames of the job on an interface with this index, which another
    // node in another network namespace may have, too.
    static bool leads_to(std::span<const UniqueFd> parts, unsigned index, uint32_t job);
    // Why on() would fail; "" if nothing is known.
    static std::string why_not_on(const std::string& interface);

    XdpDispatcher(const std::string& device, std::span<const int> lent, bool for_nodes);
    ~XdpDispatcher();
    XdpDispatcher(const XdpDispatcher&) = delete;
    XdpDispatcher& operator=(const XdpDispatcher&) = delete;

    // The job's frames go to its program, of which this holds no descriptor, and to that place there. Throws Failure.
    void add(uint32_t job, uint32_t udp_port, int program, uint32_t place);
    // `program_stays`: other nodes' frames still go to it.
    void remove(uint32_t job, uint32_t udp_port, bool program_stays);

    const std::string& device() const { return device_; }
    unsigned index() const { return index_; }
    // It is one of several programs there, and of a kind of its own.
    bool is_below_another() const { return seat_ != nullptr; }
    // Another daemon has loaded it, for one job, and has put the program into the first slot.
    bool is_lent() const { return lent_; }
    // It tells nodes of a job by their interfaces.
    bool is_for_nodes() const { return for_nodes_; }
    bool is_generic() const { return mode_ == "generic"; }
    // The descriptors that another daemon needs to attach it.
    std::vector<int> parts() const { return {program_.get(), programs_.get(), jobs_.get()}; }
    // "xdp native on eth0"; then what is wrong with the link right now.
    std::string description() const;
    // Why the link swallows the NIC's replies, right now; "" if it does not. The programs of all nodes tell.
    std::string obstacle() const;

  private:
    void load();
    void keep(const dispatch_bpf& skeleton);
    bool sit();
    void attach();
    int link_in(uint32_t mode);
    std::string refusal_in_driver(int error) const;
    void warn_of_generic_mode() const;
    uint32_t interface_in_keys() const { return for_nodes_ ? index_ : 0; }
    uint32_t free_slot() const;
    uint32_t add_program(int program);
    void remove_program(uint32_t slot);

    const std::string device_;
    const unsigned index_;
    std::string mode_;
    std::string refusal_;  // why the driver, which has XDP, took no program; "" if it did not refuse one
    const bool lent_;
    bool for_nodes_;
    // The tables of jobs are there as long as a daemon has the descriptors.
    UniqueFd program_, programs_, jobs_;
    UniqueFd link_;
    std::unique_ptr<LibxdpSeat> seat_;
    std::mutex jobs_guard_;  // of what add() and remove() write
    bool used_[FW_JOBS_MAX] = {};
};

}  // namespace syncline
