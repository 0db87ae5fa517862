// SPDX-License-Identifier: BSD-3-Clause
// Barriers and reductions of the native C API.
#include <algorithm>
#include <cstring>

#include "api/native/guard.h"
#include "runtime/collective/barrier.h"
#include "runtime/collective/barrier_numbers.h"
#include "runtime/process/options.h"
#include "syncline.h"

using syncline::Reduction;

static_assert(SYNCLINE_SUM == static_cast<int>(Reduction::kSum) && SYNCLINE_MIN == static_cast<int>(Reduction::kMin) &&
              SYNCLINE_MAX == static_cast<int>(Reduction::kMax) &&
              SYNCLINE_BITAND == static_cast<int>(Reduction::kAnd) &&
              SYNCLINE_BITOR == static_cast<int>(Reduction::kOr) &&
              SYNCLINE_BITXOR == static_cast<int>(Reduction::kXor));

struct syncline_barrier_handle {
    uint32_t number;
    std::vector<uint32_t> ranks;
    std::unique_ptr<syncline::Barrier> barrier;
    int how = 0;  // how the last round combines
};

namespace {

using syncline::error;
using syncline::guarded;
using syncline::process;

enum class Number { kInteger, kDouble, kFloat };

Number number_of(int how) {
    return how < SYNCLINE_SUM_DOUBLE ? Number::kInteger : how < SYNCLINE_SUM_FLOAT ? Number::kDouble : Number::kFloat;
}

Reduction reduction_of(int how) {
    switch (how) {
        case SYNCLINE_SUM_DOUBLE:
            return Reduction::kSumDouble;
        case SYNCLINE_SUM_FLOAT:
            return Reduction::kSumFloat;
        case SYNCLINE_MIN_DOUBLE:
        case SYNCLINE_MIN_FLOAT:
            return Reduction::kMin;
        case SYNCLINE_MAX_DOUBLE:
        case SYNCLINE_MAX_FLOAT:
            return Reduction::kMax;
        default:
            return static_cast<Reduction>(how);
    }
}

template <typename T>
T load(const void* value) {
    T number;
    std::memcpy(&number, value, sizeof(number));
    return number;
}

// Converts the caller's number to the barrier's form.
uint64_t take_value(int how, const void* value) {
    switch (number_of(how)) {
        case Number::kDouble:
            return syncline::value_of(reduction_of(how), load<double>(value));
        case Number::kFloat:
            return syncline::value_of(reduction_of(how), load<float>(value));
        default:
            return load<uint64_t>(value);
    }
}

template <typename T>
void store(void* result, T number) {
    std::memcpy(result, &number, sizeof(number));
}

std::vector<uint32_t> members(int id, const int* ranks, int count, const syncline::Endpoint& endpoint) {
    const auto size = static_cast<int>(endpoint.size());
    std::vector<uint32_t> chosen;
    if (id < 0 || id >= SYNCLINE_BARRIERS_MAX) {
        syncline::fail(SYNCLINE_ERR_INVALID, "there is no barrier number {}; the numbers are 0 to {}", id,
                       SYNCLINE_BARRIERS_MAX - 1);
    }
    if (ranks != nullptr && (count < 1 || count > size)) {
        syncline::fail(SYNCLINE_ERR_INVALID, "the barrier would have {} members, and the job has {} PEs", count, size);
    }
    for (int i = 0; i < (ranks != nullptr ? count : size); i++) {
        const int rank = ranks != nullptr ? ranks[i] : i;
        if (rank < 0 || rank >= size) {
            syncline::fail(SYNCLINE_ERR_RANK, "there is no PE {} in a job of {}", rank, size);
        }
        if (std::find(chosen.begin(), chosen.end(), static_cast<uint32_t>(rank)) != chosen.end()) {
            syncline::fail(SYNCLINE_ERR_INVALID, "PE {} is named twice", rank);
        }
        chosen.push_back(static_cast<uint32_t>(rank));
    }
    if (std::find(chosen.begin(), chosen.end(), endpoint.rank()) == chosen.end()) {
        syncline::fail(SYNCLINE_ERR_INVALID, "PE {} makes the call, but is not a member of barrier {}", endpoint.rank(),
                       id);
    }
    return chosen;
}

syncline::Barrier::Options read_options(const syncline_barrier_options_t* options) {
    syncline_barrier_options_t chosen;
    if (const std::string why = syncline::take_options(options, "syncline_barrier_options_t", &chosen); !why.empty()) {
        syncline::fail(SYNCLINE_ERR_INVALID, "{}", why);
    }
    if (chosen.algorithm < SYNCLINE_BARRIER_AUTO || chosen.algorithm > SYNCLINE_BARRIER_SIGNALS ||
        (chosen.flags & ~uint32_t{SYNCLINE_BARRIER_BY_HOST}) != 0) {
        syncline::fail(SYNCLINE_ERR_INVALID, "there is no algorithm {}, or there are no such flags as {:#x}",
                       chosen.algorithm, chosen.flags);
    }
    return {.algorithm = chosen.algorithm,
            .dimension = chosen.dimension,
            .host = (chosen.flags & SYNCLINE_BARRIER_BY_HOST) != 0};
}

bool has_member(syncline_barrier_t barrier, int rank) {
    return rank >= 0 &&
           std::find(barrier->ranks.begin(), barrier->ranks.end(), static_cast<uint32_t>(rank)) != barrier->ranks.end();
}

template <typename Body>
int with_barrier(const char* call, syncline_barrier_t barrier, Body&& body) {
    return guarded(call,
                   [&] { return barrier == nullptr ? error(SYNCLINE_ERR_INVALID, "the barrier is NULL") : body(); });
}

int start_reduce(syncline_barrier_t barrier, int how, const void* value) {
    if (how < SYNCLINE_SUM || how > SYNCLINE_MAX_FLOAT || value == nullptr) {
        return error(SYNCLINE_ERR_INVALID, "{} is no way to combine values, or there is no value", how);
    }
    barrier->how = how;
    return barrier->barrier->start(reduction_of(how), take_value(how, value));
}

int take_result(syncline_barrier_t barrier, void* result) {
    if (result == nullptr) {
        return error(SYNCLINE_ERR_INVALID, "the pointer to the result is NULL");
    }
    const uint64_t value = barrier->barrier->result();
    const Reduction reduction = reduction_of(barrier->how);
    switch (number_of(barrier->how)) {
        case Number::kDouble:
            store(result, syncline::number_of<double>(reduction, value));
            break;
        case Number::kFloat:
            store(result, syncline::number_of<float>(reduction, value));
            break;
        default:
            store(result, value);
    }
    return SYNCLINE_OK;
}

int reduce(syncline_barrier_t barrier, int how, const void* value, void* result) {
    if (result == nullptr) {
        return error(SYNCLINE_ERR_INVALID, "the pointer to the result is NULL");
    }
    int status = start_reduce(barrier, how, value);
    status = status == SYNCLINE_OK ? barrier->barrier->wait() : status;
    return status == SYNCLINE_OK ? take_result(barrier, result) : status;
}

}  // namespace

extern "C" {

int syncline_barrier_open(int id, const int* ranks_given, int count, const syncline_barrier_options_t* options,
                          syncline_barrier_t* barrier) {
    return guarded("syncline_barrier_open", [&] {
        if (barrier == nullptr) {
            return error(SYNCLINE_ERR_INVALID, "the pointer to the barrier is NULL");
        }
        syncline::Endpoint& endpoint = process->endpoint();
        const std::vector<uint32_t> ranks = members(id, ranks_given, count, endpoint);
        const syncline::Barrier::Options chosen = read_options(options);
        const auto number = static_cast<uint32_t>(id);
        if (const int status = syncline::claim_barrier_number(&endpoint.atomics(), number, ranks[0] == endpoint.rank());
            status != SYNCLINE_OK) {
            return status;
        }
        *barrier = new syncline_barrier_handle{
            .number = number,
            .ranks = ranks,
            .barrier = syncline::open_barrier(&endpoint, &process->barrier_history(), number, ranks, chosen)};
        return static_cast<int>(SYNCLINE_OK);
    });
}

int syncline_barrier_start(syncline_barrier_t barrier) {
    return with_barrier("syncline_barrier_start", barrier,
                        [&] { return barrier->barrier->start(Reduction::kNone, 0); });
}

int syncline_barrier_test(syncline_barrier_t barrier, int* done) {
    return with_barrier("syncline_barrier_test", barrier, [&] {
        return done == nullptr ? error(SYNCLINE_ERR_INVALID, "`done` is NULL") : barrier->barrier->test(done);
    });
}

int syncline_barrier_wait(syncline_barrier_t barrier) {
    return with_barrier("syncline_barrier_wait", barrier, [&] { return barrier->barrier->wait(); });
}

int syncline_fence_barrier(syncline_barrier_t barrier, int algorithm) {
    return with_barrier("syncline_fence_barrier", barrier, [&] {
        return algorithm < SYNCLINE_FENCE_AUTO || algorithm > SYNCLINE_FENCE_LINEAR
                   ? error(SYNCLINE_ERR_INVALID, "there is no algorithm {}", algorithm)
                   : process->fence_barrier(barrier->barrier.get(), barrier->ranks, algorithm);
    });
}

int syncline_barrier_close(syncline_barrier_t barrier) {
    return with_barrier("syncline_barrier_close", barrier, [&] {
        const int status = barrier->barrier->close();
        if (barrier->ranks[0] == process->rank()) {
            syncline::drop_barrier_number(&process->endpoint().atomics(), barrier->number);
        }
        delete barrier;
        return status;
    });
}

int syncline_reduce_start(syncline_barrier_t barrier, int how, const void* value) {
    return with_barrier("syncline_reduce_start", barrier, [&] { return start_reduce(barrier, how, value); });
}

int syncline_reduce_result(syncline_barrier_t barrier, void* result) {
    return with_barrier("syncline_reduce_result", barrier, [&] { return take_result(barrier, result); });
}

int syncline_reduce(syncline_barrier_t barrier, int how, const void* value, void* result) {
    return with_barrier("syncline_reduce", barrier, [&] { return reduce(barrier, how, value, result); });
}

int syncline_broadcast64(syncline_barrier_t barrier, int root, uint64_t* value) {
    return with_barrier("syncline_broadcast64", barrier, [&] {
        if (value == nullptr || !has_member(barrier, root)) {
            return error(SYNCLINE_ERR_INVALID, "PE {} is no member, or there is no value", root);
        }
        const uint64_t mine = static_cast<uint32_t>(root) == process->rank() ? *value : 0;
        return reduce(barrier, SYNCLINE_BITOR, &mine, value);
    });
}

}  // extern "C"
