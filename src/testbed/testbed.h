// SPDX-License-Identifier: BSD-3-Clause
// A test bed: N nodes on one machine, each a network namespace with one interface, joined by a switch that can lose,
// duplicate, reorder and corrupt frames from a seed.
//
// Anonymous test beds live in file descriptors only: when the owner ends, even by SIGKILL, the kernel removes the
// namespaces, links and programs. Named test beds live under /run/netns (where `ip netns` sees them) and
// /run/syncline/testbed/<name> until destroy(); no process stays behind for them.
//
// Everything here needs CAP_NET_ADMIN, CAP_SYS_ADMIN and CAP_BPF, and throws Failure with one message. One thread at a
// time may use a Testbed. No function except enter_netns() leaves the calling thread in another network namespace.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace syncline::testbed {

// kXdp: an XDP program that redirects between the links, with a tc program behind it; only this kind has faults.
// kBridge: the Linux bridge, whose ports run a program that passes everything, because a veth answers by XDP only to an
// end that has a program.
enum class SwitchKind { kXdp, kBridge };

const char* switch_kind_name(SwitchKind kind);          // "xdp", "bridge"
SwitchKind parse_switch_kind(const std::string& name);  // one of these

// Faults of the switch on unicast frames, each a probability from 0 to 1. A seed and an order of frames always give the
// same faults. The switch never touches broadcast and multicast frames.
struct Faults {
    double loss = 0;
    double duplicate = 0;
    double reorder = 0;  // held back until a later reordered frame takes its place
    double corrupt = 0;  // one to three bits after the Ethernet header
    uint64_t seed = 1;

    bool any() const { return loss > 0 || duplicate > 0 || reorder > 0 || corrupt > 0; }
};

constexpr int nodes_max = 250;  // the last byte of 10.83.0.x, below the broadcast address
constexpr int mtu_min = 1280;   // carries a job's packet, which is never reassembled from fragments
constexpr int mtu_max = 9000;

struct Options {
    int nodes = 2;  // 1 to nodes_max
    SwitchKind kind = SwitchKind::kXdp;
    Faults faults = {};
    std::vector<int> mtus = {1500};  // of the nodes' links, in turn; mtu_min to mtu_max each
    std::string name = {};           // empty: anonymous
};

// Reads "9000" or "9000,1500". Throws Failure.
std::vector<int> parse_mtus(const std::string& text);

struct Node {
    UniqueFd netns;
    std::string interface;       // "eth0", inside the node's namespace
    int mtu = 0;                 // of both ends of its link: the switch drops a frame that is too long for it
    std::string address4;        // 10.83.0.<i + 1>, /24
    std::string address6;        // fd53:4c::<i + 1 in hex>, /64
    std::array<uint8_t, 6> mac;  // 02:53:4c:00:<i + 1 over two bytes>
};

// Frames the switch has handled since it was made. Through an XDP switch, the unicast frames that came in are
// forwarded + lost + held + unknown + too_long. A bridge counts in `forwarded` every frame that came in, and no more.
struct Counters {
    uint64_t forwarded = 0;   // unicast frames sent on, a duplicated one counted once
    uint64_t flooded = 0;     // broadcast and multicast frames
    uint64_t lost = 0;        // by the loss rate, or still held when their fault run had ended
    uint64_t duplicated = 0;  // extra copies sent
    uint64_t reordered = 0;   // frames held back
    uint64_t corrupted = 0;   // counted even when the frame is held, or lost after that
    uint64_t held = 0;        // reordered frames that the switch holds now: about 8
    uint64_t unknown = 0;     // for a MAC no node has; dropped
    uint64_t too_long = 0;    // for the MTU of the destination's link; dropped
};

class XdpSwitch;

class Testbed {
  public:
    // Makes a test bed, or throws and leaves nothing behind.
    static Testbed create(const Options& options);
    // Opens an existing named test bed.
    static Testbed open(const std::string& name);
    // Returns a named test bed as a user without privilege sees it, without its faults. Throws Failure if it is
    // damaged.
    static Options outline(const std::string& name);
    // Removes a named test bed, or its remains.
    static void destroy(const std::string& name);
    // Returns why this process can make none, after an attempt; empty if it can.
    static std::string why_impossible();
    // Returns the names of all named test beds, half-made or half-removed ones included, sorted.
    static std::vector<std::string> list();

    Testbed(Testbed&& other) noexcept;
    Testbed& operator=(Testbed&& other) noexcept;
    ~Testbed();  // frees an anonymous test bed; a named one stays

    const std::vector<Node>& nodes() const { return nodes_; }
    // For an opened test bed `faults` are those that run now, rounded to nine decimal places.
    const Options& options() const { return options_; }
    int switch_netns() const { return switch_netns_.get(); }

    // Starts a new fault run, at once, on the live switch: its frame numbers start at 0, and frames that the previous
    // run held back are lost. For a named test bed any process may do this.
    void set_faults(const Faults& faults);
    Counters counters() const;

  private:
    explicit Testbed(const Options& options);
    void make_namespaces();
    void make_links();

    Options options_;
    std::vector<Node> nodes_;
    UniqueFd switch_netns_;
    std::unique_ptr<XdpSwitch> xdp_;       // none for a bridge
    std::vector<UniqueFd> port_programs_;  // links that hold the programs on an anonymous bridge's ports
};

// Puts the calling thread into a network namespace for good.
void enter_netns(int netns_fd);

// Runs a command to its end inside a network namespace, found through PATH. Its standard output is the caller's; its
// standard error becomes part of the Failure if it does not exit with 0.
void run_in_netns(int netns_fd, const std::vector<std::string>& argv);

}  // namespace syncline::testbed
