// SPDX-License-Identifier: BSD-3-Clause
#include "bpf_target.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "base/clock.h"
#include "base/failure.h"
#include "nic.skel.h"

namespace syncline::test {
namespace {

constexpr uint32_t segment_count = SLW_PORTS_MAX * SLW_SEGMENTS_MAX;

// The kernel's BPF_LOG_STATS. SYNCLINE_VERIFIER_LOG=1 adds each instruction and what the verifier knows there.
uint32_t log_level() {
    return std::getenv("SYNCLINE_VERIFIER_LOG") != nullptr ? 5 : 4;
}

void update(int map, uint32_t key, const void* value, const char* what) {
    if (bpf_map_update_elem(map, &key, value, BPF_ANY) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "entering element {} of {} failed", key, what);
    }
}

void* map_shared(int fd, size_t bytes) {
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "mapping {} bytes of a BPF map failed", bytes);
    }
    return at;
}

size_t whole_pages(size_t bytes) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return (bytes + page - 1) / page * page;
}

}  // namespace

std::string BpfTarget::obstacle() {
    if (geteuid() != 0) {
        return "loading BPF needs root";
    }
    const UniqueFd probe(bpf_map_create(BPF_MAP_TYPE_ARRAY, "probe", 4, 4, 1, nullptr));
    return probe ? "" : std::string("this kernel makes no BPF map: ") + std::strerror(errno);
}

// From Linux 6.18 on a context's data_end may be in front of the frame's end.
bool BpfTarget::chooses_first_part() {
    const bpf_insn pass[] = {
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = XDP_PASS},
        {.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0}};
    LIBBPF_OPTS(bpf_prog_load_opts, load, .prog_flags = BPF_F_XDP_HAS_FRAGS);
    const UniqueFd program(bpf_prog_load(BPF_PROG_TYPE_XDP, "pass", "Dual BSD/GPL", pass, std::size(pass), &load));
    const uint8_t frame[256] = {};
    xdp_md context{};
    context.data_end = sizeof(frame) / 2;
    LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = frame, .data_size_in = sizeof(frame), .ctx_in = &context,
                .ctx_size_in = sizeof(context));
    return program && bpf_prog_test_run_opts(program.get(), &run) == 0;
}

BpfTarget::BpfTarget(const TargetShape& shape, std::shared_ptr<nic_bpf> loaded)
    : TargetUnderTest(shape), skeleton_(std::move(loaded)) {
    create_tables();
    create_completions_and_images();
    if (!skeleton_) {
        load();
    }
    skeleton_->data_configs->fw_configs[shape_.place] = shape_.config;
    install_tables();
    create_memory();
    create_wakes();
    create_rows();
}

void BpfTarget::load() {
    skeleton_.reset(nic_bpf__open(), nic_bpf__destroy);
    if (!skeleton_) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "opening the firmware's object failed");
    }
    size_tables();
    log_.resize(log_level() == 4 ? 64 << 10 : 256 << 20);
    bpf_program__set_log_buf(skeleton_->progs.syncline_nic, log_.data(), log_.size());
    bpf_program__set_log_level(skeleton_->progs.syncline_nic, log_level());
    bpf_program__set_flags(skeleton_->progs.syncline_nic, BPF_F_XDP_HAS_FRAGS);
    bpf_program__set_flags(skeleton_->progs.syncline_fan, BPF_F_XDP_HAS_FRAGS);
    const uint64_t start = now_ns();
    const int error = nic_bpf__load(skeleton_.get());
    load_ms_ = static_cast<double>(now_ns() - start) / 1e6;
    log_.resize(std::strlen(log_.c_str()));
    if (error != 0) {
        errno = -error;
        fail_errno(SYNCLINE_ERR_SYSTEM, "loading the firmware failed; the verifier says\n{}\n", log_);
    }
}

// As the daemon does it: daemon/targets/nic_program.cpp.
void BpfTarget::size_tables() {
    skeleton_->rodata->fw_packet_max = shape_.config.packet_max;
    const auto& maps = skeleton_->maps;
    bpf_map__set_inner_map_fd(maps.fw_peers, tables_[5].fd.get());
    bpf_map__set_inner_map_fd(maps.fw_sources, tables_[0].fd.get());
    bpf_map__set_inner_map_fd(maps.fw_ports, tables_[1].fd.get());
    bpf_map__set_inner_map_fd(maps.fw_directory, tables_[3].fd.get());
    bpf_map__set_inner_map_fd(maps.fw_completions, completions_.front().fd.get());
    bpf_map__set_inner_map_fd(maps.fw_images, images_.front().fd.get());
    for (bpf_map* const placed : {maps.fw_ranks, maps.fw_sources, maps.fw_row_count, maps.fw_slots, maps.fw_directory,
                                  maps.fw_segments, maps.fw_ports, maps.fw_barriers, maps.fw_peers, maps.fw_counts,
                                  maps.fw_memory, maps.fw_completions, maps.fw_images, maps.fw_wakes, maps.fw_fans}) {
        bpf_map__set_max_entries(placed, bpf_map__max_entries(placed) * shape_.places);
    }
}

// Entry `index` of the place's `of_place` entries.
uint32_t BpfTarget::placed(uint32_t of_place, uint32_t index) const {
    return shape_.place * of_place + index;
}

BpfTarget::~BpfTarget() {
    for (const std::vector<Mapping>* mappings : {&tables_, &memories_, &completions_, &images_}) {
        for (const Mapping& mapping : *mappings) {
            munmap(mapping.at, mapping.bytes);
        }
    }
}

BpfTarget::Mapping BpfTarget::inner_array(const char* name, uint32_t value_bytes, uint32_t entries, uint32_t flags) {
    LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE | flags);
    Mapping mapping;
    mapping.fd.reset(bpf_map_create(BPF_MAP_TYPE_ARRAY, name, sizeof(uint32_t), value_bytes, entries, &options));
    if (!mapping.fd) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "making the array {} of {} elements failed", name, entries);
    }
    mapping.bytes = whole_pages(static_cast<size_t>(value_bytes) * entries);
    mapping.at = static_cast<uint8_t*>(map_shared(mapping.fd.get(), mapping.bytes));
    return mapping;
}

void BpfTarget::create_tables() {
    const fw_config& config = shape_.config;
    const uint32_t slots = config.ports * config.nodes * config.window;
    tables_.push_back(inner_array("fw_sources_", sizeof(fw_source), config.ranks, BPF_F_INNER_MAP));
    tables_.push_back(inner_array("fw_ports_", sizeof(fw_port), config.ports, BPF_F_INNER_MAP));
    tables_.push_back(inner_array("fw_barriers_", sizeof(fw_barrier), SLW_BARRIERS_MAX, 0));
    tables_.push_back(inner_array("fw_director_", sizeof(fw_buffers), (slots + 3) / 4, BPF_F_INNER_MAP));
    tables_.push_back(inner_array("fw_rows_", sizeof(fw_rows), 1, 0));
    tables_.push_back(inner_array("fw_peers_", sizeof(fw_peer), config.nodes, BPF_F_INNER_MAP));
    for (uint32_t i = 0; i < slots; i++) {
        buffer(0, i) = static_cast<uint16_t>(i % (config.nodes * config.window));
    }
}

void BpfTarget::install_tables() {
    const std::array maps = {skeleton_->maps.fw_sources,   skeleton_->maps.fw_ports,     skeleton_->maps.fw_barriers,
                             skeleton_->maps.fw_directory, skeleton_->maps.fw_row_count, skeleton_->maps.fw_peers};
    const std::vector<uint64_t> handed(static_cast<size_t>(libbpf_num_possible_cpus()), shape_.place);
    update(bpf_map__fd(skeleton_->maps.fw_handed), 0, handed.data(), "fw_handed");
    for (size_t i = 0; i < maps.size(); i++) {
        const int fd = tables_[i].fd.get();
        update(bpf_map__fd(maps[i]), shape_.place, &fd, bpf_map__name(maps[i]));
    }
    for (uint32_t port = 0; port < shape_.config.ports; port++) {
        const uint32_t at = placed(SLW_PORTS_MAX, port);
        const uint32_t rank = shape_.ranks[port] + 1u;
        update(bpf_map__fd(skeleton_->maps.fw_ranks), at, &rank, "fw_ranks");
        const int completions = completions_[port].fd.get();
        update(bpf_map__fd(skeleton_->maps.fw_completions), at, &completions, "fw_completions");
        const int images = images_[port].fd.get();
        update(bpf_map__fd(skeleton_->maps.fw_images), at, &images, "fw_images");
    }
}

void BpfTarget::create_memory() {
    for (const SegmentShape& segment : shape_.segments) {
        memories_.push_back(inner_array("fw_memory_", SLW_BLOCK_BYTES, segment.blocks(), BPF_F_INNER_MAP));
        const int fd = memories_.back().fd.get();
        update(bpf_map__fd(skeleton_->maps.fw_memory), placed(segment_count, segment.index()), &fd, "fw_memory");
        set_segment(segment);
    }
}

void BpfTarget::create_completions_and_images() {
    const uint32_t entries = fw_buffers_of(shape_.config.nodes, shape_.config.window);
    for (uint32_t port = 0; port < shape_.config.ports; port++) {
        completions_.push_back(
            inner_array("fw_complet_", fw_completion_bytes(shape_.config.packet_max), entries, BPF_F_INNER_MAP));
        images_.push_back(
            inner_array("fw_image_", fw_image_bytes(shape_.config.packet_max), entries + 1, BPF_F_INNER_MAP));
    }
}

void BpfTarget::create_wakes() {
    const uint32_t bytes = static_cast<uint32_t>(whole_pages(1));
    for (uint32_t port = 0; port < shape_.config.ports; port++) {
        wakes_.emplace_back(bpf_map_create(BPF_MAP_TYPE_RINGBUF, "fw_wake_", 0, 0, bytes, nullptr));
        const int fd = wakes_.back().get();
        update(bpf_map__fd(skeleton_->maps.fw_wakes), placed(SLW_PORTS_MAX, port), &fd, "fw_wakes");
    }
}

int BpfTarget::execute(std::vector<uint8_t>& frame) {
    std::vector<uint8_t> out(16384);
    LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = frame.data(), .data_out = out.data(),
                .data_size_in = static_cast<uint32_t>(frame.size()),
                .data_size_out = static_cast<uint32_t>(out.size()));
    xdp_md context{};
    context.data_end = static_cast<uint32_t>(first_part_);
    if (first_part_ < first_part_max && first_part_ < frame.size()) {
        run.ctx_in = &context;
        run.ctx_size_in = sizeof(context);
    }
    if (bpf_prog_test_run_opts(bpf_program__fd(skeleton_->progs.syncline_nic), &run) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "running the firmware on a frame of {} bytes failed", frame.size());
    }
    out.resize(run.data_size_out);
    frame = std::move(out);
    return static_cast<int>(run.retval);
}

int BpfTarget::program_fd() const {
    return bpf_program__fd(skeleton_->progs.syncline_nic);
}

std::span<uint8_t> BpfTarget::memory(const SegmentShape& segment) {
    for (size_t i = 0; i < shape_.segments.size(); i++) {
        if (shape_.segments[i].index() == segment.index()) {
            return {memories_[i].at, static_cast<size_t>(shape_.segments[i].blocks()) * SLW_BLOCK_BYTES};
        }
    }
    fail(SYNCLINE_ERR_NOT_FOUND, "port {} has no segment {}", segment.port, segment.segment);
}

fw_completion& BpfTarget::completion(uint32_t port, uint32_t index) {
    const size_t at = size_t{index} * fw_completion_bytes(shape_.config.packet_max);
    return *reinterpret_cast<fw_completion*>(completions_.at(port).at + at);
}

fw_image& BpfTarget::image(uint32_t port, uint32_t index) {
    const size_t at = (size_t{index} + 1) * fw_image_bytes(shape_.config.packet_max);
    return *reinterpret_cast<fw_image*>(images_.at(port).at + at);
}

fw_port& BpfTarget::port(uint32_t port) {
    return reinterpret_cast<fw_port*>(tables_[1].at)[port];
}

fw_counters BpfTarget::counters() {
    const size_t cpus = static_cast<size_t>(libbpf_num_possible_cpus());
    std::vector<fw_counters> per_cpu(cpus);
    fw_counters sum{};
    if (bpf_map_lookup_elem(bpf_map__fd(skeleton_->maps.fw_counts), &shape_.place, per_cpu.data()) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "reading the counters failed");
    }
    for (const fw_counters& counters : per_cpu) {
        for (size_t i = 0; i < FW_COUNTER_COUNT; i++) {
            sum.value[i] += counters.value[i];
        }
    }
    return sum;
}

void BpfTarget::create_rows() {
    LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_INNER_MAP);
    for (uint32_t row = 0; row < shape_.config.ranks; row += FW_CHUNK_ROWS) {
        const uint32_t rows = std::min<uint32_t>(shape_.config.ranks - row, FW_CHUNK_ROWS);
        chunks_.emplace_back(bpf_map_create(BPF_MAP_TYPE_ARRAY, "fw_slots_", sizeof(uint32_t), sizeof(fw_slot),
                                            rows * shape_.config.window, &options));
        const int fd = chunks_.back().get();
        const uint32_t at = placed(FW_CHUNKS_OF_ROWS, row >> FW_CHUNK_SHIFT);
        update(bpf_map__fd(skeleton_->maps.fw_slots), at, &fd, "fw_slots");
    }
    rows().room = shape_.config.ranks;
}

uint16_t& BpfTarget::buffer(uint32_t port, uint32_t index) {
    return reinterpret_cast<uint16_t*>(tables_[3].at)[port * shape_.config.nodes * shape_.config.window + index];
}

std::vector<fw_source> BpfTarget::sources() {
    const auto* const first = reinterpret_cast<const fw_source*>(tables_[0].at);
    return {first, first + shape_.config.ranks};
}

void BpfTarget::write_source(uint32_t rank, const fw_source& source) {
    reinterpret_cast<fw_source*>(tables_[0].at)[rank] = source;
}

fw_slot BpfTarget::read_slot(uint32_t row, uint32_t slot) {
    const uint32_t at = row % FW_CHUNK_ROWS * shape_.config.window + slot;
    fw_slot record;
    if (bpf_map_lookup_elem(chunks_.at(row / FW_CHUNK_ROWS).get(), &at, &record) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "reading slot {} of row {} failed", slot, row);
    }
    return record;
}

void BpfTarget::write_slot(uint32_t row, uint32_t slot, const fw_slot& record) {
    update(chunks_.at(row / FW_CHUNK_ROWS).get(), row % FW_CHUNK_ROWS * shape_.config.window + slot, &record,
           "fw_slots");
}

void BpfTarget::set_segment(const SegmentShape& segment) {
    const fw_segment entry = segment.entry();
    update(bpf_map__fd(skeleton_->maps.fw_segments), placed(segment_count, segment.index()), &entry, "fw_segments");
}

uint64_t BpfTarget::verified_instructions() const {
    const size_t at = log_.find("processed ");
    return at == std::string::npos ? 0 : std::stoull(log_.substr(at + 10));
}

}  // namespace syncline::test
