// SPDX-License-Identifier: BSD-3-Clause
// Put, get and accumulate as programs call them.
#include <cstring>

#include "api/armci/handles.h"
#include "api/armci/state.h"

using namespace syncline::armci;

namespace {

Operation accumulate_of(int type, const void* scale, int process) {
    const NumberType& numbers = number_type(type);
    if (scale == nullptr) {
        refuse("scale is NULL");
    }
    return {.kind = Kind::kAccumulate, .process = process, .type = &numbers, .scale = scale};
}

int strided(const char* name, Operation what, void* source, int* source_strides, void* target, int* target_strides,
            int* count, int levels, armci_hdl_t* handle) {
    const Call call(name);
    const Names names = names_of(what.kind);
    (void)state();
    const Section section = what.kind == Kind::kGet
                                ? Section(names, target, target_strides, source, source_strides, count, levels)
                                : Section(names, source, source_strides, target, target_strides, count, levels);
    move(what, section, returning_of(handle, what.process));
    return 0;
}

int contiguous(const char* name, Operation what, void* source, void* target, int bytes, armci_hdl_t* handle) {
    const Call call(name);
    const Names names = names_of(what.kind);
    (void)state();
    const Section section =
        what.kind == Kind::kGet ? Section(names, target, source, bytes) : Section(names, source, target, bytes);
    move(what, section, returning_of(handle, what.process));
    return 0;
}

int vector(const char* name, Operation what, armci_giov_t* pieces, int length, armci_hdl_t* handle) {
    const Call call(name);
    if (length < 0) {
        refuse("length is {}", length);
    }
    if (pieces == nullptr && length > 0) {
        refuse("pieces is NULL");
    }
    (void)state();
    const Returning returning = returning_of(handle, what.process);
    for (int i = 0; i < length; i++) {
        move(what, List(names_of(what.kind), pieces[i], i, what.kind != Kind::kGet), returning);
    }
    return 0;
}

// The checks of an accumulate name the call, too.
int strided_accumulate(const char* name, int type, void* scale, void* source, int* source_strides, void* target,
                       int* target_strides, int* count, int levels, int process, armci_hdl_t* handle) {
    const Call call(name);
    return strided(name, accumulate_of(type, scale, process), source, source_strides, target, target_strides, count,
                   levels, handle);
}

int vector_accumulate(const char* name, int type, void* scale, armci_giov_t* pieces, int length, int process,
                      armci_hdl_t* handle) {
    const Call call(name);
    return vector(name, accumulate_of(type, scale, process), pieces, length, handle);
}

template <typename T>
int put_value(const char* name, T value, void* target, int process) {
    return contiguous(name, {Kind::kPut, process}, &value, target, sizeof(value), blocking());
}

template <typename T>
T get_value(const char* name, void* source, int process) {
    T value{};
    contiguous(name, {Kind::kGet, process}, source, &value, sizeof(value), blocking());
    return value;
}

// Stores the flag after all earlier operations of this process on that process.
void store_flag(const int* flag, int value, int process) {
    const syncline_address_t word = word_of("flag", flag, sizeof(*flag), process);
    complete(process);
    check(syncline_atomic(SYNCLINE_SWAP | SYNCLINE_32, process, word, &value, nullptr, nullptr));
}

void check_room(const char* bytes, const Section& rows) {
    if (bytes == nullptr && !rows.is_empty()) {
        refuse("bytes is NULL");
    }
}

}  // namespace

extern "C" {

int ARMCI_Put(void* source, void* target, int bytes, int process) {
    return contiguous("ARMCI_Put", {Kind::kPut, process}, source, target, bytes, blocking());
}

int ARMCI_Get(void* source, void* target, int bytes, int process) {
    return contiguous("ARMCI_Get", {Kind::kGet, process}, source, target, bytes, blocking());
}

int ARMCI_Acc(int type, void* scale, void* source, void* target, int bytes, int process) {
    const Call call("ARMCI_Acc");
    return contiguous("ARMCI_Acc", accumulate_of(type, scale, process), source, target, bytes, blocking());
}

int ARMCI_PutS(void* source, int source_strides[], void* target, int target_strides[], int count[], int levels,
               int process) {
    return strided("ARMCI_PutS", {Kind::kPut, process}, source, source_strides, target, target_strides, count, levels,
                   blocking());
}

int ARMCI_GetS(void* source, int source_strides[], void* target, int target_strides[], int count[], int levels,
               int process) {
    return strided("ARMCI_GetS", {Kind::kGet, process}, source, source_strides, target, target_strides, count, levels,
                   blocking());
}

int ARMCI_AccS(int type, void* scale, void* source, int source_strides[], void* target, int target_strides[],
               int count[], int levels, int process) {
    return strided_accumulate("ARMCI_AccS", type, scale, source, source_strides, target, target_strides, count, levels,
                              process, blocking());
}

int ARMCI_PutV(armci_giov_t pieces[], int length, int process) {
    return vector("ARMCI_PutV", {Kind::kPut, process}, pieces, length, blocking());
}

int ARMCI_GetV(armci_giov_t pieces[], int length, int process) {
    return vector("ARMCI_GetV", {Kind::kGet, process}, pieces, length, blocking());
}

int ARMCI_AccV(int type, void* scale, armci_giov_t pieces[], int length, int process) {
    return vector_accumulate("ARMCI_AccV", type, scale, pieces, length, process, blocking());
}

int ARMCI_Put_flag(void* source, void* target, int bytes, int* flag, int value, int process) {
    const Call call("ARMCI_Put_flag");
    ARMCI_Put(source, target, bytes, process);
    store_flag(flag, value, process);
    return 0;
}

int ARMCI_PutS_flag(void* source, int source_strides[], void* target, int target_strides[], int count[], int levels,
                    int* flag, int value, int process) {
    const Call call("ARMCI_PutS_flag");
    ARMCI_PutS(source, source_strides, target, target_strides, count, levels, process);
    store_flag(flag, value, process);
    return 0;
}

int ARMCI_PutS_flag_dir(void* source, int source_strides[], void* target, int target_strides[], int count[], int levels,
                        int* flag, int value, int process) {
    const Call call("ARMCI_PutS_flag_dir");
    return ARMCI_PutS_flag(source, source_strides, target, target_strides, count, levels, flag, value, process);
}

int ARMCI_PutValueInt(int value, void* target, int process) {
    return put_value("ARMCI_PutValueInt", value, target, process);
}
int ARMCI_PutValueLong(long value, void* target, int process) {
    return put_value("ARMCI_PutValueLong", value, target, process);
}
int ARMCI_PutValueFloat(float value, void* target, int process) {
    return put_value("ARMCI_PutValueFloat", value, target, process);
}
int ARMCI_PutValueDouble(double value, void* target, int process) {
    return put_value("ARMCI_PutValueDouble", value, target, process);
}
int ARMCI_NbPutValueInt(int value, void* target, int process, armci_hdl_t*) {
    return put_value("ARMCI_NbPutValueInt", value, target, process);
}
int ARMCI_NbPutValueLong(long value, void* target, int process, armci_hdl_t*) {
    return put_value("ARMCI_NbPutValueLong", value, target, process);
}
int ARMCI_NbPutValueFloat(float value, void* target, int process, armci_hdl_t*) {
    return put_value("ARMCI_NbPutValueFloat", value, target, process);
}
int ARMCI_NbPutValueDouble(double value, void* target, int process, armci_hdl_t*) {
    return put_value("ARMCI_NbPutValueDouble", value, target, process);
}
int ARMCI_GetValueInt(void* source, int process) {
    return get_value<int>("ARMCI_GetValueInt", source, process);
}
long ARMCI_GetValueLong(void* source, int process) {
    return get_value<long>("ARMCI_GetValueLong", source, process);
}
float ARMCI_GetValueFloat(void* source, int process) {
    return get_value<float>("ARMCI_GetValueFloat", source, process);
}
double ARMCI_GetValueDouble(void* source, int process) {
    return get_value<double>("ARMCI_GetValueDouble", source, process);
}

void ARMCI_Copy(void* source, void* target, int bytes) {
    const Call call("ARMCI_Copy");
    (void)state();
    const Section row({"source", "target"}, source, target, bytes);
    if (!row.is_empty()) {
        std::memmove(target, source, row.bytes());
    }
}

// A section of this process's own memory as both local and remote side; only one is used.
static Section own_section(void* section, int levels, int* strides, int* count) {
    (void)state();
    return {{"section", "section", "strides", "strides"}, section, strides, section, strides, count, levels};
}

void armci_write_strided(void* section, int levels, int strides[], int count[], char* bytes) {
    const Call call("armci_write_strided");
    Section rows = own_section(section, levels, strides, count);
    check_room(bytes, rows);
    for (Row row; rows.next(&row); bytes += row.bytes) {
        std::memcpy(bytes, row.local, row.bytes);
    }
}

void armci_read_strided(void* section, int levels, int strides[], int count[], char* bytes) {
    const Call call("armci_read_strided");
    Section rows = own_section(section, levels, strides, count);
    check_room(bytes, rows);
    for (Row row; rows.next(&row); bytes += row.bytes) {
        std::memcpy(row.local, bytes, row.bytes);
    }
}

int ARMCI_NbPut(void* source, void* target, int bytes, int process, armci_hdl_t* handle) {
    return contiguous("ARMCI_NbPut", {Kind::kPut, process}, source, target, bytes, handle);
}

int ARMCI_NbGet(void* source, void* target, int bytes, int process, armci_hdl_t* handle) {
    return contiguous("ARMCI_NbGet", {Kind::kGet, process}, source, target, bytes, handle);
}

int ARMCI_NbAcc(int type, void* scale, void* source, void* target, int bytes, int process, armci_hdl_t* handle) {
    const Call call("ARMCI_NbAcc");
    return contiguous("ARMCI_NbAcc", accumulate_of(type, scale, process), source, target, bytes, handle);
}

int ARMCI_NbPutS(void* source, int source_strides[], void* target, int target_strides[], int count[], int levels,
                 int process, armci_hdl_t* handle) {
    return strided("ARMCI_NbPutS", {Kind::kPut, process}, source, source_strides, target, target_strides, count, levels,
                   handle);
}

int ARMCI_NbGetS(void* source, int source_strides[], void* target, int target_strides[], int count[], int levels,
                 int process, armci_hdl_t* handle) {
    return strided("ARMCI_NbGetS", {Kind::kGet, process}, source, source_strides, target, target_strides, count, levels,
                   handle);
}

int ARMCI_NbAccS(int type, void* scale, void* source, int source_strides[], void* target, int target_strides[],
                 int count[], int levels, int process, armci_hdl_t* handle) {
    return strided_accumulate("ARMCI_NbAccS", type, scale, source, source_strides, target, target_strides, count,
                              levels, process, handle);
}

int ARMCI_NbPutV(armci_giov_t pieces[], int length, int process, armci_hdl_t* handle) {
    return vector("ARMCI_NbPutV", {Kind::kPut, process}, pieces, length, handle);
}

int ARMCI_NbGetV(armci_giov_t pieces[], int length, int process, armci_hdl_t* handle) {
    return vector("ARMCI_NbGetV", {Kind::kGet, process}, pieces, length, handle);
}

int ARMCI_NbAccV(int type, void* scale, armci_giov_t pieces[], int length, int process, armci_hdl_t* handle) {
    return vector_accumulate("ARMCI_NbAccV", type, scale, pieces, length, process, handle);
}

}  // extern "C"
