// SPDX-License-Identifier: BSD-3-Clause
#include "job/attachment/attachment.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "base/failure.h"
#include "base/memory.h"
#include "base/memory_file.h"
#include "base/os.h"
#include "base/pages.h"
#include "base/standard_descriptors.h"
#include "base/status.h"
#include "base/variables.h"
#include "job/attachment/moved_memory.h"
#include "job/bootstrap.h"
#include "job/heap_size.h"
#include "job/job_variables.h"
#include "job/launchers/gathering.h"
#include "job/launchers/pmi2_launcher.h"
#include "job/launchers/pmix_launcher.h"
#include "job/protocol/job_description.h"
#include "job/protocol/traces.h"

namespace syncline {
namespace {

constexpr uint64_t page = 4096;

uint64_t environment_number(const char* name, int base) {
    const char* const text = std::getenv(name);
    char* rest = nullptr;
    const uint64_t value = text != nullptr ? std::strtoull(text, &rest, base) : 0;
    if (text == nullptr || rest == text || *rest != '\0') {
        fail(SYNCLINE_ERR_INVALID,
             "SYNCLINE_SOCKET is set but {} is '{}', not a number; start the program with `syncline run`", name,
             text != nullptr ? text : "");
    }
    return value;
}

uint64_t limit_of(int resource) {
    rlimit limit = {};
    return ::getrlimit(static_cast<__rlimit_resource>(resource), &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

uint64_t open_files() {
    uint64_t open = 0;
    for (uint64_t fd = 0; fd < limit_of(RLIMIT_NOFILE) && fd < 65536; fd++) {
        open += ::fcntl(static_cast<int>(fd), F_GETFD) >= 0;
    }
    return open;
}

// Checks an answer with `due` descriptors, and `later` ones to come.
void check_descriptors(Message* answer, size_t due, size_t later = 0) {
    if (answer->fds_missing) {
        answer->fds.clear();
        fail(
            SYNCLINE_ERR_SYSTEM,
            "the limit of open files (ulimit -n) is {}, and this PE of the job needs {}; raise it, or run fewer PEs or "
            "nodes",
            limit_of(RLIMIT_NOFILE), open_files() + due + later + 1);
    }
    if (answer->fds.size() != due) {
        fail(SYNCLINE_ERR_PROTOCOL, "the daemon sent {} descriptors where {} were due", answer->fds.size(), due);
    }
}

// Returns a hint for memory that could not be mapped, if a limit of the address space may be the reason.
std::string address_space_hint() {
    const uint64_t limit = limit_of(RLIMIT_AS);
    return limit == RLIM_INFINITY ? ""
                                  : fmt::format("; the address space is limited to {} KiB (ulimit -v)", limit >> 10);
}

void check_page_size() {
    if (const long system_page = ::sysconf(_SC_PAGESIZE); system_page != static_cast<long>(page)) {
        fail(SYNCLINE_ERR_UNSUPPORTED,
             "the pages of this machine have {} bytes; memory of the program becomes shared memory where they have {}",
             system_page, page);
    }
}

// If a process does not come, there is no job. The launcher might let the others wait, or wait itself for one that
// stopped; so this ends the launch for all.
Gathered gather_or_end(Launcher* launcher) {
    try {
        return gather(launcher, gathering_options_from_environment(launcher->ranks()));
    } catch (const Failure& failure) {
        if (failure.status() == SYNCLINE_ERR_PEER || failure.status() == SYNCLINE_ERR_TIMEOUT) {
            fmt::print(stderr, "syncline: {}: ending the job\n", failure.what());
            (void)sleep_on({}, 200 * ns_per_ms);  // a launcher may lose the last output of processes that it ends
            launcher->abort(1);
            (void)sleep_on({}, ns_per_s);
        }
        throw;
    }
}

}  // namespace

void map_shared(Mapping* mapping, int fd, uint64_t bytes, const char* what, bool writable) {
    if (!mapping->map(fd, bytes, writable)) {
        fail_errno(SYNCLINE_ERR_NO_MEMORY, "cannot map the {} ({} bytes{})", what, bytes, address_space_hint());
    }
}

Attachment::Attachment(Job job, uint32_t rank, const NodeTables& tables, const std::vector<uint8_t*>& heaps,
                       std::vector<UniqueFd> events)
    : job_(std::move(job)), rank_(rank), tables_(tables), events_(std::move(events)) {
    for (size_t port = 0; port < heaps.size(); port++) {
        bases_[port * SLW_SEGMENTS_MAX] = heaps[port];
    }
}

std::unique_ptr<Attachment> Attachment::create(const std::vector<uint32_t>& members) {
    fill_standard_descriptors();
    std::unique_ptr<Attachment> attachment(new Attachment);
    const BootstrapChoice choice = choose_bootstrap();
    if (!members.empty() && choice.kind != Bootstrap::kPmix) {
        fail(
            SYNCLINE_ERR_UNSUPPORTED,
            "a job of some processes needs a launcher with PMIx (mpirun, srun --mpi=pmix), and the bootstrap is {}: {}",
            name_of(choice.kind), choice.why);
    }
    switch (choice.kind) {
        case Bootstrap::kLocal: {
            const char* const address = std::getenv("SYNCLINE_SOCKET");
            if (address == nullptr) {
                fail(SYNCLINE_ERR_INVALID,
                     "SYNCLINE_BOOTSTRAP is 'local', and `syncline run` has not started this process");
            }
            attachment->join(Channel::greet(address), static_cast<uint32_t>(environment_number("SYNCLINE_RANK", 10)),
                             static_cast<uint32_t>(environment_number("SYNCLINE_JOB", 16)),
                             environment_number("SYNCLINE_TOKEN", 16));
            attachment->is_watched_ = true;
            break;
        }
        case Bootstrap::kPmix:
            attachment->join_together(connect_to_pmix(members));
            break;
        case Bootstrap::kPmi2:
            attachment->join_together(connect_to_pmi2());
            break;
        default:
            attachment->make_alone();
    }
    if (const uint32_t events = wanted_trace_events(); events != 0) {
        attachment->begin_trace(events);
    }
    return attachment;
}

// Other threads may be asking the daemon over this PE's own connection.
std::vector<ReadTrace> Attachment::traces() const {
    if (trace_.ring() == nullptr) {
        return {};
    }
    try {
        if (launcher_) {
            Channel daemon = Channel::greet(address_of_service());
            return ask_for_traces(&daemon, config().job, config().node);
        }
    } catch (const Failure&) {
        // The daemon is gone, or the job.
    }
    std::vector<ReadTrace> traces;
    if (std::optional<ReadTrace> trace = read_trace(trace_.ring()->copy())) {
        traces.push_back(std::move(*trace));
    }
    return traces;
}

void Attachment::begin_trace(uint32_t events) {
    UniqueFd file;
    if (channel_.valid()) {
        Message request;
        request.type = MessageType::kTrace;
        request.append(TraceRequest{events, 0});
        Message answer = channel_.call(request);
        check_descriptors(&answer, 1);
        file = std::move(answer.fds[0]);
    } else {
        trace_file_ = make_memory_file(trace_file_name, trace_bytes(events));
        if (!trace_file_) {
            fail_errno(SYNCLINE_ERR_NO_MEMORY, "cannot make {} bytes for the trace", trace_bytes(events));
        }
    }
    Mapping memory;
    map_shared(&memory, trace_file_ ? trace_file_.get() : file.get(), trace_bytes(events), "trace");
    trace_.begin(std::make_unique<TraceRing>(
        std::move(memory), events,
        TraceOwner{static_cast<int32_t>(rank_), config().node, config().job, static_cast<uint32_t>(::getpid())}));
    trace_.note(TraceKind::kAttached, static_cast<int32_t>(rank_), static_cast<uint32_t>(::getpid()));
}

// Joins the job that the processes of a launcher make together. A single process makes one by itself.
void Attachment::join_together(std::unique_ptr<Launcher> launcher) {
    if (launcher->ranks() == 1) {
        make_alone();
        return;
    }
    if (launcher->rank() == 0) {
        warn_of_unread_variables();
    }
    Gathered found = gather_or_end(launcher.get());
    join(std::move(found.channel), found.rank, found.job, found.token);
    launcher_ = std::move(launcher);
    launcher_->rest();
}

void Attachment::join(Channel daemon, uint32_t rank, uint32_t job, uint64_t token) {
    channel_ = std::move(daemon);
    rank_ = rank;
    Message attach;
    attach.type = MessageType::kAttach;
    attach.append(AttachRequest{token, job, rank});
    Message answer = channel_.call(attach);
    take_answer(&answer);
    for (uint32_t port = 0; port < config().ports; port++) {
        fetch_segment(port, 0);
    }
}

void Attachment::take_answer(Message* answer) {
    AttachAnswer head = {};
    (void)answer->read(&head);  // the data that follows is read only if this is there
    job_ = read_job(*answer, sizeof(head));
    if (rank_ >= job_.map.ranks() || job_.map.node_of(rank_) != config().node) {
        fail(SYNCLINE_ERR_PROTOCOL, "the daemon's rank map does not have PE {} on this node", rank_);
    }
    const bool ring = (head.flags & kAttachRing) != 0;
    const bool packets = (head.flags & kAttachPackets) != 0;
    const size_t sockets = (head.flags & kAttachSockets) != 0 ? std::min(config().nodes, pe_sockets_max) : 0;
    const size_t others = 3 + (ring ? 1 : 0) + (packets ? 4 : 0) + sockets;
    const size_t events = std::min<size_t>(config().ports, daemon_fds_max - others);
    check_descriptors(answer, others + events, config().ports - events);
    UniqueFd* next = answer->fds.data();
    const auto take = [&next] { return std::move(*next++); };
    map_tables(next);
    next += 3;
    if (ring) {
        map_wake_ring(take());
    }
    if (packets) {
        for (UniqueFd* const fd : {&packets_.completions, &packets_.requests, &packets_.sources, &packets_.directory}) {
            *fd = take();
        }
    }
    std::generate_n(std::back_inserter(sockets_), sockets, take);
    std::generate_n(std::back_inserter(events_), events, take);
    while (events_.size() < config().ports) {
        fetch_events();
    }
}

// Gets the events that are still missing, as many at a time as an answer has room for.
void Attachment::fetch_events() {
    const size_t missing = config().ports - events_.size();
    const size_t due = std::min<size_t>(missing, daemon_fds_max);
    Message request;
    request.type = MessageType::kEvents;
    request.append(EventsRequest{static_cast<uint32_t>(events_.size()), 0});
    Message answer = channel_.call(request);
    check_descriptors(&answer, due, missing - due);
    std::move(answer.fds.begin(), answer.fds.end(), std::back_inserter(events_));
}

void Attachment::map_tables(const UniqueFd* fds) {
    map_shared(&ports_, fds[0].get(), config().ports * sizeof(fw_port), "port words");
    map_shared(&segments_, fds[1].get(), SLW_PORTS_MAX * SLW_SEGMENTS_MAX * sizeof(fw_segment), "segment table", false);
    map_shared(&barriers_, fds[2].get(), barriers_bytes, "barriers");
    show_tables();
}

// BPF ring buffer: the consumer's position is in its first page, the producer's in the second, read-only.
void Attachment::map_wake_ring(UniqueFd fd) {
    wake_ring_ = std::move(fd);
    if (!ring_consumer_.map(wake_ring_.get(), page) || !ring_producer_.map(wake_ring_.get(), page, false, page)) {
        fail_errno(SYNCLINE_ERR_NO_MEMORY, "cannot map the wake ring");
    }
}

void Attachment::show_tables() {
    tables_ = {
        .ports = ports_.at<fw_port>(), .segments = segments_.at<fw_segment>(), .barriers = barriers_.at<fw_barrier>()};
}

void Attachment::make_alone() {
    (void)job_variables();  // most have no meaning here, but nonsense is refused in every job
    warn_of_unread_variables();
    fw_config& config = job_.spec.config;
    config.job = 1;
    config.nodes = config.ranks = config.ports = 1;
    config.window = 32;
    config.packet_max = SLW_PACKET_LEAST;
    const HeapSize size = heap_size_from_environment(1);
    job_.spec.heap_bytes = plus(round_up(size.bytes, SLW_BLOCK_BYTES), heap_reserved_bytes);
    if (job_.spec.heap_bytes > segment_length_max) {
        fail(SYNCLINE_ERR_INVALID, "{} asks for {} bytes, more than the {} that a heap may have", size.variable,
             size.bytes, segment_length_max - heap_reserved_bytes);
    }
    job_.map = RankMap::lay_out("block", 1, 1);
    job_.addresses.resize(1);
    promisable_ = promisable(memory_left().bytes);
    promise_alone(job_.spec.heap_bytes);
    const bool mapped = ports_.map(-1, sizeof(fw_port)) &&
                        segments_.map(-1, SLW_PORTS_MAX * SLW_SEGMENTS_MAX * sizeof(fw_segment)) &&
                        barriers_.map(-1, barriers_bytes);
    Mapping heap;
    if (!mapped || !heap.map_aligned(-1, job_.spec.heap_bytes, heap_alignment)) {
        fail_errno(SYNCLINE_ERR_NO_MEMORY, "cannot map a heap of {} bytes{}; set {} lower", job_.spec.heap_bytes,
                   address_space_hint(), size.variable != nullptr ? size.variable : "SYNCLINE_HEAP_SIZE");
    }
    show_tables();
    bases_[0] = heap.at();
    segments_.at<fw_segment>()[0] = {job_.spec.heap_bytes, FW_SEGMENT_OPEN, 0};
    memory_.push_back(std::move(heap));
    events_.emplace_back(make_event());
}

void Attachment::promise_alone(uint64_t bytes) {
    if (bytes > promisable_) {
        fail(SYNCLINE_ERR_NO_MEMORY, "{} are more than the {} of memory that this PE may still take",
             format_bytes(bytes), format_bytes(promisable_));
    }
    promisable_ -= bytes;
}

void Attachment::fetch_segment(uint32_t port, uint32_t segment) {
    Message request;
    request.type = MessageType::kSegment;
    request.append(SegmentRequest{port, segment});
    Message answer = channel_.call(request);
    SegmentAnswer found = {};
    Mapping mapping;
    check_descriptors(&answer, 1);
    if (!answer.read(&found)) {
        fail(SYNCLINE_ERR_PROTOCOL, "the daemon's answer about segment {} of port {} is too short", segment, port);
    }
    // Each PE's own heap begins alike for alignments that are larger than a page.
    const bool own_heap = segment == 0 && port == this->port();
    if (!(own_heap ? mapping.map_aligned(answer.fds[0].get(), found.bytes, heap_alignment)
                   : mapping.map(answer.fds[0].get(), found.bytes))) {
        fail_errno(SYNCLINE_ERR_NO_MEMORY, "cannot map segment {} of port {} ({} bytes{})", segment, port, found.bytes,
                   address_space_hint());
    }
    __atomic_store_n(&bases_[port * SLW_SEGMENTS_MAX + segment], mapping.at(), __ATOMIC_RELEASE);
    memory_.push_back(std::move(mapping));
}

bool Attachment::map_segment(uint32_t port, uint32_t segment) {
    const uint32_t index = port * SLW_SEGMENTS_MAX + segment;
    if (bases_[index] != nullptr) {
        return true;
    }
    if (alone() || tables_.segments[index].state != FW_SEGMENT_OPEN) {
        return false;
    }
    try {
        fetch_segment(port, segment);
        return true;
    } catch (const Failure&) {
        return false;  // deregistered meanwhile
    }
}

uint32_t Attachment::register_memory(void* base, uint64_t bytes, Contents contents, UniqueFd* file) {
    const auto address = reinterpret_cast<uintptr_t>(base);
    if (base == nullptr || bytes == 0 || address % page != 0 || bytes % page != 0) {
        fail(SYNCLINE_ERR_INVALID, "{} bytes at {} are not whole pages of {} bytes; allocate with aligned_alloc()",
             bytes, base, page);
    }
    if (bytes > segment_length_max || plus(address, bytes) > object_bytes_max) {
        fail(SYNCLINE_ERR_INVALID, "{} bytes at {} are more than a segment's {}, or end beyond memory", bytes, base,
             segment_length_max);
    }
    if (alone()) {
        return register_alone(base, bytes, contents);
    }
    check_page_size();
    uint32_t segment = 0;
    Message answer = ask_for_segment(bytes, &segment);
    Mapping copy;
    Mapping over;
    const auto held = MovedMemory::of_process().hold();
    const bool copies = contents == Contents::kKept;
    if (copies && copy.map(answer.fds[0].get(), bytes)) {
        copy_pages(copy.at(), base, bytes);
    }
    if ((copies && !copy) || !over.map_over(answer.fds[0].get(), base, bytes)) {
        const int error = errno;
        deregister_memory(segment);
        errno = error;
        fail_errno(SYNCLINE_ERR_NO_MEMORY, "cannot replace {} bytes at {}", bytes, base);
    }
    over.release();  // it is the caller's memory
    if (copies) {
        MovedMemory::of_process().add(base, bytes, std::make_shared<const UniqueFd>(std::move(answer.fds[0])), 0);
    } else if (file != nullptr) {
        *file = std::move(answer.fds[0]);
    } else {
        grown_[segment] = {static_cast<uint8_t*>(base), bytes};
    }
    __atomic_store_n(&bases_[port() * SLW_SEGMENTS_MAX + segment], static_cast<uint8_t*>(base), __ATOMIC_RELEASE);
    return segment;
}

uint32_t Attachment::register_alone(void* base, uint64_t bytes, Contents contents) {
    for (uint32_t segment = 1; segment < SLW_SEGMENTS_MAX; segment++) {
        fw_segment* const entry = &segments_.at<fw_segment>()[segment];
        if (entry->state == FW_SEGMENT_NONE) {
            if (contents == Contents::kNew) {  // else the caller has the memory already
                promise_alone(bytes);
                grown_[segment] = {static_cast<uint8_t*>(base), bytes};
            }
            bases_[segment] = static_cast<uint8_t*>(base);
            *entry = {bytes, FW_SEGMENT_OPEN, 0};
            return segment;
        }
    }
    fail(SYNCLINE_ERR_BUSY, "all {} registrations are in use", SLW_SEGMENTS_MAX - 1);
}

Message Attachment::ask_for_segment(uint64_t bytes, uint32_t* segment) {
    Message request;
    request.type = MessageType::kRegister;
    request.append(RegisterRequest{bytes});
    Message answer = channel_.call(request);
    SegmentAnswer made = {};
    check_descriptors(&answer, 1);
    if (!answer.read(&made) || made.segment >= SLW_SEGMENTS_MAX) {
        fail(SYNCLINE_ERR_PROTOCOL, "the daemon's answer to a registration is too short");
    }
    *segment = made.segment;
    return answer;
}

uint32_t Attachment::move_memory(const std::vector<MemoryRun>& runs) {
    check_page_size();
    const uint64_t bytes = bytes_of(runs);
    uint32_t segment = 0;
    UniqueFd file;
    if (alone()) {
        file = make_memory_file("syncline-variables", bytes);
        if (!file) {
            fail_errno(SYNCLINE_ERR_NO_MEMORY, "cannot make {} bytes of memory", bytes);
        }
    } else {
        file = std::move(ask_for_segment(bytes, &segment).fds[0]);
    }
    Mapping whole;
    if (!whole.map(file.get(), bytes)) {
        fail_errno(SYNCLINE_ERR_NO_MEMORY, "cannot map {} bytes{}", bytes, address_space_hint());
    }
    const auto held = MovedMemory::of_process().hold();
    try {
        move_runs(runs, std::move(file), whole.at());
    } catch (const Failure&) {
        if (segment != 0) {
            deregister_memory(segment);
        }
        throw;
    }
    if (alone()) {
        segment = register_alone(whole.at(), bytes, Contents::kKept);
    }
    __atomic_store_n(&bases_[port() * SLW_SEGMENTS_MAX + segment], whole.at(), __ATOMIC_RELEASE);
    memory_.push_back(std::move(whole));
    return segment;
}

void Attachment::deregister_memory(uint32_t segment) {
    const uint32_t index = port() * SLW_SEGMENTS_MAX + segment;
    if (segment == 0 || segment >= SLW_SEGMENTS_MAX || tables_.segments[index].state != FW_SEGMENT_OPEN) {
        fail(SYNCLINE_ERR_ADDRESS, "there is no registration {}", segment);
    }
    if (alone()) {
        segments_.at<fw_segment>()[index] = {0, FW_SEGMENT_NONE, 0};
    } else {
        Message request;
        request.type = MessageType::kDeregister;
        request.append(SegmentRequest{port(), segment});
        channel_.call(request);
    }
    bases_[index] = nullptr;
    grown_.erase(segment);
}

void Attachment::empty_wake_ring() {
    if (ring_consumer_) {
        const uint64_t produced = __atomic_load_n(ring_producer_.at<const uint64_t>(), __ATOMIC_ACQUIRE);
        __atomic_store_n(ring_consumer_.at<uint64_t>(), produced, __ATOMIC_RELEASE);
    }
}

bool Attachment::daemon_alive() {
    if (daemon_gone_.load(std::memory_order_relaxed)) {
        return false;
    }
    if (alone()) {
        return true;
    }
    char byte;
    const ssize_t length = ::recv(channel_.fd(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    const std::optional<std::string> goodbye = length > 0 ? channel_.goodbye() : std::nullopt;
    if (length == 0 || goodbye) {
        explain_node_status(goodbye ? *goodbye : channel_.why_closed());
        daemon_gone_.store(true, std::memory_order_relaxed);
        return false;
    }
    return true;
}

void Attachment::rest(bool rests) {
    if (rests) {
        leave_together();
    }
    if (!alone()) {
        Message request;
        request.type = MessageType::kRest;
        request.append(RestRequest{rests ? 1u : 0u, 0});
        channel_.call(request);
    }
}

void Attachment::abort_job(int code) {
    if (launcher_) {
        launcher_->abort(code);
    } else if (!alone()) {
        Message request;
        request.type = MessageType::kAbort;
        request.append(AbortRequest{code, 0});
        (void)channel_.send(request);  // if the daemon is gone, the job's launcher says so, and ends the job
    }
}

void Attachment::disown() {
    const auto give_up = [](void* start, size_t bytes) {
        (void)::mmap(start, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    };
    trace_.stop();
    (void)launcher_.release();
    channel_.close();
    for (const Mapping& memory : memory_) {
        give_up(memory.at(), memory.length());
    }
    for (const auto& [segment, memory] : grown_) {
        give_up(memory.data(), memory.size());
    }
}

bool Attachment::was_heap(const void* address) const {
    const auto is_in = [&](const uint8_t* start, size_t bytes) {
        return reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(start) < bytes;
    };
    return std::any_of(memory_.begin(), memory_.end(),
                       [&](const Mapping& memory) { return is_in(memory.at(), memory.length()); }) ||
           std::any_of(grown_.begin(), grown_.end(),
                       [&](const auto& part) { return is_in(part.second.data(), part.second.size()); });
}

// A node's part of a job ends with its PEs. All PEs leave together, so that none is gone while another node still asks
// it for an answer that was lost. A PE that waits for one that has died leaves by itself.
void Attachment::leave_together() {
    if (launcher_) {
        try {
            launcher_->exchange(job_.spec.peer_timeout_ms, {});
        } catch (const Failure&) {
            // A PE has died: this one leaves by itself.
        }
        launcher_.reset();
    }
}

void Attachment::detach() {
    leave_together();
    if (!alone() && daemon_alive()) {
        Message request;
        request.type = MessageType::kDetach;
        trace_.note(TraceKind::kLeft, static_cast<int32_t>(rank_));
        try {
            channel_.call(request);
        } catch (const Failure&) {
            // The daemon is gone, so there is nothing to leave.
        }
    }
    channel_.close();
}

}  // namespace syncline
