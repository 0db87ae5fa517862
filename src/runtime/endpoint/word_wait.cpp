// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/endpoint/word_wait.h"

#include "base/clock.h"
#include "base/status.h"
#include "runtime/ground/error_text.h"

namespace syncline {
namespace {

bool holds(const uint64_t* word, int comparison, uint64_t value) {
    const uint64_t now = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    switch (comparison) {
        case SYNCLINE_EQ:
            return now == value;
        case SYNCLINE_NE:
            return now != value;
        case SYNCLINE_GT:
            return now > value;
        case SYNCLINE_GE:
            return now >= value;
        case SYNCLINE_LT:
            return now < value;
        default:
            return now <= value;
    }
}

}  // namespace

int wait_until64(Endpoint* endpoint, const uint64_t* word, int comparison, uint64_t value, int64_t timeout_us) {
    if (word == nullptr || comparison < SYNCLINE_EQ || comparison > SYNCLINE_LE ||
        reinterpret_cast<uintptr_t>(word) % 8 != 0) {
        return error(SYNCLINE_ERR_INVALID, "{} is no comparison, or {} is NULL or not aligned to 8", comparison,
                     fmt::ptr(word));
    }
    if (endpoint->memory().address_of(word) == SYNCLINE_ADDRESS_NONE) {
        return error(SYNCLINE_ERR_ADDRESS, "{} is in no segment of this PE, so no PE could ever write it",
                     fmt::ptr(word));
    }
    const auto done = [&] { return holds(word, comparison, value); };
    const uint64_t start = now_ns();
    const bool for_ever = timeout_us < 0 || static_cast<uint64_t>(timeout_us) > (UINT64_MAX - start) / ns_per_us;
    uint32_t gone = 0;
    const Waiting::Aim aim = {.what = WaitFor::kWord, .number = reinterpret_cast<uintptr_t>(word)};
    const int waited =
        for_ever ? wait_among_living(&endpoint->waiting(), &endpoint->liveness(), -1, &gone, aim, done)
                 : endpoint->waiting().wait_for(done, start + static_cast<uint64_t>(timeout_us) * ns_per_us, aim);
    if (waited == SYNCLINE_ERR_PEER) {
        return error(waited, "PE {} is gone, the word may never be written; wait again if another PE is to write it",
                     gone);
    }
    return waited == SYNCLINE_OK ? waited : error(waited, "{}", status_text(waited));
}

}  // namespace syncline
