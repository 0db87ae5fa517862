// SPDX-License-Identifier: BSD-3-Clause
#include "api/armci/transfer.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <list>
#include <memory>

namespace syncline::armci {
namespace {

// Bytes of local memory that one operation of the library takes: those that are not in one part are gathered.
constexpr uint64_t bytes_at_once = 1 << 20;
constexpr size_t pieces_at_once = 8192;

struct Pending {
    syncline_request_t request;
    uint64_t handle;
    int process;
    std::vector<uint8_t> gathered;     // the operation's local bytes; empty: they are the program's
    std::vector<Segment> to_scatter;   // of a get
    uint64_t bytes = 0;                // of each
};

std::list<Pending> pending;
uint64_t last_handle = 0;

int element_of(int type) {
    switch (type) {
        case ARMCI_ACC_INT:
            return SYNCLINE_INT32;
        case ARMCI_ACC_LNG:
            return SYNCLINE_INT64;
        case ARMCI_ACC_FLT:
            return SYNCLINE_FLOAT;
        case ARMCI_ACC_DBL:
            return SYNCLINE_DOUBLE;
        case ARMCI_ACC_CPL:
            return SYNCLINE_COMPLEX_FLOAT;
        case ARMCI_ACC_DCP:
            return SYNCLINE_COMPLEX_DOUBLE;
        default:
            refuse("there is no accumulate of type {}", type);
    }
}

uint64_t width_of(int type) {
    switch (type) {
        case ARMCI_ACC_INT:
        case ARMCI_ACC_FLT:
            return 4;
        case ARMCI_ACC_DCP:
            return 16;
        default:
            return 8;
    }
}

template <typename T>
void scale_all(uint8_t* bytes, uint64_t count, const void* scale) {
    T factor;
    std::memcpy(&factor, scale, sizeof(factor));
    auto* const numbers = reinterpret_cast<T*>(bytes);
    for (uint64_t i = 0; i < count / sizeof(T); i++) {
        numbers[i] *= factor;
    }
}

template <typename T>
bool is_one(const void* scale) {
    T factor;
    std::memcpy(&factor, scale, sizeof(factor));
    return factor == T(1);
}

bool scales(int type, const void* scale) {
    switch (type) {
        case ARMCI_ACC_INT:
            return !is_one<int>(scale);
        case ARMCI_ACC_LNG:
            return !is_one<long>(scale);
        case ARMCI_ACC_FLT:
            return !is_one<float>(scale);
        case ARMCI_ACC_DBL:
            return !is_one<double>(scale);
        case ARMCI_ACC_CPL:
            return !is_one<std::complex<float>>(scale);
        default:
            return !is_one<std::complex<double>>(scale);
    }
}

// Wraps around where the machine's integers do.
void apply_scale(int type, const void* scale, std::vector<uint8_t>* bytes) {
    switch (type) {
        case ARMCI_ACC_INT:
            return scale_all<unsigned>(bytes->data(), bytes->size(), scale);
        case ARMCI_ACC_LNG:
            return scale_all<unsigned long>(bytes->data(), bytes->size(), scale);
        case ARMCI_ACC_FLT:
            return scale_all<float>(bytes->data(), bytes->size(), scale);
        case ARMCI_ACC_DBL:
            return scale_all<double>(bytes->data(), bytes->size(), scale);
        case ARMCI_ACC_CPL:
            return scale_all<std::complex<float>>(bytes->data(), bytes->size(), scale);
        default:
            return scale_all<std::complex<double>>(bytes->data(), bytes->size(), scale);
    }
}

// Segments that follow each other on both sides become one piece. All lie in one region.
struct Batch {
    syncline_address_t base = 0;
    std::vector<syncline_piece_t> pieces;
    std::vector<Segment> segments;  // as the program gave them
    uint64_t total = 0;
    bool one_part = true;  // of local memory
};

// The next segments, as many as one operation takes; moves *first past them.
Batch next_batch(const Pieces& pieces, size_t* first) {
    Batch batch;
    batch.base = place_of("remote address", pieces.segments[*first].remote, pieces.bytes, pieces.process).address >> 40
                 << 40;
    while (*first < pieces.segments.size() && batch.pieces.size() < pieces_at_once &&
           (batch.segments.empty() || batch.total + pieces.bytes <= bytes_at_once)) {
        const Segment& segment = pieces.segments[*first];
        const Place place = place_of("remote address", segment.remote, pieces.bytes, pieces.process);
        if (place.address >> 40 != batch.base >> 40) {
            break;
        }
        const uint64_t offset = place.address - batch.base;
        if (!batch.pieces.empty() && batch.pieces.back().offset + batch.pieces.back().bytes == offset) {
            batch.pieces.back().bytes += pieces.bytes;
        } else {
            batch.pieces.push_back({offset, pieces.bytes});
        }
        batch.one_part = batch.one_part &&
                         (batch.segments.empty() || batch.segments.back().local + pieces.bytes == segment.local);
        batch.segments.push_back(segment);
        batch.total += pieces.bytes;
        ++*first;
    }
    return batch;
}

void scatter(const std::vector<Segment>& segments, uint64_t bytes, const uint8_t* from) {
    for (const Segment& segment : segments) {
        std::memcpy(segment.local, from, bytes);
        from += bytes;
    }
}

std::vector<uint8_t> gathered(const Batch& batch, uint64_t bytes) {
    std::vector<uint8_t> all(batch.total);
    uint8_t* at = all.data();
    for (const Segment& segment : batch.segments) {
        std::memcpy(at, segment.local, bytes);
        at += bytes;
    }
    return all;
}

int run(const Pieces& what, const Batch& batch, uint8_t* local, syncline_request_t* request) {
    const syncline_piece_t* const list = batch.pieces.data();
    const size_t count = batch.pieces.size();
    const int rank = what.process;
    switch (what.kind) {
        case Kind::kPut:
            if (count == 1) {
                const syncline_address_t at = batch.base + list[0].offset;
                return request == nullptr ? syncline_put(rank, at, local, batch.total)
                                          : syncline_put_nb(rank, at, local, batch.total, 0, request);
            }
            return request == nullptr ? syncline_put_pieces(rank, batch.base, list, count, local)
                                      : syncline_put_pieces_nb(rank, batch.base, list, count, local, 0, request);
        case Kind::kGet:
            if (count == 1) {
                const syncline_address_t at = batch.base + list[0].offset;
                return request == nullptr ? syncline_get(rank, at, local, batch.total)
                                          : syncline_get_nb(rank, at, local, batch.total, 0, request);
            }
            return request == nullptr ? syncline_get_pieces(rank, batch.base, list, count, local)
                                      : syncline_get_pieces_nb(rank, batch.base, list, count, local, 0, request);
        default: {
            const int element = element_of(what.type);
            return request == nullptr
                       ? syncline_accumulate_pieces(rank, batch.base, element, list, count, local)
                       : syncline_accumulate_pieces_nb(rank, batch.base, element, list, count, local, 0, request);
        }
    }
}

// On one node, by the CPU. Of accumulates the library sees to atomicity.
bool copy_here(const Pieces& what) {
    if (what.kind == Kind::kAccumulate || what.segments.empty()) {
        return what.segments.empty();
    }
    if (place_of("remote address", what.segments[0].remote, what.bytes, what.process).mapped == nullptr) {
        return false;
    }
    for (const Segment& segment : what.segments) {
        uint8_t* const remote = place_of("remote address", segment.remote, what.bytes, what.process).mapped;
        what.kind == Kind::kPut ? std::memcpy(remote, segment.local, what.bytes)
                                : std::memcpy(segment.local, remote, what.bytes);
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return true;
}

void move_batch(const Pieces& what, const Batch& batch, const Later* later) {
    Pending operation = {0, later == nullptr ? 0 : later->handle, what.process, {}, {}, what.bytes};
    const bool scaled = what.kind == Kind::kAccumulate && scales(what.type, what.scale);
    if (what.kind == Kind::kGet && !batch.one_part) {
        operation.gathered.resize(batch.total);
        operation.to_scatter = batch.segments;
    } else if (!batch.one_part || scaled) {
        operation.gathered = gathered(batch, what.bytes);
    }
    if (scaled) {
        apply_scale(what.type, what.scale, &operation.gathered);
    }
    uint8_t* const local = operation.gathered.empty() ? batch.segments[0].local : operation.gathered.data();
    if (later == nullptr) {
        check(run(what, batch, local, nullptr));
        scatter(operation.to_scatter, what.bytes, operation.gathered.data());
        return;
    }
    pending.push_back(std::move(operation));
    const int status = run(what, batch, local, &pending.back().request);
    if (status < 0) {
        pending.pop_back();
    }
    check(status);
}

}  // namespace

Pieces section(Kind kind, uint8_t* local, const int* local_strides, uint8_t* remote, const int* remote_strides,
               const int* count, int levels, int process) {
    check_process(process);
    if (levels < 0 || levels > ARMCI_MAX_STRIDE_LEVEL) {
        refuse("stride levels is {}: 0 to {} are possible", levels, ARMCI_MAX_STRIDE_LEVEL);
    }
    if (count == nullptr || (levels > 0 && (local_strides == nullptr || remote_strides == nullptr))) {
        refuse("{} is NULL", count == nullptr ? "count" : "an array of strides");
    }
    uint64_t segments = 1;
    for (int level = 0; level <= levels; level++) {
        if (count[level] < 0 || (level > 0 && __builtin_mul_overflow(segments, static_cast<uint64_t>(count[level]), &segments))) {
            refuse("count[{}] is {}", level, count[level]);
        }
        if (level < levels && (local_strides[level] < 0 || remote_strides[level] < 0)) {
            refuse("a stride of level {} is negative", level);
        }
    }
    Pieces pieces = {.kind = kind, .process = process, .bytes = static_cast<uint64_t>(count[0]), .segments = {}};
    if (pieces.bytes == 0 || segments == 0) {
        return pieces;
    }
    if (local == nullptr || remote == nullptr) {
        refuse("{} is NULL", local == nullptr ? "the local address" : "the remote address");
    }
    pieces.segments.reserve(segments);
    std::vector<int> at(static_cast<size_t>(levels) + 1);
    for (uint64_t i = 0; i < segments; i++) {
        uint64_t here = 0, there = 0;
        for (int level = 0; level < levels; level++) {
            here += static_cast<uint64_t>(at[static_cast<size_t>(level) + 1]) * static_cast<uint64_t>(local_strides[level]);
            there +=
                static_cast<uint64_t>(at[static_cast<size_t>(level) + 1]) * static_cast<uint64_t>(remote_strides[level]);
        }
        pieces.segments.push_back({local + here, remote + there});
        for (int level = 1; level <= levels && ++at[static_cast<size_t>(level)] == count[level]; level++) {
            at[static_cast<size_t>(level)] = 0;
        }
    }
    return pieces;
}

Pieces list(Kind kind, const armci_giov_t* one, int, int process) {
    check_process(process);
    if (one->ptr_array_len < 0 || one->bytes < 0) {
        refuse("a list has {} pieces of {} bytes", one->ptr_array_len, one->bytes);
    }
    Pieces pieces = {.kind = kind, .process = process, .bytes = static_cast<uint64_t>(one->bytes), .segments = {}};
    for (int i = 0; i < one->ptr_array_len && one->bytes != 0; i++) {
        auto* const source = static_cast<uint8_t*>(one->src_ptr_array[i]);
        auto* const target = static_cast<uint8_t*>(one->dst_ptr_array[i]);
        if (source == nullptr || target == nullptr) {
            refuse("piece {} has an address that is NULL", i);
        }
        pieces.segments.push_back(kind == Kind::kGet ? Segment{target, source} : Segment{source, target});
    }
    return pieces;
}

void move(Pieces what, const Later* later) {
    if (what.kind == Kind::kAccumulate) {
        (void)element_of(what.type);
        if (what.scale == nullptr) {
            refuse("scale is NULL");
        }
        if (what.bytes % width_of(what.type) != 0) {
            refuse("{} bytes are no whole numbers of {} bytes", what.bytes, width_of(what.type));
        }
    }
    if (copy_here(what)) {
        return;
    }
    for (const Segment& segment : what.segments) {  // before anything moves
        (void)place_of("remote address", segment.remote, what.bytes, what.process);
    }
    for (size_t first = 0; first < what.segments.size();) {
        move_batch(what, next_batch(what, &first), later);
    }
}

uint64_t new_handle() {
    return ++last_handle;
}

bool finish(const uint64_t* handle, const int* process, bool waits) {
    bool all = true;
    for (auto operation = pending.begin(); operation != pending.end();) {
        if ((handle != nullptr && operation->handle != *handle) || (process != nullptr && operation->process != *process)) {
            ++operation;
            continue;
        }
        int done = 1;
        const int status = waits ? syncline_wait(operation->request) : syncline_test(operation->request, &done);
        check(status);
        if (!done) {
            all = false;
            ++operation;
            continue;
        }
        scatter(operation->to_scatter, operation->bytes, operation->gathered.data());
        operation = pending.erase(operation);
    }
    return all;
}

}  // namespace syncline::armci
