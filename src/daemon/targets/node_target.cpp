// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/targets/node_target.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "base/check.h"
#include "base/failure.h"
#include "base/memory_file.h"
#include "daemon/targets/host_target.h"
#include "daemon/targets/xdp_target.h"

namespace syncline {

namespace {
constexpr uint32_t segment_count = SLW_PORTS_MAX * SLW_SEGMENTS_MAX;
constexpr uint64_t table_bytes = segment_count * sizeof(fw_segment);

uint32_t index_of(uint32_t port, uint32_t segment) {
    SYNCLINE_ASSERT(port < SLW_PORTS_MAX && segment < SLW_SEGMENTS_MAX, "segment %u of port %u", segment, port);
    return port * SLW_SEGMENTS_MAX + segment;
}

void seal(int memfd, int seals) {
    if (::fcntl(memfd, F_ADD_SEALS, seals) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot seal shared memory: the kernel is older than Linux 5.1");
    }
}
}  // namespace

UniqueFd make_memfd(const char* name, uint64_t bytes) {
    UniqueFd fd = make_memory_file(name, bytes, MFD_ALLOW_SEALING);
    if (!fd) {
        fail_errno(SYNCLINE_ERR_NO_MEMORY, "cannot make {} bytes of shared memory for {}", bytes, name);
    }
    return fd;
}

void seal_for_writers(int memfd) {
    seal(memfd, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

void seal_for_readers(int memfd) {
    seal(memfd, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL);
}

std::unique_ptr<NodeTarget> NodeTarget::create(const Job& job, NicPrograms* programs) {
    if (job.spec.properties().attaches_interface) {
        return std::make_unique<XdpTarget>(job, programs);
    }
    return std::make_unique<HostTarget>(job);
}

NodeTarget::NodeTarget(const Job& job)
    : job_(job),
      segments_fd_(make_memfd("syncline-segments", table_bytes)),
      memory_fds_(segment_count),
      memory_bytes_(segment_count),
      memory_maps_(segment_count),
      memory_of_(segment_count) {
    if (!segments_map_.map(segments_fd_.get(), table_bytes)) {
        fail_errno(SYNCLINE_ERR_NO_MEMORY, "cannot map the segment table");
    }
    seal_for_readers(segments_fd_.get());
}

void NodeTarget::add_rows(uint32_t more) {
    SYNCLINE_ASSERT(more != 0, "%u rows", more);
    make_rows(rows()->room, more);
    __atomic_store_n(&rows()->room, rows()->room + more, __ATOMIC_RELEASE);
}

NodeTarget::Installed NodeTarget::prepare(uint32_t index, uint64_t length) {
    const uint64_t bytes = round_up(length, SLW_BLOCK_BYTES);
    UniqueFd memory = create_memory(bytes);
    memory_maps_[index].unmap();
    __atomic_store_n(&memory_of_[index], nullptr, __ATOMIC_RELEASE);
    memory_fds_[index] = std::move(memory);
    SYNCLINE_ASSERT(length <= bytes && table()[index].length == 0, "%lu bytes, where %lu are open", length,
                    table()[index].length);
    memory_bytes_[index] = bytes;
    if (native() != nullptr) {
        __atomic_store_n(&memory_of_[index], mapped_memory(index), __ATOMIC_RELEASE);
    }
    return {index, {length, FW_SEGMENT_OPEN, table()[index].generation + 1}, memory_fds_[index].get()};
}

void NodeTarget::publish(const Installed& opened) {
    fw_segment& entry = table()[opened.index];
    __atomic_store_n(&entry.generation, opened.entry.generation, __ATOMIC_RELEASE);
    __atomic_store_n(&entry.state, opened.entry.state, __ATOMIC_RELEASE);
    __atomic_store_n(&entry.length, opened.entry.length, __ATOMIC_RELEASE);
}

void NodeTarget::open_segment(uint32_t port, uint32_t segment, uint64_t length) {
    const Installed opened = prepare(index_of(port, segment), length);
    install({&opened, 1});
    publish(opened);
}

void NodeTarget::open_heaps(uint64_t length) {
    std::vector<Installed> all;
    for (uint32_t port = 0; port < config().ports; port++) {
        all.push_back(prepare(index_of(port, 0), length));
    }
    install(all);
    for (const Installed& opened : all) {
        publish(opened);
    }
}

// The memory itself stays, because the firmware may be using it.
void NodeTarget::close_segment(uint32_t port, uint32_t segment, fw_segment_state state) {
    fw_segment& entry = table()[index_of(port, segment)];
    __atomic_store_n(&entry.length, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&entry.state, state, __ATOMIC_RELEASE);
    const Installed closed = {index_of(port, segment), entry, -1};
    install({&closed, 1});
}

void NodeTarget::release_segment(uint32_t port, uint32_t segment) {
    const uint32_t index = index_of(port, segment);
    SYNCLINE_ASSERT(table()[index].state != FW_SEGMENT_OPEN, "segment %u of port %u is open", segment, port);
    __atomic_store_n(&memory_of_[index], nullptr, __ATOMIC_RELEASE);
    uninstall(index);
    memory_maps_[index].unmap();
    memory_fds_[index].reset();
    memory_bytes_[index] = 0;
}

const fw_segment& NodeTarget::segment(uint32_t port, uint32_t segment) const {
    return segments_map_.at<fw_segment>()[index_of(port, segment)];
}

int NodeTarget::segment_fd(uint32_t port, uint32_t segment) const {
    return memory_fds_[index_of(port, segment)].get();
}

// Returns where the daemon itself maps a segment, or NULL. It is mapped at the first use.
uint8_t* NodeTarget::segment_memory(uint32_t port, uint32_t segment) {
    return mapped_memory(index_of(port, segment));
}

uint8_t* NodeTarget::mapped_memory(uint32_t index) {
    if (!memory_maps_[index] &&
        (!memory_fds_[index] || !memory_maps_[index].map(memory_fds_[index].get(), memory_bytes_[index]))) {
        return nullptr;
    }
    return memory_maps_[index].at();
}

}  // namespace syncline
