// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/targets/bpf_objects.h"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>

#include "base/failure.h"
#include "base/libbpf_words.h"

namespace syncline {

void prepare_for_bpf() {
    const rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
    silence_libbpf();
    (void)::setrlimit(RLIMIT_MEMLOCK, &unlimited);
}

UniqueFd create_map(const char* name, int type, uint32_t value_size, uint32_t entries, uint32_t flags) {
    LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = flags);
    const uint32_t key_size = type == BPF_MAP_TYPE_RINGBUF ? 0 : 4;
    UniqueFd fd(bpf_map_create(static_cast<bpf_map_type>(type), name, key_size, value_size, entries, &options));
    if (!fd && errno == EPERM) {
        fail(SYNCLINE_ERR_PERMISSION,
             "the kernel refused the NIC's tables ({}): XDP needs CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON; without that "
             "use --transport udp",
             std::strerror(EPERM));
    }
    if (!fd) {
        fail_errno(SYNCLINE_ERR_NO_MEMORY, "cannot create the BPF map {} ({} entries of {} bytes)", name, entries,
                   value_size);
    }
    return fd;
}

UniqueFd copy_of(int fd) {
    UniqueFd copy(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
    if (!copy) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot keep a descriptor of a NIC program");
    }
    return copy;
}

int handed_place() {
    static const UniqueFd map = create_map("fw_handed", BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(uint32_t), 1, 0);
    return map.get();
}

}  // namespace syncline
