// SPDX-License-Identifier: BSD-3-Clause
#include "core/attachment.h"

#include <sys/eventfd.h>
#include <sys/socket.h>

#include <cctype>
#include <cstdlib>
#include <string_view>

#include "base/failure.h"

namespace syncline {
namespace {

constexpr uint64_t page = 4096;

uint64_t environment_number(const char* name, int base) {
    const char* const text = std::getenv(name);
    char* rest = nullptr;
    const uint64_t value = text != nullptr ? std::strtoull(text, &rest, base) : 0;
    if (text == nullptr || rest == text || *rest != '\0') {
        fail(
            SYNCLINE_ERR_INVALID,
            "syncline_init: SYNCLINE_SOCKET is set but {} is '{}', not a number; start the program with `syncline run`",
            name, text != nullptr ? text : "");
    }
    return value;
}

uint64_t heap_size_from_environment() {
    const char* const text = std::getenv("SYNCLINE_HEAP_SIZE");
    uint64_t bytes = 0;
    if (text != nullptr) {
        char* unit = nullptr;
        bytes = std::strtoull(text, &unit, 10);
        const std::string_view units = "KMGT";
        const size_t power = *unit != '\0' ? units.find(static_cast<char>(std::toupper(*unit))) : 0;
        if (unit == text || power == std::string_view::npos) {
            fail(SYNCLINE_ERR_INVALID, "syncline_init: SYNCLINE_HEAP_SIZE is '{}', not a size such as 64MiB", text);
        }
        bytes = times(bytes, *unit != '\0' ? uint64_t{1} << 10 * (power + 1) : 1);
    }
    const uint64_t heap = plus(round_up(bytes != 0 ? bytes : 32u << 20, SLW_BLOCK_BYTES), heap_reserved_bytes);
    if (heap > segment_length_max) {
        fail(SYNCLINE_ERR_INVALID,
             "syncline_init: SYNCLINE_HEAP_SIZE is '{}', more than the {} bytes that a heap may have", text,
             segment_length_max - heap_reserved_bytes);
    }
    return heap;
}

// All of them, with what sanitizers have put between a program's variables, which nobody else may read.
__attribute__((no_sanitize_address)) void copy_pages(void* to, const void* from, uint64_t bytes) {
    using Word = uint64_t __attribute__((may_alias));
    auto* const target = static_cast<volatile Word*>(to);
    const auto* const source = static_cast<const volatile Word*>(from);
    for (uint64_t i = 0; i < bytes / sizeof(Word); i++) {
        target[i] = source[i];
    }
}

}  // namespace

Attachment::Attachment(Job job, uint32_t rank, const SharedTables& tables, const std::vector<uint8_t*>& heaps,
                       std::vector<UniqueFd> events)
    : job_(std::move(job)), rank_(rank), tables_(tables), events_(std::move(events)) {
    for (size_t port = 0; port < heaps.size(); port++) {
        bases_[port * SLW_SEGMENTS_MAX] = heaps[port];
    }
}

std::unique_ptr<Attachment> Attachment::create() {
    std::unique_ptr<Attachment> attachment(new Attachment);
    const char* const address = std::getenv("SYNCLINE_SOCKET");
    if (address == nullptr) {
        attachment->make_alone();
    } else {
        attachment->join(address, static_cast<uint32_t>(environment_number("SYNCLINE_RANK", 10)),
                         static_cast<uint32_t>(environment_number("SYNCLINE_JOB", 16)),
                         environment_number("SYNCLINE_TOKEN", 16));
    }
    return attachment;
}

void Attachment::join(const std::string& address, uint32_t rank, uint32_t job, uint64_t token) {
    channel_ = Channel::connect(address);
    rank_ = rank;
    Message hello;
    channel_.call(hello);
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
    if (!answer->read(&head) || !answer->read(&job_.spec, sizeof(head)) || head.nodes == 0 ||
        head.nodes != job_.spec.config.nodes) {
        fail(SYNCLINE_ERR_PROTOCOL, "syncline_init: the daemon's description of the job is too short");
    }
    job_.nodes.resize(head.nodes);
    for (uint32_t i = 0; i < head.nodes; i++) {
        if (!answer->read(&job_.nodes[i], sizeof(head) + sizeof(JobSpec) + i * sizeof(JobNode))) {
            fail(SYNCLINE_ERR_PROTOCOL, "syncline_init: the daemon's list of nodes is too short");
        }
    }
    map_all(&answer->fds, head.flags);
}

void Attachment::map_all(std::vector<UniqueFd>* fds, uint32_t flags) {
    const uint32_t nodes = flags & kAttachSockets ? config().nodes : 0;
    const size_t extra = 6 + (flags & kAttachRing ? 1 : 0);
    if (fds->size() != extra + config().ports + nodes) {
        fail(SYNCLINE_ERR_PROTOCOL, "syncline_init: the daemon sent {} descriptors where {} were due", fds->size(),
             extra + config().ports + nodes);
    }
    size_t next = 0;
    const auto map = [&](Mapping* mapping, uint64_t bytes, bool writable, const char* what) {
        if (!mapping->map((*fds)[next++].get(), bytes, writable)) {
            fail_errno(SYNCLINE_ERR_NO_MEMORY, "syncline_init: cannot map the {} ({} bytes)", what, bytes);
        }
    };
    map(&ports_, config().ports * sizeof(fw_port), true, "port words");
    map(&segments_, SLW_PORTS_MAX * SLW_SEGMENTS_MAX * sizeof(fw_segment), false, "segment table");
    map(&completions_, completions_bytes(config()), true, "completions");
    map(&requests_, requests_bytes(config()), true, "request images");
    map(&barriers_, barriers_bytes, true, "barriers");
    map(&slots_, slots_bytes(config()), executes(), "slot tables");
    if ((flags & kAttachRing) != 0) {
        wake_ring_ = std::move((*fds)[next]);
        // BPF ring buffer: the consumer's position is in its first page, the producer's in the second, read-only.
        if (!ring_consumer_.map(wake_ring_.get(), page) || !ring_producer_.map(wake_ring_.get(), page, false, page)) {
            fail_errno(SYNCLINE_ERR_NO_MEMORY, "syncline_init: cannot map the wake ring");
        }
        next++;
    }
    show_tables();
    for (uint32_t i = 0; i < config().ports; i++) {
        events_.push_back(std::move((*fds)[next++]));
    }
    for (uint32_t i = 0; i < nodes; i++) {
        sockets_.push_back(std::move((*fds)[next++]));
    }
}

void Attachment::show_tables() {
    tables_ = {ports_.at<fw_port>(),           segments_.at<fw_segment>(),
               barriers_.at<fw_barrier>(),     completions_.at<fw_completion>(),
               requests_.at<RequestsHeader>(), slots_ ? slots_.at<fw_slot>() : nullptr};
}

void Attachment::make_alone() {
    fw_config& config = job_.spec.config;
    config.job = 1;
    config.nodes = config.ranks = config.ports = 1;
    config.window = 32;
    job_.spec.heap_bytes = heap_size_from_environment();
    job_.nodes.resize(1);
    job_.nodes[0].ports = 1;
    const bool mapped = ports_.map(-1, sizeof(fw_port)) &&
                        segments_.map(-1, SLW_PORTS_MAX * SLW_SEGMENTS_MAX * sizeof(fw_segment)) &&
                        completions_.map(-1, completions_bytes(config)) && requests_.map(-1, requests_bytes(config)) &&
                        barriers_.map(-1, barriers_bytes) && slots_.map(-1, slots_bytes(config));
    Mapping heap;
    if (!mapped || !heap.map_aligned(-1, job_.spec.heap_bytes, heap_alignment)) {
        fail_errno(SYNCLINE_ERR_NO_MEMORY, "syncline_init: cannot map a heap of {} bytes; set SYNCLINE_HEAP_SIZE lower",
                   job_.spec.heap_bytes);
    }
    show_tables();
    bases_[0] = heap.at();
    segments_.at<fw_segment>()[0] = {job_.spec.heap_bytes, FW_SEGMENT_OPEN, 0};
    memory_.push_back(std::move(heap));
    events_.emplace_back(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
}

void Attachment::fetch_segment(uint32_t port, uint32_t segment) {
    Message request;
    request.type = MessageType::kSegment;
    request.append(SegmentRequest{port, segment});
    Message answer = channel_.call(request);
    SegmentAnswer found = {};
    Mapping mapping;
    if (!answer.read(&found) || answer.fds.size() != 1) {
        fail(SYNCLINE_ERR_PROTOCOL, "the daemon's answer about segment {} of port {} is too short", segment, port);
    }
    // Own heaps begin alike at all PEs for alignments that are larger than a page.
    const bool own_heap = segment == 0 && port == this->port();
    if (!(own_heap ? mapping.map_aligned(answer.fds[0].get(), found.bytes, heap_alignment)
                   : mapping.map(answer.fds[0].get(), found.bytes))) {
        fail_errno(SYNCLINE_ERR_NO_MEMORY, "cannot map segment {} of port {} ({} bytes)", segment, port, found.bytes);
    }
    __atomic_store_n(&bases_[port * SLW_SEGMENTS_MAX + segment], mapping.at(), __ATOMIC_RELEASE);
    memory_.push_back(std::move(mapping));
}

bool Attachment::map_segment(uint32_t port, uint32_t segment) {
    const uint32_t index = port * SLW_SEGMENTS_MAX + segment;
    if (bases_[index] != nullptr) {
        return true;
    }
    if (alone() || segments()[index].state != FW_SEGMENT_OPEN) {
        return false;
    }
    try {
        fetch_segment(port, segment);
        return true;
    } catch (const Failure&) {
        return false;  // deregistered meanwhile
    }
}

uint32_t Attachment::register_memory(void* base, uint64_t bytes, Contents contents) {
    const auto address = reinterpret_cast<uintptr_t>(base);
    if (base == nullptr || bytes == 0 || address % page != 0 || bytes % page != 0) {
        fail(SYNCLINE_ERR_INVALID,
             "syncline_register: {} bytes at {} are not whole pages of {} bytes; allocate with aligned_alloc()", bytes,
             base, page);
    }
    if (bytes > segment_length_max || plus(address, bytes) > object_bytes_max) {
        fail(SYNCLINE_ERR_INVALID,
             "syncline_register: {} bytes at {} are more than a segment's {}, or end beyond memory", bytes, base,
             segment_length_max);
    }
    if (alone()) {
        for (uint32_t segment = 1; segment < SLW_SEGMENTS_MAX; segment++) {
            fw_segment* const entry = &segments_.at<fw_segment>()[segment];
            if (entry->state == FW_SEGMENT_NONE) {
                bases_[segment] = static_cast<uint8_t*>(base);
                *entry = {bytes, FW_SEGMENT_OPEN, 0};
                return segment;
            }
        }
        fail(SYNCLINE_ERR_BUSY, "syncline_register: all {} registrations are in use", SLW_SEGMENTS_MAX - 1);
    }
    Message request;
    request.type = MessageType::kRegister;
    request.append(RegisterRequest{bytes});
    Message answer = channel_.call(request);
    SegmentAnswer made = {};
    if (!answer.read(&made) || answer.fds.size() != 1 || made.segment >= SLW_SEGMENTS_MAX) {
        fail(SYNCLINE_ERR_PROTOCOL, "the daemon's answer to a registration is too short");
    }
    Mapping copy;
    Mapping over;
    const bool copies = contents == Contents::kKept;
    if (copies && copy.map(answer.fds[0].get(), bytes)) {
        copy_pages(copy.at(), base, bytes);
    }
    if ((copies && !copy) || !over.map_over(answer.fds[0].get(), base, bytes)) {
        const int error = errno;
        deregister_memory(made.segment);
        errno = error;
        fail_errno(SYNCLINE_ERR_NO_MEMORY, "syncline_register: cannot replace {} bytes at {}", bytes, base);
    }
    over.release();  // it is the caller's memory
    __atomic_store_n(&bases_[port() * SLW_SEGMENTS_MAX + made.segment], static_cast<uint8_t*>(base), __ATOMIC_RELEASE);
    return made.segment;
}

void Attachment::deregister_memory(uint32_t segment) {
    const uint32_t index = port() * SLW_SEGMENTS_MAX + segment;
    if (segment == 0 || segment >= SLW_SEGMENTS_MAX || segments()[index].state != FW_SEGMENT_OPEN) {
        fail(SYNCLINE_ERR_ADDRESS, "syncline_deregister: there is no registration {}", segment);
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
}

void Attachment::empty_wake_ring() {
    if (ring_consumer_) {
        const uint64_t produced = __atomic_load_n(ring_producer_.at<const uint64_t>(), __ATOMIC_ACQUIRE);
        __atomic_store_n(ring_consumer_.at<uint64_t>(), produced, __ATOMIC_RELEASE);
    }
}

bool Attachment::daemon_alive() {
    if (alone() || daemon_gone_.load(std::memory_order_relaxed)) {
        return alone();
    }
    char byte;
    if (::recv(channel_.fd(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) {
        daemon_gone_.store(true, std::memory_order_relaxed);
        return false;
    }
    return true;
}

void Attachment::abort_job(int code) {
    if (!alone()) {
        Message request;
        request.type = MessageType::kAbort;
        request.append(AbortRequest{code, 0});
        channel_.send(request);
    }
}

void Attachment::detach() {
    if (!alone() && daemon_alive()) {
        Message request;
        request.type = MessageType::kDetach;
        try {
            channel_.call(request);
        } catch (const Failure&) {
            // The daemon is gone: there is nothing to leave.
        }
    }
    channel_.close();
}

}  // namespace syncline
