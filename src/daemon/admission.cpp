// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/admission.h"

#include "base/check.h"

namespace syncline {

Admission::Place Admission::enter(uid_t user, uint32_t expected) {
    User& its = at(user);
    if (its.of_job < expected) {
        its.of_job++;
        return Place::kOfJob;
    }
    uint32_t& taken = pool(user);
    if (taken >= limits_.pool || (!trusted(user) && its.of_pool >= limits_.of_user)) {
        return Place::kNone;
    }
    its.of_pool++;
    taken++;
    return Place::kOfPool;
}

void Admission::leave(uid_t user, Place place) {
    if (place == Place::kOfJob) {
        SYNCLINE_ASSERT(at(user).of_job != 0, "user %u", user);
        at(user).of_job--;
    } else if (place == Place::kOfPool) {
        SYNCLINE_ASSERT(at(user).of_pool != 0 && pool(user) != 0, "user %u has %u of %u", user, at(user).of_pool,
                        pool(user));
        at(user).of_pool--;
        pool(user)--;
    }
}

void Admission::forget_idle(uint64_t now) {
    std::erase_if(users_, [&](const auto& entry) {
        const User& user = entry.second;
        return user.of_job == 0 && user.of_pool == 0 && user.requests.idle(now);
    });
}

}  // namespace syncline
