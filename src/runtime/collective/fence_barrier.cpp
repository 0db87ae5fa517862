// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/collective/fence_barrier.h"

#include <bit>

#include "base/check.h"
#include "base/status.h"
#include "runtime/collective/job_barrier.h"
#include "runtime/ground/error_text.h"

namespace syncline {
namespace {

// Counts arrive in words behind RuntimeWords::counts of every PE: round << 32 | count, so that each word tells by
// itself whether it has come. One place for each count is enough: no PE is in the next round before all PEs have been
// through the barrier of this round.
//
//   [0, n)       at the partner of a PE beyond the power of two: all counts of that PE
//   [n]          the partner's answer to that PE
//   f + 2x       in the phase of distance x: 2x words, the counts of the half of the PEs to which this PE belongs;
//                f = n + 1, or 0 if n is a power of two
constexpr uint32_t place_of_phase(uint32_t size, uint32_t distance) {
    return (std::has_single_bit(size) ? 0 : size + 1) + 2 * distance;
}

constexpr syncline_address_t end_of_places(uint32_t size) {
    return RuntimeWords::counts + uint64_t{place_of_phase(size, std::bit_floor(size))} * 8;
}

constexpr uint32_t pes_max = RuntimeWords::counted_pes;
static_assert(end_of_places(pes_max) <= RuntimeWords::signals && end_of_places(pes_max - 1) <= RuntimeWords::signals);

syncline_address_t address_of_place(uint32_t place) {
    return RuntimeWords::counts + uint64_t{place} * 8;
}

// Returns the PEs whose counts PE `me` sends to its partner at that distance: the PEs below the power of two that agree
// with the partner in the distance's bit and above, and the PEs beyond the power of two that belong to them.
std::vector<uint32_t> half_of(uint32_t partner, uint32_t distance, uint32_t power, uint32_t size) {
    std::vector<uint32_t> half;
    const uint32_t first = partner & ~(distance - 1);
    for (uint32_t base : {first, first + power}) {
        for (uint32_t i = 0; i < distance && base + i < size; i++) {
            half.push_back(base + i);
        }
    }
    return half;
}

}  // namespace

int FenceBarrier::run(Barrier* barrier, std::span<const uint32_t> members, int algorithm) {
    if (barrier->is_running()) {
        return error(SYNCLINE_ERR_INVALID, "a round of the barrier is running; wait for it");
    }
    const int fenced = fence(members, algorithm);
    if (fenced == SYNCLINE_ERR_UNSUPPORTED) {
        return fenced;
    }
    const std::string text = fenced != SYNCLINE_OK ? last_sentence() : "";
    if (fenced == SYNCLINE_ERR_NODE) {
        return fenced;
    }
    const int passed = barrier->pass();
    return passed != SYNCLINE_OK || fenced == SYNCLINE_OK ? passed : error(fenced, "{}", text);
}

int FenceBarrier::fence(std::span<const uint32_t> members, int algorithm) {
    if (algorithm == SYNCLINE_FENCE_LINEAR) {
        return confirm_in_turn();
    }
    return algorithm == SYNCLINE_FENCE_COUNTS ? await_counts(members) : endpoint_->posting().quiet();
}

// The first PE of a node answers for its node.
int FenceBarrier::confirm_in_turn() {
    const RankMap& map = endpoint_->attachment().job().map;
    confirmed_.resize(map.nodes());
    int status = SYNCLINE_OK;
    for (uint32_t node = 0; node < map.nodes(); node++) {
        const uint32_t first = map.rank_at(node, 0);
        const uint32_t issued = endpoint_->fabrics().issued(static_cast<int>(first));
        if (endpoint_->fabrics().counts_requests() && issued == confirmed_[node]) {
            continue;
        }
        confirmed_[node] = issued;
        int confirmed = endpoint_->posting().fence(static_cast<int>(first));
        confirmed = confirmed == SYNCLINE_OK ? endpoint_->reserved().probe(first) : confirmed;
        status = status == SYNCLINE_OK ? confirmed : status;
    }
    return status;
}

// Returns whether a request may go out again: an add that lost too often, or an operation on a pair that was locked.
bool FenceBarrier::may_repeat() const {
    for (uint32_t rank = 0; rank < endpoint_->size(); rank++) {
        if (endpoint_->fabrics().may_repeat(static_cast<int>(rank))) {
            return true;
        }
    }
    return false;
}

int FenceBarrier::await_counts(std::span<const uint32_t> members) {
    const uint32_t size = endpoint_->size();
    if (members.size() != size || size > pes_max || endpoint_->config().window < 2) {
        return error(SYNCLINE_ERR_UNSUPPORTED,
                     "counts are exchanged among all PEs of the job, at most {}, with a window "
                     "of 2 or more; this barrier has {} of {}",
                     pes_max, members.size(), size);
    }
    if (!endpoint_->fabrics().counts_requests()) {
        return error(SYNCLINE_ERR_UNSUPPORTED, "a network of this job does not count requests; fence by ACKNOWLEDGED");
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    round_ += round_ == UINT32_MAX ? 2 : 1;  // 0 is the value of the words before the first round
    int status = await_pes(endpoint_, members, [&] { return !may_repeat(); });
    std::vector<uint32_t> counts(size);
    for (uint32_t rank = 0; rank < size; rank++) {
        counts[rank] = endpoint_->fabrics().issued(static_cast<int>(rank));
    }
    status = status == SYNCLINE_OK ? gather_counts(&counts) : status;
    if (status == SYNCLINE_OK) {
        const uint32_t expected = counts[endpoint_->rank()];
        status = await_pes(endpoint_, members, [&] { return is_executed(expected); });
    }
    if (status == SYNCLINE_ERR_PEER) {
        break_barriers(endpoint_);
    }
    return status == SYNCLINE_OK ? status : error(status, "{}", status_text(status));
}

// On return, this PE's own count is the sum of all PEs' counts for it.
int FenceBarrier::gather_counts(std::vector<uint32_t>* counts) {
    const uint32_t size = endpoint_->size();
    const uint32_t me = endpoint_->rank();
    const uint32_t power = std::bit_floor(size);
    std::vector<uint32_t> others;
    if (me >= power) {
        int status = send(me - power, 0, *counts);
        status = status == SYNCLINE_OK ? receive(me - power, size, 1, &others) : status;
        if (status == SYNCLINE_OK) {
            (*counts)[me] = others[0];
        }
        return status;
    }
    if (me + power < size) {
        if (const int status = receive(me + power, 0, size, &others); status != SYNCLINE_OK) {
            return status;
        }
        for (uint32_t rank = 0; rank < size; rank++) {
            (*counts)[rank] += others[rank];
        }
    }
    const int status = halve_counts(counts, power);
    return status == SYNCLINE_OK && me + power < size ? send(me + power, size, {(*counts)[me + power]}) : status;
}

// Figure 2 of Buntinas 2003, except that a PE sends only those counts that its partner needs.
int FenceBarrier::halve_counts(std::vector<uint32_t>* counts, uint32_t power) {
    const uint32_t size = endpoint_->size();
    const uint32_t me = endpoint_->rank();
    for (uint32_t distance = power / 2; distance > 0; distance /= 2) {
        const uint32_t partner = me ^ distance;
        const std::vector<uint32_t> mine = half_of(me, distance, power, size);
        std::vector<uint32_t> out, in;
        for (const uint32_t rank : half_of(partner, distance, power, size)) {
            out.push_back((*counts)[rank]);
        }
        const uint32_t place = place_of_phase(size, distance);
        int status = send(partner, place, out);
        status = status == SYNCLINE_OK ? receive(partner, place, static_cast<uint32_t>(mine.size()), &in) : status;
        if (status != SYNCLINE_OK) {
            return status;
        }
        SYNCLINE_ASSERT(in.size() == mine.size(), "%zu counts of %zu PEs", in.size(), mine.size());
        for (size_t i = 0; i < mine.size(); i++) {
            (*counts)[mine[i]] += in[i];
        }
    }
    return SYNCLINE_OK;
}

int FenceBarrier::send(uint32_t to, uint32_t place, const std::vector<uint32_t>& counts) {
    SYNCLINE_ASSERT(address_of_place(place) + counts.size() * 8 <= RuntimeWords::signals, "%zu counts at place %u",
                    counts.size(), place);
    SYNCLINE_ASSERT(to != endpoint_->rank() && to < endpoint_->size() && round_ != 0, "to PE %u in round %u", to,
                    round_);
    std::vector<uint64_t> words;
    for (const uint32_t count : counts) {
        words.push_back(uint64_t{round_} << 32 | count);
    }
    return endpoint_->reserved().store(to, address_of_place(place), words.data(), static_cast<uint32_t>(words.size()));
}

int FenceBarrier::receive(uint32_t from, uint32_t place, uint32_t length, std::vector<uint32_t>* counts) {
    const uint64_t* const words = endpoint_->reserved().own(address_of_place(place));
    return await_pes(endpoint_, {&from, 1}, [&] {
        while (counts->size() < length) {
            const uint64_t word = __atomic_load_n(&words[counts->size()], __ATOMIC_ACQUIRE);
            if (word >> 32 != round_) {
                return false;
            }
            counts->push_back(static_cast<uint32_t>(word));
        }
        return true;
    });
}

bool FenceBarrier::is_executed(uint32_t expected) const {
    uint32_t sum = 0;
    for (uint32_t rank = 0; rank < endpoint_->size(); rank++) {
        sum += endpoint_->fabrics().executed(static_cast<int>(rank));
    }
    return sum == expected;
}

}  // namespace syncline
