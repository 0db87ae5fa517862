// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/targets/libxdp_seat.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <linux/bpf.h>
#include <spdlog/spdlog.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/failure.h"
#include "base/loaded_library.h"
#include "daemon/targets/bpf_objects.h"
#include "daemon/targets/program_name.h"
#include "dispatch.skel.h"

struct xdp_multiprog;

namespace syncline {
namespace {

constexpr unsigned first_of_all = 1;  // a program that does not choose gets 50
constexpr const char* dispatcher_name = "xdp_dispatcher";
constexpr const char* other_daemon = "another synclined has its own there: let that one run this job";

// The part of <xdp/libxdp.h> that this file needs, from version 1.0 on.
struct Libxdp {
    Libxdp() : library("libxdp.so.1", RTLD_LOCAL, "libxdp", "libxdp1") {
        if (!library.why_not().empty()) {
            fail(SYNCLINE_ERR_UNSUPPORTED, "{}", library.why_not());
        }
        library.find("libxdp_set_print", &set_print);
        library.find("libxdp_get_error", &error_of);
        library.find("xdp_program__from_bpf_obj", &from_object);
        library.find("xdp_program__set_run_prio", &set_priority);
        library.find("xdp_program__set_chain_call_enabled", &go_on_after);
        library.find("xdp_program__attach", &attach);
        library.find("xdp_program__detach", &detach);
        library.find("xdp_program__close", &close);
        library.find("xdp_program__fd", &fd_of);
        library.find("xdp_program__name", &name_of);
        library.find("xdp_multiprog__get_from_ifindex", &programs_on);
        library.find("xdp_multiprog__next_prog", &next_of);
        library.find("xdp_multiprog__main_prog", &main_of);
        library.find("xdp_multiprog__attach_mode", &mode_of);
        library.find("xdp_multiprog__is_legacy", &is_unknown);
        library.find("xdp_multiprog__close", &close_all);
        set_print(nullptr);
    }

    LoadedLibrary library;
    void* (*set_print)(void*);
    long (*error_of)(const void*);
    xdp_program* (*from_object)(bpf_object*, const char* section);
    int (*set_priority)(xdp_program*, unsigned);
    int (*go_on_after)(xdp_program*, unsigned action, bool);
    int (*attach)(xdp_program*, int index, int mode, unsigned flags);
    int (*detach)(xdp_program*, int index, int mode, unsigned flags);
    void (*close)(xdp_program*);
    int (*fd_of)(const xdp_program*);
    const char* (*name_of)(const xdp_program*);
    xdp_multiprog* (*programs_on)(int index);
    xdp_program* (*next_of)(const xdp_program*, const xdp_multiprog*);
    xdp_program* (*main_of)(const xdp_multiprog*);
    int (*mode_of)(const xdp_multiprog*);
    bool (*is_unknown)(const xdp_multiprog*);
    void (*close_all)(xdp_multiprog*);
};

// Throws Failure.
const Libxdp& libxdp() {
    static const Libxdp loaded;
    return loaded;
}

using Programs = std::unique_ptr<xdp_multiprog, void (*)(xdp_multiprog*)>;

// Throws Failure.
Programs programs_on(unsigned index) {
    const Libxdp& xdp = libxdp();
    xdp_multiprog* const found = xdp.programs_on(static_cast<int>(index));
    if (xdp.error_of(found) != 0 || found == nullptr) {
        fail(SYNCLINE_ERR_UNSUPPORTED, "libxdp does not find the dispatcher ({})",
             std::strerror(static_cast<int>(-xdp.error_of(found))));
    }
    Programs programs(found, xdp.close_all);
    if (xdp.is_unknown(found)) {
        fail(SYNCLINE_ERR_UNSUPPORTED,
             "its programs are not in this process's /sys/fs/bpf, or belong to a newer libxdp");
    }
    return programs;
}

// The programs in the daemon's table go with the daemon's descriptors of it; and a daemon without a job has no program
// here.
bool is_alive(int program) {
    std::array<uint32_t, 8> maps = {};
    bpf_prog_info info = {};
    info.nr_map_ids = maps.size();
    info.map_ids = reinterpret_cast<uintptr_t>(maps.data());
    uint32_t length = sizeof(info);
    if (bpf_obj_get_info_by_fd(program, &info, &length) != 0) {
        return true;
    }
    for (uint32_t i = 0; i < info.nr_map_ids && i < maps.size(); i++) {
        const UniqueFd map(bpf_map_get_fd_by_id(maps[i]));
        bpf_map_info table = {};
        uint32_t bytes = sizeof(table);
        if (!map || bpf_obj_get_info_by_fd(map.get(), &table, &bytes) != 0) {
            return true;
        }
        for (uint32_t place = 0, found = 0; table.type == BPF_MAP_TYPE_PROG_ARRAY && place < table.max_entries;
             place++) {
            if (bpf_map_lookup_elem(map.get(), &place, &found) == 0) {
                return true;
            }
        }
    }
    return false;
}

xdp_program* find_ours(const xdp_multiprog* programs, bool alive) {
    const Libxdp& xdp = libxdp();
    for (xdp_program* each = xdp.next_of(nullptr, programs); each != nullptr; each = xdp.next_of(each, programs)) {
        if (is_our_program(xdp.name_of(each)) && is_alive(xdp.fd_of(each)) == alive) {
            return each;
        }
    }
    return nullptr;
}

// The last line but one of the verifier's log names the error, if there is one.
std::string words_of(const std::string& log, int error) {
    const size_t end = log.find("\nprocessed ");
    const size_t begin = end == std::string::npos || end == 0 ? end : log.rfind('\n', end - 1) + 1;
    return fmt::format("the kernel refuses a program below it ({})",
                       end == std::string::npos || end == 0 ? std::strerror(error) : log.substr(begin, end - begin));
}

// A minimal NIC program: of the kind to which a tail call from a dispatcher can lead.
int load_passing_program() {
    const bpf_insn pass[] = {
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = XDP_PASS},
        {.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0}};
    return bpf_prog_load(BPF_PROG_TYPE_XDP, "syncline_trial", "Dual BSD/GPL", pass, std::size(pass), nullptr);
}

// Loads our program as a replacement of a part of that dispatcher, and does not attach it. Returns why the kernel
// refuses.
std::string refusal_of(int dispatcher) {
    const std::unique_ptr<dispatch_bpf, void (*)(dispatch_bpf*)> skeleton(dispatch_bpf__open(), dispatch_bpf__destroy);
    std::string log(64 << 10, '\0');  // for a refusal: libbpf first tries without a log
    bpf_program* const program = skeleton ? skeleton->progs.syncline_dispatch : nullptr;
    if (program == nullptr || bpf_program__set_type(program, BPF_PROG_TYPE_EXT) != 0 ||
        bpf_program__set_expected_attach_type(program, static_cast<bpf_attach_type>(0)) != 0 ||
        bpf_program__set_flags(program, 0) != 0 || bpf_program__set_attach_target(program, dispatcher, "prog0") != 0) {
        return words_of("", errno);
    }
    (void)bpf_program__set_log_buf(program, log.data(), log.size());
    if (dispatch_bpf__load(skeleton.get()) != 0) {
        const int error = errno;
        return words_of(log.substr(0, log.find('\0')), error);
    }
    const UniqueFd pass(load_passing_program());
    const uint32_t place = 0;
    const int fd = pass.get();
    if (bpf_map_update_elem(bpf_map__fd(skeleton->maps.fw_programs), &place, &fd, BPF_ANY) != 0) {
        return fmt::format("the kernel refuses a tail call from below it ({})", std::strerror(errno));
    }
    return "";
}

}  // namespace

bool LibxdpSeat::is_for(unsigned index) {
    uint32_t id = 0;
    return bpf_xdp_query_id(static_cast<int>(index), 0, &id) == 0 && id != 0 && name_of_program(id) == dispatcher_name;
}

std::string LibxdpSeat::why_not(unsigned index) {
    try {
        const Programs programs = programs_on(index);
        return find_ours(programs.get(), true) != nullptr
                   ? other_daemon
                   : refusal_of(libxdp().fd_of(libxdp().main_of(programs.get())));
    } catch (const Failure& failure) {
        return failure.what();
    }
}

void LibxdpSeat::clear(unsigned index) {
    while (is_for(index)) {
        const Programs programs = programs_on(index);
        xdp_program* const dead = find_ours(programs.get(), false);
        if (dead == nullptr) {
            return;
        }
        if (const int error = libxdp().detach(dead, static_cast<int>(index), 0, 0); error != 0) {
            fail(SYNCLINE_ERR_BUSY, "libxdp cannot take out the XDP program of a synclined that was killed ({})",
                 std::strerror(-error));
        }
    }
}

LibxdpSeat::LibxdpSeat(unsigned index) : index_(index), skeleton_(dispatch_bpf__open(), dispatch_bpf__destroy) {
    const Libxdp& xdp = libxdp();
    const Programs programs = programs_on(index);
    const bool opened = skeleton_ && bpf_map__reuse_fd(skeleton_->maps.fw_handed, handed_place()) == 0;
    xdp_program* const program =
        opened ? xdp.from_object(skeleton_->obj, bpf_program__section_name(skeleton_->progs.syncline_dispatch))
               : nullptr;
    if (program == nullptr || xdp.error_of(program) != 0) {
        fail(SYNCLINE_ERR_UNSUPPORTED, "libxdp does not take the dispatcher of NIC programs");
    }
    (void)xdp.set_priority(program, first_of_all);
    (void)xdp.go_on_after(program, XDP_PASS, true);
    if (const int error = xdp.attach(program, static_cast<int>(index), xdp.mode_of(programs.get()), 0); error != 0) {
        xdp.close(program);
        fail(SYNCLINE_ERR_UNSUPPORTED,
             "libxdp cannot add the dispatcher of NIC programs to those on the interface ({})", std::strerror(-error));
    }
    program_ = program;
}

LibxdpSeat::~LibxdpSeat() {
    if (const int error = libxdp().detach(program_, static_cast<int>(index_), 0, 0); error != 0) {
        spdlog::warn(
            "libxdp cannot take out the dispatcher of NIC programs ({}): it passes all frames on until the next job",
            std::strerror(-error));
    }
    libxdp().close(program_);
}

}  // namespace syncline
