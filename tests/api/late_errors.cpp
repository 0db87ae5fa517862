// SPDX-License-Identifier: BSD-3-Clause
// Method: calls fail in main(), then in a handler of atexit() and in the destructor of a static object, which exit()
// runs after it has destroyed the thread_local objects of the main thread. Each failure has its own message. The
// sanitizers' build finds a message that is kept in memory which exit() has freed.
#include <syncline.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

// Fails with a message that names the rank, and is longer than std::string keeps in itself.
void fail_with(int rank) {
    uint64_t value = 0;
    const int status = syncline_get(rank, 0, &value, sizeof(value));
    const std::string message = syncline_last_error();
    if (status == SYNCLINE_OK || message.find(std::to_string(rank)) == std::string::npos || message.size() < 32) {
        std::fprintf(stderr, "rank %d: status %d, message '%s'\n", rank, status, message.c_str());
        std::_Exit(1);
    }
}

struct FailsAtItsEnd {
    ~FailsAtItsEnd() {
        fail_with(7001);
        if (syncline_finalize() == SYNCLINE_OK) {
            std::printf("late errors have their messages\n");
        }
    }
};
const FailsAtItsEnd object;

}  // namespace

int main() {
    if (syncline_init(nullptr) != SYNCLINE_OK) {
        std::fprintf(stderr, "%s\n", syncline_last_error());
        return 1;
    }
    fail_with(7002);
    std::thread([] { fail_with(7003); }).join();
    std::atexit([] { fail_with(7004); });
    std::exit(0);
}
