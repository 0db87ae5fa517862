// SPDX-License-Identifier: BSD-3-Clause
// The names of XDP programs, by which a daemon recognises another daemon's program, and the numbers that the kernel
// gives them.
#pragma once

#include <bpf/bpf.h>

#include <cstdint>
#include <string>

#include "base/unique_fd.h"

namespace syncline {

// Returns 0 if the kernel does not say it.
inline uint32_t number_of_program(int program) {
    bpf_prog_info info = {};
    uint32_t length = sizeof(info);
    return bpf_obj_get_info_by_fd(program, &info, &length) == 0 ? info.id : 0;
}

// Returns "" without CAP_SYS_ADMIN.
inline std::string name_of_program(uint32_t id) {
    const UniqueFd program(bpf_prog_get_fd_by_id(id));
    bpf_prog_info info = {};
    uint32_t length = sizeof(info);
    return program && bpf_obj_get_info_by_fd(program.get(), &info, &length) == 0 ? info.name : "";
}

// Returns whether it is a dispatcher of NIC programs. The kernel cuts names of programs short.
inline bool is_our_program(const std::string& name) {
    return !name.empty() && std::string("syncline_dispatch").starts_with(name);
}

}  // namespace syncline
