// SPDX-License-Identifier: BSD-3-Clause
// The XDP program that this daemon has on an interface, for all its jobs there (firmware/dispatch.bpf.c). The first job
// attaches it, and the last one detaches it. A descriptor holds it, so it also goes when the daemon is killed.
//
// An interface takes one program. If another daemon's program is there, or any other, none is attached, and an error
// message names it. Only below libxdp's dispatcher is the daemon's program attached as well (libxdp_seat.h).
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
    // Returns this daemon's dispatcher on that interface, and attaches one if there is none: the one with the parts
    // `lent`, if any, or else one that it loads; with `for_nodes`, nodes of a job can share it. Throws Failure. One
    // thread at a time makes jobs; others may end some meanwhile.
    static std::shared_ptr<XdpDispatcher> on(const std::string& interface, std::span<const int> lent,
                                             bool for_nodes = false);
    // Returns the index of the interface where jobs over `interface` have their program; 0: there is none.
    static unsigned index_of(const std::string& interface);
    // Returns whether the dispatcher with these parts has a way for the job's frames on an interface with this index,
    // which another node in another network namespace may have, too.
    static bool leads_to(std::span<const UniqueFd> parts, unsigned index, uint32_t job);
    // Returns why on() would fail; "" if no reason is known.
    static std::string why_not_on(const std::string& interface);

    XdpDispatcher(const std::string& device, std::span<const int> lent, bool for_nodes);
    ~XdpDispatcher();
    XdpDispatcher(const XdpDispatcher&) = delete;
    XdpDispatcher& operator=(const XdpDispatcher&) = delete;

    // Leads the job's frames to its program, of which this object holds no descriptor, and to that place there. Throws
    // Failure.
    void add(uint32_t job, uint32_t udp_port, int program, uint32_t place);
    // `program_stays`: other nodes' frames still go to the program.
    void remove(uint32_t job, uint32_t udp_port, bool program_stays);

    const std::string& device() const { return device_; }
    unsigned index() const { return index_; }
    // Returns whether it is one of several programs on the interface, which makes it a program of another kind.
    bool is_below_another() const { return seat_ != nullptr; }
    // Returns whether another daemon has loaded it, for one job, and has put the program into the first slot.
    bool is_lent() const { return lent_; }
    // Returns whether it tells nodes of a job apart by their interfaces.
    bool is_for_nodes() const { return for_nodes_; }
    // Returns the kernel's number of its program.
    uint32_t program() const;
    bool is_generic() const { return mode_ == "generic"; }
    // Returns the descriptors that another daemon needs to attach it.
    std::vector<int> parts() const { return {program_.get(), programs_.get(), jobs_.get()}; }
    // Returns "xdp native on eth0" and then the present fault of the link, if any.
    std::string description() const;
    // Returns why the link swallows the NIC's replies at present; "" if it does not. It takes the programs of all nodes
    // to tell.
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
    std::string refusal_;  // why the driver, which supports XDP, refused the program; "" if it did not
    const bool lent_;
    bool for_nodes_;
    // The tables of jobs exist as long as a daemon has the descriptors.
    UniqueFd program_, programs_, jobs_;
    UniqueFd link_;
    std::unique_ptr<LibxdpSeat> seat_;
    std::mutex jobs_guard_;  // guards the data that add() and remove() write
    bool used_[FW_JOBS_MAX] = {};
};

}  // namespace syncline
