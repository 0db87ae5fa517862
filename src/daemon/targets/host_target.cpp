// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/targets/host_target.h"

#include <sys/stat.h>

#include <algorithm>

#include "base/failure.h"

namespace syncline {

HostTarget::HostTarget(const Job& job) : NodeTarget(job) {
    const auto map = [](Mapping* mapping, UniqueFd* fd, const char* name, uint64_t bytes, bool processes_write = true) {
        *fd = make_memfd(name, bytes);
        if (!mapping->map(fd->get(), bytes)) {
            fail_errno(SYNCLINE_ERR_NO_MEMORY, "cannot map {} bytes for {}", bytes, name);
        }
        processes_write ? seal_for_writers(fd->get()) : seal_for_readers(fd->get());
    };
    map(&ports_map_, &ports_fd_, "syncline-ports", config().ports * sizeof(fw_port));
    map(&barriers_map_, &barriers_fd_, "syncline-barriers", barriers_bytes);
    target_.config = &config();
    target_.ranks = job.map.ranks_of(config().node).data();
    target_.segments = table();
    target_.memory = memory_table();
    target_.ports = ports();
    target_.barriers = barriers();
    target_.counters = &counters_;
    if (!has_packets(job.spec)) {
        return;
    }
    map(&sources_map_, &sources_fd_, "syncline-sources", records_bytes(config()),
        job.spec.properties().processes_execute);
    map(&directory_map_, &directory_fd_, "syncline-directory", directory_bytes(config()));
    completions_fds_.resize(config().ports);
    completions_maps_.resize(config().ports);
    for (uint32_t port = 0; port < config().ports; port++) {
        map(&completions_maps_[port], &completions_fds_[port], "syncline-completions", completions_bytes(config()));
        completions_.push_back(completions_maps_[port].at<fw_completion>());
        images_fds_.push_back(make_memfd("syncline-requests", requests_bytes(config())));
        seal_for_writers(images_fds_[port].get());
    }
    target_.sources = sources_map_.at<fw_source>();
    target_.rows = rows_at(target_.sources, config());
    target_.slots = slots_at(target_.sources, config());
    target_.directory = directory_map_.at<fw_buffers>();
    target_.completions = completions_.data();
    add_rows(initial_rows(job.spec));
}

UniqueFd HostTarget::create_memory(uint64_t bytes) {
    UniqueFd fd = make_memfd("syncline-segment", bytes);
    seal_for_writers(fd.get());
    return fd;
}

// A memfd's block count says which pages it has, in units of 512 bytes.
uint64_t HostTarget::untouched() const {
    uint64_t bytes = 0;
    for (const UniqueFd& memory : memory_fds()) {
        struct stat status = {};
        if (memory && ::fstat(memory.get(), &status) == 0) {
            const auto touched = static_cast<uint64_t>(status.st_blocks) * 512;
            bytes += static_cast<uint64_t>(status.st_size) - std::min(static_cast<uint64_t>(status.st_size), touched);
        }
    }
    return bytes;
}

fw_counters HostTarget::counters() {
    fw_counters copy;
    for (uint32_t i = 0; i < FW_COUNTER_COUNT; i++) {
        copy.value[i] = __atomic_load_n(&counters_.value[i], __ATOMIC_RELAXED);
    }
    return copy;
}

std::string HostTarget::description() const {
    return job_.spec.properties().has_agent ? "host agent" : "shared memory";
}

}  // namespace syncline
