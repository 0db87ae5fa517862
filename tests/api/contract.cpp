// SPDX-License-Identifier: BSD-3-Clause
// Method: `contract CASE...`, started by `syncline run` in every configuration, runs the cases one after another on all
// PEs and exits with 0 if every PE found what the header promises. `contract --list` names the cases.
#include "contract.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>

#include "case_list.h"
#include "suite.h"

namespace contract {

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

bool is_long() {
    const char* const told = std::getenv("SYNCLINE_LONG");
    return told != nullptr && *told == '1';
}

int repeats(int normal) {
    const char* const loss = std::getenv("SYNCLINE_TEST_LOSS");
    if (is_long()) {
        return normal * 50;
    }
    return loss != nullptr && std::atoi(loss) >= 30 ? (normal + 2) / 3 : normal;
}

namespace {
std::vector<syncline_address_t> allocated;  // by this case, freed meanwhile or not
}

syncline_address_t allocate(size_t bytes) {
    syncline_address_t address = SYNCLINE_ADDRESS_NONE;
    MUST(syncline_alloc(bytes, 0, &address));
    allocated.push_back(address);
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

// Where the heap's next small block is: at one place before every case, for no case keeps memory.
syncline_address_t next_block() {
    syncline_address_t address = SYNCLINE_ADDRESS_NONE;
    MUST(syncline_alloc(1, 0, &address));
    MUST(syncline_free(address));
    return address;
}

void free_allocated() {
    for (const syncline_address_t address : allocated) {
        const int status = syncline_free(address);
        EXPECT(status == SYNCLINE_OK || status == SYNCLINE_ERR_ADDRESS);  // the case has freed it
    }
    allocated.clear();
}

constexpr suite::Case cases[] = {CONTRACT_CASES_(SUITE_ROW)};

void run_joined(const std::vector<const suite::Case*>& chosen) {
    const syncline_address_t clean = next_block();
    for (const suite::Case* const one : chosen) {
        suite::begin(one->name);
        one->run();
        MUST(syncline_barrier());
        free_allocated();
        EXPECT(one->run == run_lock_kept || next_block() == clean);
        MUST(syncline_barrier());
        suite::end();
    }
}

// The case joins the job and leaves it.
int run_alone(const suite::Case& one) {
    suite::begin(one.name);
    one.run();
    suite::end();
    return 0;
}

int run(const std::vector<const suite::Case*>& chosen) {
    if (syncline_init(nullptr) != SYNCLINE_OK) {
        std::fprintf(stderr, "contract: %s\n", syncline_last_error());
        return 1;
    }
    run_joined(chosen);
    suite::begin("finalize");
    MUST(syncline_finalize());
    suite::end();
    return 0;
}

}  // namespace
}  // namespace contract

int main(int argc, char** argv) {
    const auto chosen = suite::chosen_cases(contract::cases, argc, argv);
    if (chosen.size() == 1 && chosen[0]->run == contract::run_lifecycle) {
        return contract::run_alone(*chosen[0]);
    }
    const auto stands_alone = [](const suite::Case* one) { return one->run == contract::run_lifecycle; };
    if (chosen.empty() || std::any_of(chosen.begin(), chosen.end(), stands_alone)) {
        std::fprintf(stderr, "usage: contract CASE..., of those that contract --list prints; lifecycle goes alone\n");
        return 2;
    }
    return contract::run(chosen);
}
