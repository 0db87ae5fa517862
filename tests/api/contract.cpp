// SPDX-License-Identifier: BSD-3-Clause
// Method: `contract CASE...`, started by `syncline run` in every configuration, runs the cases one after another on all
// PEs and exits with 0 if every PE found what the header promises. `contract --list` names the cases.
#include "contract.h"

#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>

#include "suite.h"

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
extern const Case nic_barrier_cases[];
extern const Case fence_cases[];
extern const Case lock_cases[];
extern const Case pieces_cases[];
extern const Case accumulate_cases[];
extern const Case piece_argument_cases[];

const Case* const case_lists[] = {
    atomic_cases,  bulk_cases,   completion_cases, ordering_cases,   memory_cases,         registration_cases,
    barrier_cases, thread_cases, argument_cases,   lifecycle_cases,  loss_cases,           nic_barrier_cases,
    fence_cases,   lock_cases,   pieces_cases,     accumulate_cases, piece_argument_cases, nullptr};

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

void run_joined(const std::vector<const Case*>& cases) {
    const syncline_address_t clean = next_block();
    for (const Case* const one : cases) {
        suite::begin(one->name);
        one->run();
        MUST(syncline_barrier());
        free_allocated();
        EXPECT(one->leaves || next_block() == clean);
        MUST(syncline_barrier());
        suite::end(0);
    }
}

int run(const std::vector<const Case*>& cases) {
    if (!cases[0]->joined) {
        suite::begin(cases[0]->name);
        cases[0]->run();
        suite::end(0);
        return 0;
    }
    if (syncline_init(nullptr) != SYNCLINE_OK) {
        std::fprintf(stderr, "contract: %s\n", syncline_last_error());
        return 1;
    }
    run_joined(cases);
    suite::begin("finalize");
    MUST(syncline_finalize());
    suite::end(0);
    return 0;
}

const Case* find(const char* name) {
    for (const Case* const* list = case_lists; *list != nullptr; list++) {
        for (const Case* one = *list; one->name != nullptr; one++) {
            if (std::strcmp(one->name, name) == 0) {
                return one;
            }
        }
    }
    return nullptr;
}

// Each is a case; one that joins the job by itself stands alone.
std::vector<const Case*> chosen(int argc, char** argv) {
    std::vector<const Case*> cases;
    for (int i = 1; i < argc; i++) {
        const Case* const one = find(argv[i]);
        if (one == nullptr || (!one->joined && argc > 2)) {
            return {};
        }
        cases.push_back(one);
    }
    return cases;
}

void list_names() {
    for (const Case* const* list = case_lists; *list != nullptr; list++) {
        for (const Case* one = *list; one->name != nullptr; one++) {
            std::printf("%s\n", one->name);
        }
    }
}

}  // namespace
}  // namespace contract

int main(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
        contract::list_names();
        return 0;
    }
    const std::vector<const contract::Case*> cases = contract::chosen(argc, argv);
    if (cases.empty()) {
        std::fprintf(stderr, "usage: contract CASE..., of those that contract --list prints; lifecycle goes alone\n");
        return 2;
    }
    return contract::run(cases);
}
