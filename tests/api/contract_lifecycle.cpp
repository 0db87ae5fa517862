// SPDX-License-Identifier: BSD-3-Clause
// Method: every call before syncline_init() and after syncline_finalize(), init with bad options and with an
// environment that is damaged one variable at a time (each refused with an error message, and the right one still works
// afterwards), and a job without a launcher.
#include <cstring>
#include <string>

#include "contract.h"

namespace contract {
namespace {

void expect_outside() {
    uint64_t word = 5;
    syncline_address_t address = 6;
    syncline_request_t request = 7;
    int done = 8;
    const auto ignore = [](uint64_t, int, void*) {};
    constexpr int none = SYNCLINE_ERR_NOT_INITIALIZED;
    EXPECT_ERROR(syncline_rank(), none, "syncline_rank");
    EXPECT_ERROR(syncline_size(), none, "syncline_size");
    EXPECT_ERROR(syncline_nodes(), none, "syncline_nodes");
    EXPECT_ERROR(syncline_node_of(0), none, "syncline_node_of");
    EXPECT_ERROR(syncline_alloc(8, 0, &address), none, "syncline_alloc");
    EXPECT_ERROR(syncline_free(0), none, "syncline_free");
    EXPECT_ERROR(syncline_register(&word, 4096, &address), none, "syncline_register");
    EXPECT_ERROR(syncline_deregister(1ull << 40), none, "syncline_deregister");
    EXPECT_ERROR(syncline_put(0, 64, &word, 8), none, "syncline_put");
    EXPECT_ERROR(syncline_get(0, 64, &word, 8), none, "syncline_get");
    EXPECT_ERROR(syncline_put_nb(0, 64, &word, 8, 0, &request), none, "syncline_put_nb");
    EXPECT_ERROR(syncline_get_nb(0, 64, &word, 8, 0, &request), none, "syncline_get_nb");
    EXPECT_ERROR(syncline_test(1, &done), none, "syncline_test");
    EXPECT_ERROR(syncline_wait(1), none, "syncline_wait");
    EXPECT_ERROR(syncline_poll(ignore, nullptr, 1), none, "syncline_poll");
    EXPECT_ERROR(syncline_fence(0), none, "syncline_fence");
    EXPECT_ERROR(syncline_quiet(), none, "syncline_quiet");
    EXPECT_ERROR(syncline_barrier(), none, "syncline_barrier");
    EXPECT_ERROR(syncline_wait_until64(&word, SYNCLINE_EQ, 5, 0), none, "syncline_wait_until64");
    EXPECT_ERROR(syncline_fetch_add64(0, 4096, 1, &word), none, "syncline_fetch_add64");
    EXPECT_ERROR(syncline_add64(0, 4096, 1), none, "syncline_add64");
    EXPECT_ERROR(syncline_swap64_nb(0, 4096, 1, &word, 0, &request), none, "syncline_swap64_nb");
    EXPECT_ERROR(syncline_finalize(), none, "syncline_finalize");
    EXPECT(syncline_local(0) == nullptr && syncline_pointer(0, 0) == nullptr);
    EXPECT(syncline_address(&word) == SYNCLINE_ADDRESS_NONE);
    EXPECT(syncline_transport() != nullptr);
    EXPECT(word == 5 && address == 6 && request == 7 && done == 8);
}

void error_strings() {
    for (int status = 0; status >= SYNCLINE_ERR_TIMEOUT; status--) {
        EXPECT(std::strlen(syncline_error_string(status)) > 3);
        EXPECT(std::strcmp(syncline_error_string(status), syncline_error_string(1)) != 0);
    }
    EXPECT(syncline_error_string(-1000) != nullptr && syncline_error_string(INT32_MIN) != nullptr);
}

void bad_options() {
    syncline_options_t options = {};
    EXPECT_ERROR(syncline_init(&options), SYNCLINE_ERR_INVALID, "struct_size");
    options.struct_size = SIZE_MAX;
    EXPECT_ERROR(syncline_init(&options), SYNCLINE_ERR_INVALID, "syncline_init");
    options.struct_size = sizeof(options);
    for (const int mode : {-1, 2, 100}) {
        options.wait_mode = mode;
        EXPECT_ERROR(syncline_init(&options), SYNCLINE_ERR_INVALID, "syncline_init");
    }
}

// A job of some processes is one of a PMIx launcher's.
void members_without_launcher() {
    const int members[] = {0};
    syncline_options_t options = {};
    options.struct_size = sizeof(options);
    options.members = members;
    EXPECT_ERROR(syncline_init(&options), SYNCLINE_ERR_INVALID, "member_count of 0");
    options.member_count = -1;
    EXPECT_ERROR(syncline_init(&options), SYNCLINE_ERR_INVALID, "member_count of -1");
    options.member_count = 1;
    EXPECT_ERROR(syncline_init(&options), SYNCLINE_ERR_UNSUPPORTED, "needs a launcher with PMIx");
    options.members = nullptr;
    EXPECT_ERROR(syncline_init(&options), SYNCLINE_ERR_INVALID, "members is NULL with");
}

// init with one variable changed; puts it back.
void init_with(const char* name, const char* bad, int status) {
    const char* const there = std::getenv(name);
    const std::string good = there != nullptr ? there : "";
    if (bad != nullptr) {
        setenv(name, bad, 1);
    } else {
        unsetenv(name);
    }
    EXPECT_ERROR(syncline_init(nullptr), status, "syncline_init");
    if (there != nullptr) {
        setenv(name, good.c_str(), 1);
    } else {
        unsetenv(name);
    }
}

void bad_environment() {
    for (const char* const bad : {"", "spin", "POLL", "poll "}) {
        init_with("SYNCLINE_WAIT", bad, SYNCLINE_ERR_INVALID);
    }
    if (std::getenv("SYNCLINE_SOCKET") == nullptr) {
        return;  // no launcher
    }
    for (const char* const name : {"SYNCLINE_RANK", "SYNCLINE_JOB", "SYNCLINE_TOKEN"}) {
        for (const char* const bad : {"", "zzz", "1 2", static_cast<const char*>(nullptr)}) {
            init_with(name, bad, SYNCLINE_ERR_INVALID);
        }
    }
    init_with("SYNCLINE_RANK", "60000", SYNCLINE_ERR_RANK);
    init_with("SYNCLINE_RANK", "4294967295", SYNCLINE_ERR_RANK);
    init_with("SYNCLINE_JOB", "1", SYNCLINE_ERR_NOT_FOUND);
    init_with("SYNCLINE_TOKEN", "1234", SYNCLINE_ERR_PERMISSION);
    init_with("SYNCLINE_SOCKET", "/nowhere/at/all", SYNCLINE_ERR_NODE);
    init_with("SYNCLINE_SOCKET", "@no-daemon-listens-here", SYNCLINE_ERR_NODE);
    init_with("SYNCLINE_SOCKET", "", SYNCLINE_ERR_INVALID);
    init_with("SYNCLINE_SOCKET", std::string(200, 'x').c_str(), SYNCLINE_ERR_INVALID);
}

}  // namespace

void run_lifecycle() {
    error_strings();
    expect_outside();
    bad_options();
    members_without_launcher();
    bad_environment();
    // A caller that was compiled with a later, longer structure.
    struct Longer {
        syncline_options_t known;
        uint64_t later[4];
    } longer = {};
    longer.known.struct_size = sizeof(longer);
    longer.known.wait_mode = SYNCLINE_WAIT_BLOCK;
    longer.later[3] = 1;
    EXPECT_ERROR(syncline_init(&longer.known), SYNCLINE_ERR_INVALID, "newer library");
    longer.later[3] = 0;
    MUST(syncline_init(&longer.known));
    EXPECT_ERROR(syncline_init(nullptr), SYNCLINE_ERR_INVALID, "syncline_init");
    EXPECT(rank() >= 0 && rank() < size() && syncline_nodes() >= 1 && syncline_node_of(rank()) < syncline_nodes());
    const syncline_address_t word = allocate(8);
    for (int pe = 0; pe < size(); pe++) {
        MUST(syncline_add64(pe, word, 1));
    }
    MUST(syncline_barrier());
    EXPECT(*local(word) == static_cast<uint64_t>(size()));
    // Left for finalize to complete.
    const syncline_address_t late = allocate(8);
    MUST(syncline_add64((rank() + 1) % size(), late, 1));
    MUST(syncline_finalize());
    expect_outside();
    EXPECT_ERROR(syncline_init(nullptr), SYNCLINE_ERR_INVALID, "syncline_init");
}

}  // namespace contract
