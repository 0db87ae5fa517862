// SPDX-License-Identifier: BSD-3-Clause
// Closes descriptors whose close may wait: the connections of users whom the daemon does not trust.
//
// The kernel keeps descriptors that a client has sent in the queue of the daemon's end, until the daemon takes them or
// closes that end. The client may have closed its own copies by then, so the daemon's close is the last close of
// whatever file it is: for example of a TCP socket with data to send and SO_LINGER, which waits for as long as the
// client likes. A process that exits does not linger. So the undertaker makes a process that has the same descriptors,
// closes its own copies, none of which is the last, and kills the process.
//
// There is one process for each user at a time: a user who finds a file whose close waits all the same keeps only its
// own connections waiting. The daemon's loop calls from one thread; a turn of it costs at most a fork() for each user
// who has left.
#pragma once

#include <sys/types.h>

#include <map>
#include <vector>

#include "base/unique_fd.h"

namespace syncline {

class Undertaker {
  public:
    Undertaker() = default;
    // Closes the remaining connections, and gives the processes a moment to end.
    ~Undertaker();
    Undertaker(const Undertaker&) = delete;
    Undertaker& operator=(const Undertaker&) = delete;

    // Hangs up now: the other end notices, and can send no more. Closes the connection in do_work().
    void take(uid_t user, UniqueFd connection);
    // Call it every few milliseconds while has_work().
    void do_work();
    bool has_work() const { return !users_.empty(); }

  private:
    struct User {
        std::vector<UniqueFd> connections;
        pid_t process = 0;  // the process that has the descriptors, too; 0: none
    };
    static void bury(User* user);

    std::map<uid_t, User> users_;
};

}  // namespace syncline
