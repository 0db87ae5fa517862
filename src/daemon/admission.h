// SPDX-License-Identifier: BSD-3-Clause
// Which connections the daemon accepts, and how much work each user may cause.
//
// A connection that has attached or created a job is bounded by the job, because a rank attaches once. All other
// connections are idle, and need a place. A user has a place for each PE of its jobs that has yet to attach, which no
// other user can take, and a few places besides. Those few come out of one pool for all users, so that many users
// together cannot use up the descriptors. Root and the daemon's own user have a pool of their own, of the same size.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>

#include "base/rate_limit.h"

namespace syncline {

struct AdmissionLimits {
    uint32_t pool = 1024;
    uint32_t of_user = 32;                             // places in the pool, except for root and the daemon's own user
    RateLimit requests = RateLimit(1000, 1000);        // of a user's idle connections
    RateLimit connections = RateLimit(512, 10'000);    // taken from the socket's queue, for all users together
    uint64_t first_message_ns = 10 * ns_per_s;         // time to send Hello
    uint64_t idle_ns = 60 * ns_per_s;                  // time between Hello and the next request, and so on
    RateLimit job_requests = RateLimit(20'000, 5000);  // of all connections of a job
};

class Admission {
  public:
    // `own`: the daemon's user.
    Admission(const AdmissionLimits& limits, uid_t own) : limits_(limits), own_(own) {}

    enum class Place { kNone, kOfJob, kOfPool };

    // Returns a place for an idle connection, if there is one. `expected`: the PEs of the user's jobs that have yet to
    // attach.
    Place enter(uid_t user, uint32_t expected);
    // The connection is no longer idle, or has ended.
    void leave(uid_t user, Place place);

    // Returns whether an idle connection of the user may have a request answered now; if so, the request counts. A user
    // without a connection is forgotten once its rate no longer matters.
    bool may_ask(uid_t user, uint64_t now) { return at(user).requests.take(now); }
    void forget_idle(uint64_t now);

  private:
    struct User {
        uint32_t of_job = 0;
        uint32_t of_pool = 0;
        RateLimit requests;
    };

    bool trusted(uid_t user) const { return user == 0 || user == own_; }
    uint32_t& pool(uid_t user) { return trusted(user) ? trusted_pool_ : pool_; }
    User& at(uid_t user) { return users_.try_emplace(user, User{0, 0, limits_.requests}).first->second; }

    const AdmissionLimits limits_;
    const uid_t own_;
    uint32_t pool_ = 0;
    uint32_t trusted_pool_ = 0;
    std::map<uid_t, User> users_;
};

}  // namespace syncline
