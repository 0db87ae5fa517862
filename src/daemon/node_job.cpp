// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/node_job.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/failure.h"
#include "base/os.h"
#include "daemon/addresses.h"
#include "firmware/native.h"
#include "job/links/attach_point.h"
#include "job/links/veth.h"
#include "job/protocol/job_description.h"

namespace syncline {

namespace {

constexpr uint64_t limit_of(const JobSpec& spec) {
    return spec.memory_mib != 0 ? uint64_t{spec.memory_mib} << 20 : UINT64_MAX;
}

// Returns how many nodes share the memory: those that are parts of one machine.
uint32_t sharing(const JobSpec& spec) {
    return spec.shared_cpus != 0 ? spec.config.nodes : 1;
}

}  // namespace

// Fills in the facts of the node's own link, which the launcher does not know. A launcher may ask for shorter packets
// than the link carries.
Job NodeJob::completed(Job job) {
    JobSpec& spec = job.spec;
    fw_config& config = spec.config;
    const uint32_t asked = config.packet_max != 0 ? config.packet_max & ~7u : uint32_t{SLW_PACKET_MAX};
    config.packet_max = SLW_PACKET_LEAST;
    if (spec.properties().between_nodes) {
        const std::string found = interface_of(job.addresses[config.node]);
        if (spec.properties().attaches_interface && spec.interface[0] == '\0') {
            found.copy(spec.interface, sizeof(spec.interface) - 1);
        }
        const std::string interface = spec.interface[0] != '\0' ? spec.interface : found;
        config.packet_max = std::clamp<uint32_t>(asked, SLW_PACKET_LEAST, longest_packet_over(interface));
        // A VLAN's frames may be frames of the interface below.
        config.keep_parts = spec.properties().attaches_interface && is_veth(attach_point_of(interface));
    }
    fw_derive_keys(&config);
    return job;
}

NodeJob::NodeJob(Job job, NodeMemory* memory, NicPrograms* programs)
    : job_(completed(std::move(job))),
      programs_(programs),
      memory_(memory, job_.spec.owner_uid, limit_of(job_.spec), sharing(job_.spec),
              [this] { return is_built_.load(std::memory_order_acquire) ? target_->untouched() : 0; }) {
    memory_.begin(initial_bytes(job_.spec));
}

void NodeJob::build() {
    SYNCLINE_ASSERT(target_ == nullptr, "job %08x is built twice", id());
    const fw_config& config = job_.spec.config;
    target_ = NodeTarget::create(job_, programs_);
    ports_.resize(config.ports);
    closing_.resize(config.ports);
    open_ports();
    if (fw_target* const native = target_->native(); native != nullptr) {
        native->wake = wake_port;
        native->wake_context = this;
    }
    if (job_.spec.properties().between_nodes) {
        packets_ = std::make_unique<NodePackets>(job_, target_.get(), &memory_, &trace_);
    }
    is_built_.store(true, std::memory_order_release);
}

NodeJob::~NodeJob() = default;

void NodeJob::open_ports() {
    for (uint32_t port = 0; port < ports_.size(); port++) {
        ports_[port].event.reset(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
        if (!ports_[port].event) {
            fail_errno(SYNCLINE_ERR_SYSTEM, "cannot create an eventfd for port {}", port);
        }
    }
    target_->open_heaps(job_.spec.heap_bytes);
}

void NodeJob::wake_port(void* job, uint32_t port) {
    signal_event(static_cast<NodeJob*>(job)->ports_[port].event.get());
}

int NodeJob::do_work(uint64_t now) {
    return packets_ ? packets_->do_work(now) : 0;
}

void NodeJob::attach(const AttachRequest& request, Message* answer, std::vector<int>* fds, uint32_t* port) {
    const fw_config& config = job_.spec.config;
    if (request.token != job_.spec.token) {
        fail(SYNCLINE_ERR_PERMISSION, "the token is not this job's; start the program with `syncline run`");
    }
    if (request.rank >= config.ranks || job_.map.node_of(request.rank) != config.node) {
        fail(SYNCLINE_ERR_RANK, "PE {} does not belong to this node, which has {}", request.rank,
             fmt::join(job_.map.ranks_of(config.node), ", "));
    }
    const uint32_t index = job_.map.port_of(request.rank);
    if (ports_[index].attached) {
        fail(SYNCLINE_ERR_BUSY, "PE {} has joined the job already; a process joins once", request.rank);
    }
    const bool ring = target_->ring_fd(index) >= 0;
    const bool packets = has_packets(job_.spec);
    const bool sockets = job_.spec.properties().between_nodes;
    const AttachAnswer head = {
        (ring ? kAttachRing : 0u) | (packets ? kAttachPackets : 0u) | (sockets ? kAttachSockets : 0u), 0};
    answer->append(head);
    append_job(answer, job_);
    *fds = {target_->ports_fd(), target_->segments_fd(), target_->barriers_fd()};
    if (ring) {
        fds->push_back(target_->ring_fd(index));
    }
    if (packets) {
        fds->insert(fds->end(), {target_->completions_fd(index), target_->images_fd(index), target_->sources_fd(),
                                 target_->directory_fd()});
    }
    if (sockets) {
        add_sockets(answer, fds);
    }
    add_events(0, fds);
    SYNCLINE_ASSERT(index < ports_.size(), "port %u of %zu", index, ports_.size());
    ports_[index].attached = true;
    *port = index;
}

void NodeJob::add_sockets(Message* answer, std::vector<int>* fds) const {
    const fw_config& config = job_.spec.config;
    for (uint32_t i = 0; i < std::min(config.nodes, pe_sockets_max); i++) {
        UniqueFd socket = make_udp_socket(job_.addresses[config.node], 0);
        fds->push_back(socket.get());
        answer->fds.push_back(std::move(socket));
    }
}

void NodeJob::add_events(uint32_t first, std::vector<int>* fds) const {
    if (first >= ports_.size()) {
        fail(SYNCLINE_ERR_INVALID, "there is no event of port {}", first);
    }
    for (uint32_t port = first; port < ports_.size() && fds->size() < daemon_fds_max; port++) {
        fds->push_back(ports_[port].event.get());
    }
}

// A barrier that this port is a member of, and has not left, will never be complete. A barrier that it was about to
// open is closed as before.
void NodeJob::break_barriers(uint32_t port) {
    for (uint32_t id = 0; id < SLW_BARRIERS_MAX; id++) {
        fw_barrier* const barrier = &target_->barriers()[id];
        uint32_t open = FW_BARRIER_OPEN;
        auto claim = static_cast<uint16_t>(port + 1);
        (void)__atomic_compare_exchange_n(&barrier->drawer, &claim, uint16_t{0}, false, __ATOMIC_SEQ_CST,
                                          __ATOMIC_SEQ_CST);
        const uint64_t* const members = &barrier->ports.word[fw_set_word_of(port)];
        if ((__atomic_load_n(members, __ATOMIC_ACQUIRE) & fw_set_bit_of(port)) != 0) {
            (void)__atomic_compare_exchange_n(&barrier->state, &open, uint32_t{FW_BARRIER_BROKEN}, false,
                                              __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        }
    }
}

void NodeJob::close_port(uint32_t port) {
    trace_.note(ports_[port].dead ? TraceKind::kDied : TraceKind::kLeft, static_cast<int32_t>(rank_at(port)));
    SYNCLINE_ASSERT(port < ports_.size() && ports_[port].attached, "port %u", port);
    break_barriers(port);
    for (uint32_t segment = 0; segment < SLW_SEGMENTS_MAX; segment++) {
        if (target_->segment(port, segment).state == FW_SEGMENT_OPEN) {
            target_->close_segment(port, segment, FW_SEGMENT_CLOSED);
        }
    }
}

void NodeJob::port_died(uint32_t port) {
    const fw_config& config = job_.spec.config;
    SYNCLINE_ASSERT(!ports_[port].dead, "port %u dies twice", port);
    ports_[port].dead = true;
    close_port(port);
    struct Place {
        NodeTarget* target;
        uint32_t port;
    };
    for (uint32_t other = 0; other < config.ports; other++) {
        Place place = {target_.get(), other};
        const auto locate = [](void* context, uint64_t address) -> uint64_t* {
            const auto* const where = static_cast<Place*>(context);
            const uint64_t offset = address & ((1ull << 40) - 1);
            const auto segment = static_cast<uint32_t>(address >> 40);
            if (segment >= SLW_SEGMENTS_MAX || offset % 16 != 0 ||
                offset + 16 > where->target->segment(where->port, segment).length) {
                return nullptr;
            }
            uint8_t* const memory = where->target->segment_memory(where->port, segment);
            return memory != nullptr ? reinterpret_cast<uint64_t*>(memory + offset) : nullptr;
        };
        fw_pair_recover(&target_->ports()[other], job_.map.rank_at(config.node, port) + 1, locate, &place);
    }
}

int NodeJob::segment(const SegmentRequest& request, SegmentAnswer* answer) const {
    if (request.port >= ports_.size() || request.segment >= SLW_SEGMENTS_MAX ||
        target_->segment_fd(request.port, request.segment) < 0 ||
        (request.segment != 0 && target_->segment(request.port, request.segment).state != FW_SEGMENT_OPEN)) {
        fail(SYNCLINE_ERR_NOT_FOUND, "port {} has no segment {}", request.port, request.segment);
    }
    answer->segment = request.segment;
    answer->bytes =
        request.segment == 0 ? job_.spec.heap_bytes : target_->segment(request.port, request.segment).length;
    return target_->segment_fd(request.port, request.segment);
}

int NodeJob::register_segment(uint32_t port, uint64_t bytes, SegmentAnswer* answer) {
    if (bytes == 0 || bytes % 4096 != 0 || bytes > segment_length_max) {
        fail(SYNCLINE_ERR_INVALID, "a registration of {} bytes is not a whole number of pages", bytes);
    }
    for (uint32_t segment = 1; segment < SLW_SEGMENTS_MAX; segment++) {
        if (target_->segment(port, segment).state == FW_SEGMENT_NONE && target_->segment_fd(port, segment) < 0) {
            const uint64_t size = round_up(bytes, SLW_BLOCK_BYTES);
            SYNCLINE_ASSERT(size >= bytes && size % SLW_BLOCK_BYTES == 0, "%lu bytes in %lu", bytes, size);
            memory_.grow(size);
            try {
                target_->open_segment(port, segment, bytes);
            } catch (...) {
                memory_.give_back(size);
                throw;
            }
            *answer = {bytes, segment, 0};
            return target_->segment_fd(port, segment);
        }
    }
    fail(SYNCLINE_ERR_BUSY, "all {} registrations of this PE are in use; end one of them", SLW_SEGMENTS_MAX - 1);
}

void NodeJob::deregister_segment(uint32_t port, uint32_t segment) {
    if (segment == 0 || segment >= SLW_SEGMENTS_MAX || target_->segment(port, segment).state != FW_SEGMENT_OPEN) {
        fail(SYNCLINE_ERR_ADDRESS, "this PE has no registration {}", segment);
    }
    const uint64_t bytes = target_->segment(port, segment).length;
    target_->close_segment(port, segment, FW_SEGMENT_NONE);
    closing_[port] = {round_up(bytes, SLW_BLOCK_BYTES), agent() != nullptr ? agent()->turns() + 2 : 0};
    if (agent() != nullptr) {
        agent()->nudge();
    }
}

// An agent that has gone round twice has begun and ended a packet since then, so it has seen that the segment is
// closed.
bool NodeJob::release_segment(uint32_t port, uint32_t segment) {
    if (agent() != nullptr && agent()->turns() < closing_[port].agent_turn) {
        return false;
    }
    SYNCLINE_ASSERT(closing_[port].bytes != 0, "segment %u of port %u is not closed", segment, port);
    target_->release_segment(port, segment);
    memory_.give_back(closing_[port].bytes);
    return true;
}

uint32_t NodeJob::expected() const {
    return static_cast<uint32_t>(
        std::count_if(ports_.begin(), ports_.end(), [](const Port& port) { return !port.attached; }));
}

// The daemon's own trace is sealed against writes of those that read it. A PE's is not: its process maps it.
void NodeJob::begin_own_trace(uint32_t events) {
    memory_.grow_trace(trace_bytes(events));
    UniqueFd file = make_memfd(trace_file_name, trace_bytes(events));
    Mapping memory;
    if (!memory.map(file.get(), trace_bytes(events))) {
        fail_errno(SYNCLINE_ERR_NO_MEMORY, "cannot map {} bytes for a trace", trace_bytes(events));
    }
    seal_for_readers(file.get());
    trace_file_ = std::move(file);
    trace_.begin(std::make_unique<TraceRing>(
        std::move(memory), events, TraceOwner{-1, job_.spec.config.node, id(), static_cast<uint32_t>(::getpid())}));
}

int NodeJob::begin_trace(uint32_t port, uint32_t events, uint32_t process) {
    if (!std::has_single_bit(events) || events < trace_events_least || events > trace_events_max) {
        fail(SYNCLINE_ERR_INVALID, "a trace of {} events: needs a power of two from {} to {}", events,
             trace_events_least, trace_events_max);
    }
    if (ports_[port].trace) {
        fail(SYNCLINE_ERR_BUSY, "this PE has a trace already");
    }
    if (!trace_.is_on()) {
        begin_own_trace(events);
    }
    memory_.grow_trace(trace_bytes(events));
    UniqueFd file = make_memfd(trace_file_name, trace_bytes(events));
    seal_for_writers(file.get());
    ports_[port].trace = std::move(file);
    trace_.note(TraceKind::kAttached, static_cast<int32_t>(rank_at(port)), process);
    return ports_[port].trace.get();
}

uint32_t NodeJob::add_traces(uint32_t first, std::vector<int>* fds) const {
    uint32_t traces = 0;
    const auto add = [&](const UniqueFd& trace) {
        if (trace && traces++ >= first && fds->size() < daemon_fds_max) {
            fds->push_back(trace.get());
        }
    };
    add(trace_file_);
    for (const Port& port : ports_) {
        add(port.trace);
    }
    return traces;
}

void NodeJob::prove(Message* answer) {
    SYNCLINE_ASSERT(is_built_.load(std::memory_order_relaxed), "job %08x", id());
    const std::vector<uint32_t> silent = packets_ ? packets_->neighbours().greet() : std::vector<uint32_t>();
    ProofAnswer head = {static_cast<uint32_t>(silent.size()), {}};
    std::copy(silent.begin(), silent.end(), head.nodes);
    const std::string link = target_->obstacle();
    answer->append(head);
    answer->append(link.data(), link.size());
}

void NodeJob::set_agent_mode(AgentMode mode) {
    if (agent() != nullptr) {
        agent()->set_mode(mode);
    }
}

}  // namespace syncline
