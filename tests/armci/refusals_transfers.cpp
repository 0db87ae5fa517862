// SPDX-License-Identifier: BSD-3-Clause
// Addresses that are NULL, belong to no block, or leave it; processes and lengths that do not exist; strides, counts,
// lists.
#include <climits>

#include "refusals.h"

namespace armci_test {
namespace {

// A call reduced to what all have in common.
struct Transfer {
    const char* name;
    const char* local;   // the argument's name
    const char* remote;  //
    const char* bytes;   // or nullptr: it has none
    void (*make)(void* local, void* remote, int bytes, int process);
};

int scale = 2;
armci_hdl_t handle;

armci_giov_t* piece(void* source, void* target, int bytes) {
    static void *sources[1], *targets[1];
    static armci_giov_t one;
    sources[0] = source;
    targets[0] = target;
    one = {sources, targets, 1, bytes};
    return &one;
}

constexpr int strides_of_none[] = {0};
int* no_strides = const_cast<int*>(strides_of_none);

#define PUT(NAME, BYTES, ...)                                                                     \
    Transfer {                                                                                    \
        #NAME, "source", "target", BYTES, [](void* local, void* remote, int bytes, int process) { \
            (void)local, (void)bytes;                                                             \
            NAME(__VA_ARGS__);                                                                    \
        }                                                                                         \
    }
#define GET(NAME, BYTES, ...)                                                                     \
    Transfer {                                                                                    \
        #NAME, "target", "source", BYTES, [](void* local, void* remote, int bytes, int process) { \
            (void)local, (void)bytes;                                                             \
            NAME(__VA_ARGS__);                                                                    \
        }                                                                                         \
    }
#define SECTION no_strides, remote, no_strides, &bytes, 0
const Transfer transfers[] = {
    PUT(ARMCI_Put, "bytes", local, remote, bytes, process),
    GET(ARMCI_Get, "bytes", remote, local, bytes, process),
    PUT(ARMCI_Acc, "bytes", ARMCI_ACC_INT, &scale, local, remote, bytes, process),
    PUT(ARMCI_PutS, "count\\[0\\]", local, SECTION, process),
    GET(ARMCI_GetS, "count\\[0\\]", remote, no_strides, local, no_strides, &bytes, 0, process),
    PUT(ARMCI_AccS, "count\\[0\\]", ARMCI_ACC_INT, &scale, local, SECTION, process),
    PUT(ARMCI_PutV, "bytes", piece(local, remote, bytes), 1, process),
    GET(ARMCI_GetV, "bytes", piece(remote, local, bytes), 1, process),
    PUT(ARMCI_AccV, "bytes", ARMCI_ACC_INT, &scale, piece(local, remote, bytes), 1, process),
    PUT(ARMCI_NbPut, "bytes", local, remote, bytes, process, &handle),
    GET(ARMCI_NbGet, "bytes", remote, local, bytes, process, nullptr),
    PUT(ARMCI_NbPutS, "count\\[0\\]", local, SECTION, process, nullptr),
    GET(ARMCI_NbGetS, "count\\[0\\]", remote, no_strides, local, no_strides, &bytes, 0, process, &handle),
    PUT(ARMCI_NbAcc, "bytes", ARMCI_ACC_INT, &scale, local, remote, bytes, process, &handle),
    PUT(ARMCI_NbAccS, "count\\[0\\]", ARMCI_ACC_INT, &scale, local, SECTION, process, &handle),
    PUT(ARMCI_NbPutV, "bytes", piece(local, remote, bytes), 1, process, &handle),
    GET(ARMCI_NbGetV, "bytes", piece(remote, local, bytes), 1, process, nullptr),
    PUT(ARMCI_NbAccV, "bytes", ARMCI_ACC_INT, &scale, piece(local, remote, bytes), 1, process, nullptr),
    PUT(ARMCI_Put_flag, "bytes", local, remote, bytes, reinterpret_cast<int*>(memory.block), 1, process),
    PUT(ARMCI_PutS_flag, "count\\[0\\]", local, SECTION, reinterpret_cast<int*>(memory.block), 1, process),
    PUT(ARMCI_PutS_flag_dir, "count\\[0\\]", local, SECTION, reinterpret_cast<int*>(memory.block), 1, process),
    PUT(ARMCI_PutValueInt, nullptr, 1, remote, process),
    PUT(ARMCI_PutValueLong, nullptr, 1, remote, process),
    PUT(ARMCI_PutValueFloat, nullptr, 1, remote, process),
    PUT(ARMCI_PutValueDouble, nullptr, 1, remote, process),
    PUT(ARMCI_NbPutValueInt, nullptr, 1, remote, process, &handle),
    PUT(ARMCI_NbPutValueLong, nullptr, 1, remote, process, nullptr),
    PUT(ARMCI_NbPutValueFloat, nullptr, 1, remote, process, nullptr),
    PUT(ARMCI_NbPutValueDouble, nullptr, 1, remote, process, nullptr),
    GET(ARMCI_GetValueInt, nullptr, remote, process),
    GET(ARMCI_GetValueLong, nullptr, remote, process),
    GET(ARMCI_GetValueFloat, nullptr, remote, process),
    GET(ARMCI_GetValueDouble, nullptr, remote, process),
};

void refuse_addresses(const Transfer& one, std::vector<Refusal>* all) {
    const auto make = one.make;
    const bool has_local = one.bytes != nullptr;
    const auto add = [&](const char* says, std::function<void()> call) {
        all->push_back({one.name, says, std::move(call)});
    };
    add(one.remote, [=] { make(memory.local, nullptr, 8, 0); });
    add(one.remote, [=] { make(memory.local, memory.local + 64, 8, 0); });  // not of ARMCI_Malloc()
    add(one.remote, [=] { make(memory.local, memory.freed, 8, 0); });
    add(one.remote, [=] { make(memory.local, memory.block + block_bytes, 8, 0); });
    add("process", [=] { make(memory.local, memory.block, 8, -1); });
    add("process", [=] { make(memory.local, memory.block, 8, 1); });
    add("process", [=] { make(memory.local, memory.block, 8, INT_MAX); });
    if (has_local) {
        add(one.local, [=] { make(nullptr, memory.block, 8, 0); });
        add(one.remote, [=] { make(memory.local, memory.block + 8, block_bytes - 4, 0); });  // leaves the block
        add(one.bytes, [=] { make(memory.local, memory.block, -1, 0); });
        add(one.bytes, [=] { make(memory.local, memory.block, INT_MIN, 0); });
    }
}

// A strided call with all that describes the section.
struct Strided {
    const char* name;
    bool gets;
    void (*make)(int* local_strides, int* remote_strides, int* count, int levels);
};

#define STRIDED(NAME, GETS, ...)                                                                \
    Strided {                                                                                   \
        #NAME, GETS, [](int* local, int* remote, int* count, int levels) { NAME(__VA_ARGS__); } \
    }
#define TO memory.local, local, memory.block, remote, count, levels
const Strided strided[] = {
    STRIDED(ARMCI_PutS, false, TO, 0),
    STRIDED(ARMCI_GetS, true, memory.block, remote, memory.local, local, count, levels, 0),
    STRIDED(ARMCI_AccS, false, ARMCI_ACC_INT, &scale, TO, 0),
    STRIDED(ARMCI_NbPutS, false, TO, 0, nullptr),
    STRIDED(ARMCI_NbGetS, true, memory.block, remote, memory.local, local, count, levels, 0, &handle),
    STRIDED(ARMCI_NbAccS, false, ARMCI_ACC_INT, &scale, TO, 0, &handle),
    STRIDED(ARMCI_PutS_flag, false, TO, reinterpret_cast<int*>(memory.block), 1, 0),
    STRIDED(ARMCI_PutS_flag_dir, false, TO, reinterpret_cast<int*>(memory.block), 1, 0),
};

int good_strides[ARMCI_MAX_STRIDE_LEVEL] = {16, 64, 64, 64, 64, 64, 64, 64};
int good_count[ARMCI_MAX_STRIDE_LEVEL + 1] = {8, 2, 2, 1, 1, 1, 1, 1, 1};
int negative_strides[] = {16, -64}, negative_count[] = {8, 2, -2}, wide_strides[] = {1024, INT_MAX};
int wide_count[] = {8, 2, INT_MAX}, all_wide_count[] = {INT_MAX - 7, INT_MAX, INT_MAX, INT_MAX, INT_MAX, INT_MAX};
int all_wide_strides[] = {INT_MAX, INT_MAX, INT_MAX, INT_MAX, INT_MAX};

void refuse_sections(const Strided& one, std::vector<Refusal>* all) {
    const auto make = one.make;
    const std::string local = one.gets ? "target_strides" : "source_strides", remote = one.gets ? "source" : "target";
    const auto add = [&](const std::string& says, std::function<void()> call) {
        all->push_back({one.name, says, std::move(call)});
    };
    add(local, [=] { make(nullptr, good_strides, good_count, 2); });
    add(remote + "_strides", [=] { make(good_strides, nullptr, good_count, 2); });
    add(local, [=] { make(negative_strides, good_strides, good_count, 2); });
    add(remote + "_strides", [=] { make(good_strides, negative_strides, good_count, 2); });
    add("count", [=] { make(good_strides, good_strides, nullptr, 2); });
    add("count\\[2\\]", [=] { make(good_strides, good_strides, negative_count, 2); });
    add("levels", [=] { make(good_strides, good_strides, good_count, -1); });
    add("levels", [=] { make(good_strides, good_strides, good_count, ARMCI_MAX_STRIDE_LEVEL + 1); });
    // Beyond the block, beyond any memory, beyond 64 bits.
    add(remote + "(_strides)?", [=] { make(good_strides, wide_strides, good_count, 2); });
    add(remote + "|count", [=] { make(good_strides, good_strides, wide_count, 2); });
    add(remote + "|count", [=] { make(all_wide_strides, all_wide_strides, all_wide_count, 5); });
}

struct Listed {
    const char* name;
    bool gets;
    void (*make)(armci_giov_t* pieces, int length);
};
const Listed listed[] = {
    {"ARMCI_PutV", false, [](armci_giov_t* pieces, int length) { ARMCI_PutV(pieces, length, 0); }},
    {"ARMCI_GetV", true, [](armci_giov_t* pieces, int length) { ARMCI_GetV(pieces, length, 0); }},
    {"ARMCI_AccV", false,
     [](armci_giov_t* pieces, int length) { ARMCI_AccV(ARMCI_ACC_INT, &scale, pieces, length, 0); }},
    {"ARMCI_NbPutV", false, [](armci_giov_t* pieces, int length) { ARMCI_NbPutV(pieces, length, 0, &handle); }},
    {"ARMCI_NbGetV", true, [](armci_giov_t* pieces, int length) { ARMCI_NbGetV(pieces, length, 0, nullptr); }},
    {"ARMCI_NbAccV", false,
     [](armci_giov_t* pieces, int length) { ARMCI_NbAccV(ARMCI_ACC_INT, &scale, pieces, length, 0, &handle); }},
};

void refuse_lists(const Listed& one, std::vector<Refusal>* all) {
    const auto make = one.make;
    const auto add = [&](const char* says, std::function<void()> call) {
        all->push_back({one.name, says, std::move(call)});
    };
    const auto with = [=](int pieces, int bytes, bool no_sources, bool no_targets, size_t null) {
        void* sources[] = {memory.block, memory.block + 8, memory.block + 16};
        void* targets[] = {memory.block + 64, memory.block + 72, memory.block + 80};
        sources[2] = null == 1 ? nullptr : sources[2];
        targets[2] = null == 2 ? nullptr : targets[2];
        armci_giov_t list[] = {{sources, targets, 1, 8},
                               {no_sources ? nullptr : sources, no_targets ? nullptr : targets, pieces, bytes}};
        make(list, 2);
    };
    add("pieces", [=] { make(nullptr, 1); });
    add("length", [=] { make(nullptr, -1); });
    add("pieces\\[1\\].ptr_array_len", [=] { with(-1, 8, false, false, 0); });
    add("pieces\\[1\\].bytes", [=] { with(3, -8, false, false, 0); });
    add("pieces\\[1\\].src_ptr_array", [=] { with(3, 8, true, false, 0); });
    add("pieces\\[1\\].dst_ptr_array", [=] { with(3, 8, false, true, 0); });
    add("source", [=] { with(3, 8, false, false, 1); });
    add("target", [=] { with(3, 8, false, false, 2); });
}

struct Added {
    const char* name;
    void (*make)(int type, void* scale, char* target, int bytes);
};
const Added added[] = {
    {"ARMCI_Acc",
     [](int type, void* factor, char* target, int bytes) { ARMCI_Acc(type, factor, memory.local, target, bytes, 0); }},
    {"ARMCI_AccS",
     [](int type, void* factor, char* target, int bytes) {
         ARMCI_AccS(type, factor, memory.local, no_strides, target, no_strides, &bytes, 0, 0);
     }},
    {"ARMCI_AccV", [](int type, void* factor, char* target,
                      int bytes) { ARMCI_AccV(type, factor, piece(memory.local, target, bytes), 1, 0); }},
    {"ARMCI_NbAcc", [](int type, void* factor, char* target,
                       int bytes) { ARMCI_NbAcc(type, factor, memory.local, target, bytes, 0, nullptr); }},
    {"ARMCI_NbAccS",
     [](int type, void* factor, char* target, int bytes) {
         ARMCI_NbAccS(type, factor, memory.local, no_strides, target, no_strides, &bytes, 0, 0, &handle);
     }},
    {"ARMCI_NbAccV", [](int type, void* factor, char* target,
                        int bytes) { ARMCI_NbAccV(type, factor, piece(memory.local, target, bytes), 1, 0, nullptr); }},
};

void refuse_numbers(const Added& one, std::vector<Refusal>* all) {
    const auto make = one.make;
    static double factor[2] = {1, 0};
    const auto add = [&](const char* says, std::function<void()> call) {
        all->push_back({one.name, says, std::move(call)});
    };
    add("type", [=] { make(0, factor, memory.block, 8); });
    add("type", [=] { make(ARMCI_DOUBLE, factor, memory.block, 8); });  // of the message layer
    add("type", [=] { make(ARMCI_ACC_LNG + 1, factor, memory.block, 8); });
    add("scale", [=] { make(ARMCI_ACC_DBL, nullptr, memory.block, 8); });
    add("bytes|count\\[0\\]", [=] { make(ARMCI_ACC_DBL, factor, memory.block, 12); });
    add("bytes|count\\[0\\]", [=] { make(ARMCI_ACC_DCP, factor, memory.block, 24); });
    add("target", [=] { make(ARMCI_ACC_DBL, factor, memory.block + block_bytes - 4, 8); });  // leaves the block
}

}  // namespace

std::vector<Refusal> refusals_of_transfers() {
    std::vector<Refusal> all;
    for (const Transfer& one : transfers) {
        refuse_addresses(one, &all);
    }
    static armci_hdl_t used;
    // A handle with an operation takes no other one.
    all.push_back({"ARMCI_NbGet", "handle", [] {
                       ARMCI_NbGet(memory.block, memory.local, 8, 0, &used);
                       ARMCI_NbGet(memory.block, memory.local + 8, 8, 0, &used);
                   }});
    all.push_back({"ARMCI_NbPutS", "handle", [] {
                       int bytes = 8;
                       ARMCI_NbPut(memory.local, memory.block, 8, 0, &used);
                       ARMCI_NbPutS(memory.local, nullptr, memory.block, nullptr, &bytes, 0, 0, &used);
                   }});
    all.push_back({"ARMCI_Wait", "handle", [] { ARMCI_Wait(nullptr); }});
    all.push_back({"ARMCI_Test", "handle", [] { ARMCI_Test(nullptr); }});
    all.push_back({"ARMCI_SET_AGGREGATE_HANDLE", "handle", [] { ARMCI_SET_AGGREGATE_HANDLE(nullptr); }});
    all.push_back({"ARMCI_UNSET_AGGREGATE_HANDLE", "handle", [] { ARMCI_UNSET_AGGREGATE_HANDLE(nullptr); }});
    all.push_back({"ARMCI_WaitProc", "process", [] { ARMCI_WaitProc(1); }});
    all.push_back({"ARMCI_Copy", "source", [] { ARMCI_Copy(nullptr, memory.local, 8); }});
    all.push_back({"ARMCI_Copy", "target", [] { ARMCI_Copy(memory.local, nullptr, 8); }});
    all.push_back({"ARMCI_Copy", "bytes", [] { ARMCI_Copy(memory.local, memory.block, -8); }});
    return all;
}

std::vector<Refusal> refusals_of_layouts() {
    std::vector<Refusal> all;
    for (const Strided& one : strided) {
        refuse_sections(one, &all);
    }
    for (const Listed& one : listed) {
        refuse_lists(one, &all);
    }
    for (const Added& one : added) {
        refuse_numbers(one, &all);
    }
    static int one_level[] = {8, 2}, negative[] = {8, -2};
    const auto add = [&](const char* name, const char* says, std::function<void()> call) {
        all.push_back({name, says, std::move(call)});
    };
    add("armci_write_strided", "section",
        [] { armci_write_strided(nullptr, 1, good_strides, one_level, memory.local); });
    add("armci_write_strided", "bytes", [] { armci_write_strided(memory.block, 1, good_strides, one_level, nullptr); });
    add("armci_write_strided", "levels",
        [] { armci_write_strided(memory.block, 9, good_strides, one_level, memory.local); });
    add("armci_write_strided", "count",
        [] { armci_write_strided(memory.block, 1, good_strides, negative, memory.local); });
    add("armci_read_strided", "section", [] { armci_read_strided(nullptr, 1, good_strides, one_level, memory.local); });
    add("armci_read_strided", "bytes", [] { armci_read_strided(memory.block, 1, good_strides, one_level, nullptr); });
    add("armci_read_strided", "strides", [] { armci_read_strided(memory.block, 1, nullptr, one_level, memory.local); });
    add("armci_read_strided", "levels",
        [] { armci_read_strided(memory.block, -1, good_strides, one_level, memory.local); });
    return all;
}

}  // namespace armci_test
