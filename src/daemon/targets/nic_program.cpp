// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/targets/nic_program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <numeric>
#include <system_error>

#include "base/failure.h"
#include "base/libbpf_words.h"
#include "daemon/targets/bpf_objects.h"
#include "nic.skel.h"

namespace syncline {
namespace {

constexpr const char* table_names[] = {"fw_ranks",      "fw_sources",     "fw_row_count", "fw_slots", "fw_directory",
                                       "fw_segments",   "fw_ports",       "fw_barriers",  "fw_peers", "fw_counts",
                                       "fw_memory",     "fw_completions", "fw_images",    "fw_wakes", "fw_fans",
                                       ".data.configs", "fw_nodes"};
static_assert(std::size(table_names) == nic_tables);

constexpr size_t configs_bytes = FW_PLACES * sizeof(fw_config);

using Skeleton = std::unique_ptr<nic_bpf, void (*)(nic_bpf*)>;

// An array of maps takes maps of one shape. The smallest map of that shape sets it, and stands in places without a job.
struct Shape {
    NicTable table;
    int type;
    uint32_t bytes;  // size of an element; 0: a completion or image, whose size follows from the length of packets
    uint32_t entries;
    uint32_t flags;
};
constexpr uint32_t mapped = BPF_F_MMAPABLE;
constexpr uint32_t any_length = BPF_F_INNER_MAP;
constexpr Shape shapes[] = {
    {NicTable::kSources, BPF_MAP_TYPE_ARRAY, sizeof(fw_source), 1, mapped | any_length},
    {NicTable::kRows, BPF_MAP_TYPE_ARRAY, sizeof(fw_rows), 1, mapped},
    {NicTable::kSlots, BPF_MAP_TYPE_ARRAY, sizeof(fw_slot), 1, any_length},
    {NicTable::kDirectory, BPF_MAP_TYPE_ARRAY, sizeof(fw_buffers), 1, mapped | any_length},
    {NicTable::kPorts, BPF_MAP_TYPE_ARRAY, sizeof(fw_port), 1, mapped | any_length},
    {NicTable::kBarriers, BPF_MAP_TYPE_ARRAY, sizeof(fw_barrier), SLW_BARRIERS_MAX, mapped},
    {NicTable::kPeers, BPF_MAP_TYPE_ARRAY, sizeof(fw_peer), 1, any_length},
    {NicTable::kMemory, BPF_MAP_TYPE_ARRAY, SLW_BLOCK_BYTES, 1, mapped | any_length},
    {NicTable::kCompletions, BPF_MAP_TYPE_ARRAY, 0, 1, mapped | any_length},
    {NicTable::kImages, BPF_MAP_TYPE_ARRAY, 0, 1, mapped | any_length},
    {NicTable::kWakes, BPF_MAP_TYPE_RINGBUF, 0, 4096, 0},
    {NicTable::kFans, BPF_MAP_TYPE_DEVMAP, sizeof(bpf_devmap_val), 2, 0},
};

const char* name_of(NicTable table) {
    return table_names[static_cast<uint32_t>(table)];
}

uint32_t element_bytes(const Shape& shape, uint32_t packet_max) {
    return shape.table == NicTable::kCompletions ? fw_completion_bytes(packet_max)
           : shape.table == NicTable::kImages    ? fw_image_bytes(packet_max)
                                                 : shape.bytes;
}

// For each table; empty for a table that is not an array of maps.
std::vector<UniqueFd> make_empty(uint32_t packet_max) {
    std::vector<UniqueFd> empty(nic_tables);
    for (const Shape& shape : shapes) {
        empty[static_cast<uint32_t>(shape.table)] =
            create_map("fw_empty", shape.type, element_bytes(shape, packet_max), shape.entries, shape.flags);
    }
    return empty;
}

bpf_map* table_of(const Skeleton& skeleton, NicTable table) {
    return bpf_object__find_map_by_name(skeleton->obj, name_of(table));
}

// libbpf 1.5 and newer aborts the process that resizes the inner map in the object file, so a map sets the shape.
void shape_tables(const Skeleton& skeleton, uint32_t places, const std::vector<UniqueFd>& empty) {
    for (uint32_t i = 0; i <= static_cast<uint32_t>(NicTable::kFans); i++) {
        bpf_map* const table = table_of(skeleton, static_cast<NicTable>(i));
        bpf_map__set_max_entries(table, bpf_map__max_entries(table) * places);
        if (empty[i] && bpf_map__set_inner_map_fd(table, empty[i].get()) != 0) {
            fail_errno(SYNCLINE_ERR_UNSUPPORTED, "libbpf does not take the shape of the maps in {}", table_names[i]);
        }
    }
    if (bpf_map__reuse_fd(skeleton->maps.fw_handed, handed_place()) != 0) {
        fail_errno(SYNCLINE_ERR_UNSUPPORTED, "libbpf does not take the map fw_handed");
    }
}

// A tail call leads only to programs of the caller's kind. Below libxdp's dispatcher the kernel treats a program
// neither as one that takes frames in several parts nor as attached to XDP.
void suit_dispatcher(const Skeleton& skeleton, bool several_parts) {
    if (!several_parts) {
        (void)bpf_program__set_expected_attach_type(skeleton->progs.syncline_nic, static_cast<bpf_attach_type>(0));
        return;
    }
    (void)bpf_program__set_flags(skeleton->progs.syncline_nic, BPF_F_XDP_HAS_FRAGS);
    (void)bpf_program__set_flags(skeleton->progs.syncline_fan, BPF_F_XDP_HAS_FRAGS);
}

void load_program(const Skeleton& skeleton) {
    if (nic_bpf__load(skeleton.get()) != 0) {
        const int error = why_not_loaded();
        // Without CAP_PERFMON the verifier forbids the program's use of pointers.
        fail(error == EPERM ? SYNCLINE_ERR_PERMISSION : SYNCLINE_ERR_UNSUPPORTED,
             "the kernel refused the NIC program ({}): XDP needs {}; without that use --transport udp",
             std::strerror(error),
             error == EPERM    ? "CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON"
             : error == EACCES ? "CAP_PERFMON beside CAP_BPF and CAP_NET_ADMIN, and Linux 6.1 or newer"
             : error == EMFILE ? "a higher limit of open files (ulimit -n)"
                               : "Linux 6.1 or newer");
    }
}

}  // namespace

std::shared_ptr<NicProgram> NicProgram::load(const Kind& kind, uint32_t places, uint32_t job) {
    const Skeleton skeleton(nic_bpf__open(), nic_bpf__destroy);
    if (skeleton == nullptr) {
        fail_errno(SYNCLINE_ERR_UNSUPPORTED, "cannot open the NIC program: this kernel or libbpf is too old");
    }
    std::vector<UniqueFd> empty = make_empty(kind.packet_max);
    const_cast<uint32_t&>(skeleton->rodata->fw_packet_max) = kind.packet_max;
    shape_tables(skeleton, places, empty);
    suit_dispatcher(skeleton, kind.several_parts);
    load_program(skeleton);
    std::vector<UniqueFd> fds;
    fds.push_back(copy_of(bpf_program__fd(skeleton->progs.syncline_nic)));
    fds.push_back(copy_of(bpf_program__fd(skeleton->progs.syncline_fan)));
    for (uint32_t i = 0; i < nic_tables; i++) {
        fds.push_back(copy_of(bpf_map__fd(table_of(skeleton, static_cast<NicTable>(i)))));
    }
    const LentProgram lent = {.job = job, .places = places, .packet_max = kind.packet_max, .reserved = 0};
    auto program = std::make_shared<NicProgram>(lent, std::move(fds));
    if (places > 1 && job == 0) {
        program->empty_ = std::move(empty);
        program->taken_.resize(places);
    }
    return program;
}

NicProgram::NicProgram(const LentProgram& lent, std::vector<UniqueFd> fds) : lent_(lent), fds_(std::move(fds)) {
    if (fds_.size() != 2 + nic_tables || lent_.places == 0 || lent_.places > FW_PLACES) {
        fail(SYNCLINE_ERR_PROTOCOL, "a NIC program for 1 to {} places has {} descriptors, and {} for {} were handed on",
             +FW_PLACES, 2 + nic_tables, fds_.size(), lent_.places);
    }
    if (!configs_.map(table(NicTable::kConfigs), configs_bytes)) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot map the jobs of a NIC program");
    }
}

bool NicProgram::fits(const fw_config& config) const {
    return lent_.job == config.job && config.node < lent_.places && lent_.packet_max == config.packet_max;
}

NicProgram::~NicProgram() {
    const std::lock_guard<std::mutex> guard(guard_);
    left_.clear();  // the tables go with the program
}

// The kernel orders the entries that a system call makes in a table after the write of the configuration.
void NicProgram::open(uint32_t place, const fw_config& config, uint64_t node) {
    configs_.at<fw_config>()[place] = config;
    if (bpf_map_update_elem(table(NicTable::kNodes), &node, &place, BPF_NOEXIST) != 0) {
        fail_errno(SYNCLINE_ERR_BUSY, "cannot enter place {} in the BPF map fw_nodes", place);
    }
}

void NicProgram::close(uint64_t node) {
    (void)bpf_map_delete_elem(table(NicTable::kNodes), &node);
}

std::optional<uint32_t> NicProgram::take_place() {
    std::unique_lock<std::mutex> guard(guard_);
    sweep(&guard);
    const auto found = std::find(taken_.begin(), taken_.end(), false);
    if (found == taken_.end()) {
        return std::nullopt;
    }
    *found = true;
    return static_cast<uint32_t>(found - taken_.begin());
}

void NicProgram::leave(uint32_t place, Tables tables) noexcept {
    if (empty_.empty()) {
        return;  // the program is another daemon's, or ends with the job
    }
    try {
        const std::lock_guard<std::mutex> guard(guard_);
        left_.insert(left_.end(), failed_.begin(), failed_.end());
        failed_.clear();
        left_.push_back({place, std::move(tables)});
        begin_sweeping();
    } catch (const std::exception& exception) {
        spdlog::error("place {} of the NIC program keeps the tables of a job that has ended: {}", place,
                      exception.what());
    }
}

// If no thread can be made, the next job or the next end of a job sweeps.
void NicProgram::begin_sweeping() {
    if (sweeping_) {
        return;
    }
    sweeper_.reset();  // it is about to end
    sweeper_ = run_in_background([this] {
        std::unique_lock<std::mutex> guard(guard_);
        sweep(&guard);
        sweeping_ = false;
    });
    sweeping_ = true;
}

void NicProgram::sweep(std::unique_lock<std::mutex>* guard) {
    while (!left_.empty()) {
        Left left = std::move(left_.front());
        left_.pop_front();
        guard->unlock();
        bool swept = true;
        try {
            sweep(left);
        } catch (const std::exception& exception) {
            swept = false;
            spdlog::error("place {} of the NIC program keeps the tables of a job that has ended: {}", left.place,
                          exception.what());
        }
        guard->lock();
        taken_[left.place] = !swept;
        if (!swept) {
            failed_.push_back(std::move(left));
        }
    }
}

// No way leads to the place any more. Behind a single change of an array of maps the kernel waits for the runs of the
// program. So when it has taken the first entry, no run that had found the place is under way.
void NicProgram::sweep(const Left& left) const {
    const auto empty = [&](NicTable table) { return empty_[static_cast<uint32_t>(table)].get(); };
    const int rows = empty(NicTable::kRows);
    write(NicTable::kRows, left.place, &rows);
    const auto none_of = [&](NicTable table, uint32_t of_place, uint32_t count) {
        return in_a_row(table, left.place * of_place, std::vector<int>(count, empty(table)));
    };
    Entries memory = {NicTable::kMemory, {}, std::vector<int>(left.tables.segments.size(), empty(NicTable::kMemory))};
    for (const uint32_t segment : left.tables.segments) {
        memory.indices.push_back(left.place * SLW_PORTS_MAX * SLW_SEGMENTS_MAX + segment);
    }
    enter(std::array{none_of(NicTable::kSources, 1, 1), none_of(NicTable::kDirectory, 1, 1),
                     none_of(NicTable::kPorts, 1, 1), none_of(NicTable::kBarriers, 1, 1),
                     none_of(NicTable::kPeers, 1, 1), none_of(NicTable::kCompletions, SLW_PORTS_MAX, left.tables.ports),
                     none_of(NicTable::kImages, SLW_PORTS_MAX, left.tables.ports),
                     none_of(NicTable::kWakes, SLW_PORTS_MAX, left.tables.ports),
                     none_of(NicTable::kSlots, FW_CHUNKS_OF_ROWS, left.tables.chunks), memory,
                     none_of(NicTable::kFans, FW_FANS, FW_FANS)});
    const uint32_t none = 0;
    for (uint32_t port = 0; port < left.tables.ports; port++) {
        write(NicTable::kRanks, left.place * SLW_PORTS_MAX + port, &none);
    }
    const fw_segment closed = {};
    for (uint32_t i = 0; i < left.tables.ports * SLW_SEGMENTS_MAX; i++) {
        write(NicTable::kSegments, left.place * SLW_PORTS_MAX * SLW_SEGMENTS_MAX + i, &closed);
    }
    const std::vector<fw_counters> zeros(static_cast<size_t>(libbpf_num_possible_cpus()));
    write(NicTable::kCounts, left.place, zeros.data());
    std::memset(static_cast<void*>(&configs_.at<fw_config>()[left.place]), 0, sizeof(fw_config));
}

void NicProgram::write(NicTable table, uint32_t index, const void* entry) const {
    if (bpf_map_update_elem(this->table(table), &index, entry, BPF_ANY) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot write entry {} of the BPF map {}", index, name_of(table));
    }
}

NicProgram::Entries NicProgram::in_a_row(NicTable table, uint32_t first, std::vector<int> maps) {
    std::vector<uint32_t> indices(maps.size());
    std::iota(indices.begin(), indices.end(), first);
    return {table, std::move(indices), std::move(maps)};
}

void NicProgram::enter(const Entries& entries) const {
    auto count = static_cast<uint32_t>(entries.maps.size());
    if (count != 0 &&
        bpf_map_update_batch(table(entries.table), entries.indices.data(), entries.maps.data(), &count, nullptr) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot enter {} maps in the BPF map {}", entries.maps.size(),
                   name_of(entries.table));
    }
}

void NicProgram::enter(std::span<const Entries> all) const {
    std::vector<std::exception_ptr> failures(all.size());
    const auto try_one = [&](size_t i) {
        try {
            enter(all[i]);
        } catch (...) {
            failures[i] = std::current_exception();
        }
    };
    {
        std::vector<std::unique_ptr<Background>> threads;
        for (size_t i = 1; i < all.size(); i++) {
            try {
                threads.push_back(run_in_background([&try_one, i] { try_one(i); }));
            } catch (const std::system_error&) {
                try_one(i);  // there may be no more threads
            }
        }
        if (!all.empty()) {
            try_one(0);
        }
    }
    for (const std::exception_ptr& failure : failures) {
        if (failure) {
            std::rethrow_exception(failure);
        }
    }
}

}  // namespace syncline
