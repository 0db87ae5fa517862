// SPDX-License-Identifier: BSD-3-Clause
// setup [unwanted]
//
// Method: calls without shared memory fail; options that are wrong, or that are not the same everywhere, fail with an
// error message at all processes, which then go on without shared memory; then shared memory is made and given back
// several times, also beside the native calls, and is zero-filled each time. `unwanted`: the call that fails is the one
// that has joined the job, and the process ends in good order.
#include <sys/mman.h>

#include <cstdlib>

#include "check.h"

using namespace dsm_live;

namespace {

syncline_dsm_options_t options_of(size_t bytes, uint32_t locks, int protocol) {
    syncline_dsm_options_t options = {};
    options.struct_size = sizeof(options);
    options.bytes = bytes;
    options.locks = locks;
    options.protocol = protocol;
    return options;
}

void expect_absent() {
    CHECK_FAILS(syncline_dsm_barrier(), SYNCLINE_ERR_NOT_INITIALIZED, "syncline_dsm_init");
    CHECK_FAILS(syncline_dsm_lock(0), SYNCLINE_ERR_NOT_INITIALIZED, "syncline_dsm_init");
    CHECK_FAILS(syncline_dsm_process(), SYNCLINE_ERR_NOT_INITIALIZED, "syncline_dsm_init");
    CHECK_FAILS(syncline_dsm_finalize(), SYNCLINE_ERR_NOT_INITIALIZED, "syncline_dsm_init");
    CHECK(syncline_dsm_alloc(8, SYNCLINE_DSM_BLOCK) == nullptr);
    void* base = nullptr;
    size_t bytes = 0;
    CHECK(syncline_dsm_range(&base, &bytes) == SYNCLINE_ERR_NOT_INITIALIZED);
}

void expect_refused(const char* variable, const char* value, const char* words) {
    ::setenv(variable, value, 1);
    CHECK_FAILS(syncline_dsm_init(nullptr), SYNCLINE_ERR_INVALID, words);
    ::unsetenv(variable);
}

// None of these needs the other processes.
void refuse_at_once() {
    syncline_dsm_options_t options = {};
    CHECK_FAILS(syncline_dsm_init(&options), SYNCLINE_ERR_INVALID, "struct_size");
    options = options_of(0, 0, 3);
    CHECK_FAILS(syncline_dsm_init(&options), SYNCLINE_ERR_INVALID, "3 is no protocol");
    expect_refused("SYNCLINE_DSM_PROTOCOL", "nonsense", "needs nic, ardmar or async");
    expect_refused("SYNCLINE_DSM_FAULTS", "nonsense", "needs userfault or mprotect");
    expect_refused("SYNCLINE_DSM_SIZE", "12 apples", "needs a size such as");
}

// All processes are there, and all hear of it.
void refuse_together() {
    const int rank = syncline_rank();
    syncline_dsm_options_t options = options_of((1 << 20) + static_cast<size_t>(rank) * 4096, 0, SYNCLINE_DSM_NIC);
    CHECK_FAILS(syncline_dsm_init(&options), SYNCLINE_ERR_INVALID, "different sizes");
    options = options_of(1 << 20, 0, rank == 1 ? SYNCLINE_DSM_ASYNC : SYNCLINE_DSM_NIC);
    CHECK_FAILS(syncline_dsm_init(&options), SYNCLINE_ERR_INVALID, "different sizes, protocols");
    options = options_of(rank == 1 ? SIZE_MAX : 1 << 20, 0, SYNCLINE_DSM_NIC);
    CHECK_FAILS(syncline_dsm_init(&options), SYNCLINE_ERR_INVALID, "different sizes");
    options = options_of(SIZE_MAX / 2, 0, SYNCLINE_DSM_NIC);
    CHECK_FAILS(syncline_dsm_init(&options), SYNCLINE_ERR_INVALID, "too few or too many");
    options = options_of(1 << 20, 1u << 25, SYNCLINE_DSM_NIC);
    CHECK_FAILS(syncline_dsm_init(&options), SYNCLINE_ERR_INVALID, "33554432 locks");
}

void use_once(const syncline_dsm_options_t* options) {
    CHECK_OK(syncline_dsm_init(options));
    CHECK(me() == syncline_rank() && size() == syncline_size());
    {
        const Shared<uint64_t> words(3 * page_words, SYNCLINE_DSM_CYCLIC);
        for (size_t i = 0; i < 3 * page_words; i++) {
            CHECK_THAT(words[i] == 0, "word {} is {}", i, uint64_t{words[i]});
        }
        barrier();
        for (size_t i = static_cast<size_t>(me()); i < 3 * page_words; i += static_cast<size_t>(size())) {
            words[i] = i + 1;
        }
        barrier();
        for (size_t i = 0; i < 3 * page_words; i++) {
            CHECK(words[i] == i + 1);
        }
        barrier();
    }
    CHECK_OK(syncline_dsm_finalize());
}

}  // namespace

int main(int argc, char**) {
    if (argc > 1) {
        const syncline_dsm_options_t options = options_of(SIZE_MAX / 2, 0, SYNCLINE_DSM_NIC);
        CHECK_FAILS(syncline_dsm_init(&options), SYNCLINE_ERR_INVALID, "too few or too many");
        return 0;
    }
    expect_absent();
    refuse_at_once();
    expect_absent();
    CHECK(syncline_init(nullptr) == SYNCLINE_OK);
    refuse_together();
    expect_absent();
    for (int life = 0; life < 3; life++) {
        const syncline_dsm_options_t options = options_of(3 << 20, 100, SYNCLINE_DSM_NIC);
        use_once(&options);
        expect_absent();
        CHECK_OK(syncline_barrier());
    }
    // Something is where shared memory goes first, in one process.
    void* const place = reinterpret_cast<void*>(uint64_t{0x2000} << 32);
    CHECK(syncline_rank() != 1 ||
          ::mmap(place, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == place);
    use_once(nullptr);
    // The job cannot be left while shared memory has it.
    CHECK_OK(syncline_dsm_init(nullptr));
    CHECK_FAILS(syncline_finalize(), SYNCLINE_ERR_BUSY, "the distributed shared memory still uses the job");
    CHECK_OK(syncline_dsm_finalize());
    CHECK_OK(syncline_finalize());
    return 0;
}
