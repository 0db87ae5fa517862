// SPDX-License-Identifier: BSD-3-Clause
// Closes what may keep its closer waiting: the connections of users whom the daemon does not trust.
//
// The kernel keeps descriptors that a client has sent in the queue of the daemon's end, until the daemon takes them or
// closes that end. The client may have closed its own by then, so the daemon's close is the last one of whatever it
// was: of a TCP socket with data to send and SO_LINGER, which waits for as long as the client likes. A process that
// exits does not linger. So the undertaker makes a process that has the same descriptors, closes its own, of which none
// is the last, and kills the process.
//
// One process a user at a time: a user who finds a file whose close waits even so keeps his own connections waiting.
// The daemon's loop calls from one thread; a turn of it costs a fork() at most for each user who has left.
#pragma once

#include <sys/types.h>

#include <map>
#include <vector>

#include "base/unique_fd.h"

namespace syncline {

class Undertaker {
  public:
    Undertaker() = default;
    // Closes what is left, and gives the processes a moment to end.
    ~Undertaker();
    Undertaker(const Undertaker&) = delete;
    Undertaker& operator=(const Undertaker&) = delete;

    // Hangs up now: the other end learns it, and can send no more. Closes the connection in do_work().
    void take(uid_t user, UniqueFd connection);
    // To be called every few milliseconds while has_work().
    void do_work();
    bool has_work() const { return !users_.empty(); }

  private:
    struct User {
        std::vector<UniqueFd> connections;
        pid_t process = 0;  // that has them, too; 0: none
    };
    static void bury(User* user);

    std::map<uid_t, User> users_;
};

}  // namespace syncline
