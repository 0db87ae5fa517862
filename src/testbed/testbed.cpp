// SPDX-License-Identifier: BSD-3-Clause
#include "testbed/testbed.h"

#include "base/failure.h"
#include "base/interruption.h"
#include "testbed/checks.h"
#include "testbed/named.h"
#include "testbed/netlink/link_requests.h"
#include "testbed/netlink/links.h"
#include "testbed/netns.h"
#include "testbed/switch/port_programs.h"
#include "testbed/switch/xdp_switch.h"

namespace syncline::testbed {
namespace {

Node plan_node(int index, int mtu) {
    const auto number = static_cast<unsigned>(index) + 1;
    Node node;
    node.interface = "eth0";
    node.mtu = mtu;
    node.address4 = fmt::format("10.83.0.{}", number);
    node.address6 = fmt::format("fd53:4c::{:x}", number);
    node.mac = {0x02, 0x53, 0x4c, 0x00, static_cast<uint8_t>(number >> 8), static_cast<uint8_t>(number)};
    return node;
}

// Called in the switch namespace.
std::vector<uint32_t> port_indices(size_t ports) {
    std::vector<uint32_t> indices;
    for (size_t port = 0; port < ports; port++) {
        indices.push_back(index_of(port_name(port)));
    }
    return indices;
}

}  // namespace

const char* switch_kind_name(SwitchKind kind) {
    return kind == SwitchKind::kXdp ? "xdp" : "bridge";
}

SwitchKind parse_switch_kind(const std::string& name) {
    return name == "bridge" ? SwitchKind::kBridge : SwitchKind::kXdp;
}

Testbed::Testbed(const Options& options) : options_(options) {
    for (int index = 0; index < options.nodes; index++) {
        nodes_.push_back(plan_node(index, options.mtus[static_cast<size_t>(index) % options.mtus.size()]));
    }
}

Testbed::Testbed(Testbed&& other) noexcept = default;
Testbed& Testbed::operator=(Testbed&& other) noexcept = default;
Testbed::~Testbed() = default;

void Testbed::make_namespaces() {
    const bool named = !options_.name.empty();
    switch_netns_ = create_netns();
    if (named) {
        name_netns(switch_netns_.get(), switch_netns_name(options_.name));
    }
    for (int index = 0; index < options_.nodes; index++) {
        check_interruption();
        Node& node = nodes_[static_cast<size_t>(index)];
        node.netns = create_netns();
        if (named) {
            name_netns(node.netns.get(), node_netns_name(options_.name, index));
        }
    }
}

// The order matters. A veth end passes frames at once if it is set up after its peer, but only once the kernel's link
// watch has noticed if it is set up before: so the ports come first. And TSO can no longer be switched off on a node's
// end once the port at its other end has an XDP program: so the nodes come before the program.
void Testbed::make_links() {
    {
        const NetnsScope scope(switch_netns_.get());
        make_pairs(nodes_);
        start_ports(nodes_.size());
    }
    for (size_t self = 0; self < nodes_.size(); self++) {
        check_interruption();
        const NetnsScope scope(nodes_[self].netns.get());
        start_node(nodes_, self);
    }
    for (const Node& node : nodes_) {
        check_interruption();
        const NetnsScope scope(node.netns.get());
        await_node(node);
    }
    const NetnsScope scope(switch_netns_.get());
    const std::vector<uint32_t> ports = port_indices(nodes_.size());
    const Attachment attachment = options_.name.empty() ? Attachment::kHeld : Attachment::kLasting;
    if (options_.kind == SwitchKind::kBridge) {
        if (options_.mtus.size() > 1) {
            forbid_fragments();
        }
        make_bridge(nodes_.size());
        port_programs_ = attach_bridge_program(ports, attachment);
        return;
    }
    xdp_ = XdpSwitch::attach(ports, nodes_, attachment);
    xdp_->set_faults(options_.faults);
}

Testbed Testbed::create(const Options& options) {
    check_options(options);
    check_privilege();
    Testbed made(options);
    if (options.name.empty()) {
        made.make_namespaces();
        made.make_links();
        return made;
    }
    const DeferredSignals deferred;
    claim_name(options.name);
    try {
        made.make_namespaces();
        made.make_links();
        write_state(options);
        check_interruption();
    } catch (...) {
        made = Testbed(Options{.nodes = 0});  // removing needs descriptors, and their lack may be the failure
        try {
            remove_named(options.name);
        } catch (const Failure&) {
            // The first failure says more; `testbed down` removes the rest.
        }
        throw;
    }
    return made;
}

Testbed Testbed::open(const std::string& name) {
    check_name(name);
    check_privilege();
    Testbed opened(read_state(name));
    opened.switch_netns_ = open_named_netns(switch_netns_name(name));
    for (int index = 0; index < opened.options_.nodes; index++) {
        opened.nodes_[static_cast<size_t>(index)].netns = open_named_netns(node_netns_name(name, index));
    }
    const NetnsScope scope(opened.switch_netns_.get());
    for (const uint32_t port : port_indices(opened.nodes_.size())) {
        program_on(port);  // without one no NIC program behind it can answer
    }
    if (opened.options_.kind == SwitchKind::kXdp) {
        opened.xdp_ = XdpSwitch::open(index_of(port_name(0)));
        opened.options_.faults = opened.xdp_->faults();
    }
    return opened;
}

Options Testbed::outline(const std::string& name) {
    check_name(name);
    Options options = read_state(name);
    check_namespaces(options);
    return options;
}

void Testbed::destroy(const std::string& name) {
    check_name(name);
    check_privilege();
    if (!remove_named(name)) {
        fail(SYNCLINE_ERR_NOT_FOUND, "there is no test bed named '{}': `syncline testbed status` shows those there are",
             name);
    }
}

std::string Testbed::why_impossible() {
    try {
        create({.nodes = 1});
        return "";
    } catch (const Failure& failure) {
        return failure.what();
    }
}

std::vector<std::string> Testbed::list() {
    return list_named();
}

void Testbed::set_faults(const Faults& faults) {
    check_faults(faults, options_.kind);
    if (xdp_) {
        xdp_->set_faults(faults);
    }
    options_.faults = faults;
}

Counters Testbed::counters() const {
    if (xdp_) {
        return xdp_->counters();
    }
    const NetnsScope scope(switch_netns_.get());
    Counters counters;
    counters.forwarded = received_by_ports();
    return counters;
}

}  // namespace syncline::testbed
