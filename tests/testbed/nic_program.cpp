// SPDX-License-Identifier: BSD-3-Clause
#include "nic_program.h"

#include <bpf/bpf.h>
#include <linux/if_link.h>
#include <net/if.h>

#include <vector>

#include "testbed/netns.h"

namespace syncline::testbed {
namespace {

bpf_insn instruction(int code, unsigned target, unsigned source, int16_t offset, int32_t value) {
    bpf_insn made{};
    made.code = static_cast<uint8_t>(code);
    made.dst_reg = target & 15u;
    made.src_reg = source & 15u;
    made.off = offset;
    made.imm = value;
    return made;
}

bpf_insn load(int size, unsigned target, unsigned base, int16_t offset) {
    return instruction(BPF_LDX | BPF_MEM | size, target, base, offset, 0);
}

bpf_insn store(int size, unsigned base, unsigned source, int16_t offset) {
    return instruction(BPF_STX | BPF_MEM | size, base, source, offset, 0);
}

std::vector<bpf_insn> exchange_macs() {
    constexpr int16_t body_instructions = 8;  // instructions after the length check
    return {
        load(BPF_W, 2, 1, 0),                                  // r2 = data
        load(BPF_W, 3, 1, 4),                                  // r3 = data_end
        instruction(BPF_ALU64 | BPF_MOV | BPF_X, 4, 2, 0, 0),  // r4 = r2 + 14
        instruction(BPF_ALU64 | BPF_ADD | BPF_K, 4, 0, 0, 14),
        instruction(BPF_JMP | BPF_JGT | BPF_X, 4, 3, body_instructions, 0),  // too short: leave it
        load(BPF_W, 5, 2, 0),
        load(BPF_H, 6, 2, 4),
        load(BPF_W, 7, 2, 6),
        load(BPF_H, 8, 2, 10),
        store(BPF_W, 2, 7, 0),
        store(BPF_H, 2, 8, 4),
        store(BPF_W, 2, 5, 6),
        store(BPF_H, 2, 6, 10),
    };
}

}  // namespace

UniqueFd load_nic_program(int action) {
    std::vector<bpf_insn> code;
    if (action == XDP_TX) {
        code = exchange_macs();
    }
    code.push_back(instruction(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, action));
    code.push_back(instruction(BPF_JMP | BPF_EXIT, 0, 0, 0, 0));
    LIBBPF_OPTS(bpf_prog_load_opts, options, .prog_flags = BPF_F_XDP_HAS_FRAGS);
    return UniqueFd(bpf_prog_load(BPF_PROG_TYPE_XDP, "test_nic", "GPL", code.data(), code.size(), &options));
}

UniqueFd attach_nic_program(const Node& node, int program) {
    const NetnsScope scope(node.netns.get());
    bpf_link_create_opts options{};
    options.sz = sizeof options;
    options.flags = XDP_FLAGS_DRV_MODE;
    const auto interface = static_cast<int>(::if_nametoindex(node.interface.c_str()));
    return UniqueFd(bpf_link_create(program, interface, BPF_XDP, &options));
}

}  // namespace syncline::testbed
