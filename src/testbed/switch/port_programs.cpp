// SPDX-License-Identifier: BSD-3-Clause
#include "testbed/switch/port_programs.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>

#include <cerrno>
#include <memory>

#include "base/failure.h"
#include "base/libbpf_words.h"
#include "bridge_port.skel.h"

namespace syncline::testbed {
namespace {

struct BridgePortDeleter {
    void operator()(bridge_port_bpf* skeleton) const { bridge_port_bpf__destroy(skeleton); }
};

UniqueFd hold(int program_fd, uint32_t port) {
    bpf_link_create_opts options{};
    options.sz = sizeof options;
    options.flags = XDP_FLAGS_DRV_MODE;
    UniqueFd link(bpf_link_create(program_fd, static_cast<int>(port), BPF_XDP, &options));
    if (!link) {
        fail_errno(SYNCLINE_ERR_SYSTEM,
                   "attaching the switch's XDP program to interface {} failed (each port takes a descriptor)", port);
    }
    return link;
}

}  // namespace

std::vector<UniqueFd> attach_program(int program_fd, const std::vector<uint32_t>& ports, Attachment attachment) {
    std::vector<UniqueFd> links;
    for (const uint32_t port : ports) {
        if (attachment == Attachment::kHeld) {
            links.push_back(hold(program_fd, port));
        } else if (bpf_xdp_attach(static_cast<int>(port), program_fd, XDP_FLAGS_DRV_MODE, nullptr) != 0) {
            fail_errno(SYNCLINE_ERR_SYSTEM, "attaching the switch's XDP program to interface {} failed", port);
        }
    }
    return links;
}

std::vector<UniqueFd> attach_bridge_program(const std::vector<uint32_t>& ports, Attachment attachment) {
    silence_libbpf();
    const std::unique_ptr<bridge_port_bpf, BridgePortDeleter> skeleton(bridge_port_bpf__open_and_load());
    if (!skeleton) {
        const int status = why_not_loaded() == EPERM ? SYNCLINE_ERR_PERMISSION : SYNCLINE_ERR_UNSUPPORTED;
        fail_errno(status, "loading the XDP program of the bridge's ports failed{}",
                   needs_unless_limited(errno, "it needs Linux 6.1 or newer with CONFIG_BPF_SYSCALL and CAP_BPF"));
    }
    return attach_program(bpf_program__fd(skeleton->progs.switch_pass), ports, attachment);
}

void attach_filter(int program_fd, const std::vector<uint32_t>& ports) {
    for (const uint32_t port : ports) {
        LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = static_cast<int>(port), .attach_point = BPF_TC_INGRESS);
        LIBBPF_OPTS(bpf_tc_opts, filter, .prog_fd = program_fd);
        if (bpf_tc_hook_create(&hook) != 0 || bpf_tc_attach(&hook, &filter) != 0) {
            fail_errno(SYNCLINE_ERR_UNSUPPORTED, "attaching the switch's tc program to interface {} failed{}", port,
                       needs_unless_limited(errno, "the kernel needs CONFIG_NET_SCH_INGRESS and CONFIG_NET_CLS_BPF"));
        }
    }
}

uint32_t program_on(uint32_t port) {
    uint32_t id = 0;
    if (bpf_xdp_query_id(static_cast<int>(port), XDP_FLAGS_DRV_MODE, &id) != 0 || id == 0) {
        fail(SYNCLINE_ERR_NOT_FOUND,
             "interface {} of the switch has no XDP program: remove the test bed and make it again", port);
    }
    return id;
}

}  // namespace syncline::testbed
