// SPDX-License-Identifier: BSD-3-Clause
// Method: `contract CASE`, started by `syncline run` on every transport, runs one case on all PEs and exits with 0 if
// every PE found what the header promises. `contract --list` names the cases.
#include "contract.h"

#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>

namespace contract {

extern const Case atomic_cases[];
extern const Case bulk_cases[];
extern const Case completion_cases[];
extern const Case ordering_cases[];
extern const Case memory_cases[];
extern const Case registration_cases[];
extern const Case barrier_cases[];
extern const Case thread_cases[];
extern const Case argument_cases[];
extern const Case lifecycle_cases[];
extern const Case loss_cases[];
extern const Case meeting_cases[];
extern const Case fence_cases[];
extern const Case lock_cases[];

const Case* const case_lists[] = {atomic_cases,       bulk_cases,    completion_cases, ordering_cases, memory_cases,
                                  registration_cases, barrier_cases, thread_cases,     argument_cases, lifecycle_cases,
                                  loss_cases,         meeting_cases, fence_cases,      lock_cases,     nullptr};

void fail(const char* file, int line, const char* expected, long long found) {
    const char* const name = std::strrchr(file, '/');
    const std::string error = syncline_last_error();  // before a call that replaces it
    std::fprintf(stderr, "contract: PE %d: %s:%d: expected %s", syncline_rank(), name != nullptr ? name + 1 : file,
                 line, expected);
    if (found != 0) {
        std::fprintf(stderr, ", found %lld (%s)", found, syncline_error_string(static_cast<int>(found)));
    }
    std::fprintf(stderr, "; last error: '%s'\n", error.c_str());
    syncline_abort(1);
}

void forget_error() {
    (void)syncline_node_of(-1);
}

bool error_names(const char* name) {
    return std::strstr(syncline_last_error(), name) != nullptr;
}

int repeats(int normal) {
    const char* const is_long = std::getenv("SYNCLINE_LONG");
    return is_long != nullptr && *is_long == '1' ? normal * 50 : normal;
}

syncline_address_t allocate(size_t bytes) {
    syncline_address_t address = SYNCLINE_ADDRESS_NONE;
    MUST(syncline_alloc(bytes, 0, &address));
    std::memset(syncline_local(address), 0, bytes);
    MUST(syncline_barrier());
    return address;
}

uint64_t now_us() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000 + static_cast<uint64_t>(now.tv_nsec) / 1000;
}

void sleep_us(uint64_t duration) {
    const timespec pause = {static_cast<time_t>(duration / 1'000'000), static_cast<long>(duration % 1'000'000) * 1000};
    nanosleep(&pause, nullptr);
}

namespace {

int run(const Case& chosen) {
    if (chosen.joined && syncline_init(nullptr) != SYNCLINE_OK) {
        std::fprintf(stderr, "contract: %s\n", syncline_last_error());
        return 1;
    }
    chosen.run();
    if (chosen.joined) {
        MUST(syncline_finalize());
    }
    return 0;
}

}  // namespace
}  // namespace contract

int main(int argc, char** argv) {
    const char* const wanted = argc == 2 ? argv[1] : "";
    const bool list = std::strcmp(wanted, "--list") == 0;
    for (const contract::Case* const* cases = contract::case_lists; *cases != nullptr; cases++) {
        for (const contract::Case* one = *cases; one->name != nullptr; one++) {
            if (list) {
                std::printf("%s\n", one->name);
            } else if (std::strcmp(one->name, wanted) == 0) {
                return contract::run(*one);
            }
        }
    }
    if (!list) {
        std::fprintf(stderr, "usage: contract CASE, one of those that contract --list prints\n");
    }
    return list ? 0 : 2;
}
