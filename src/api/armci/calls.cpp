// SPDX-License-Identifier: BSD-3-Clause
// Put, get and accumulate as programs call them.
#include <cstring>

#include "api/armci/transfer.h"

using namespace syncline::armci;

namespace {

uint8_t* bytes_of(const void* pointer) {
    return static_cast<uint8_t*>(const_cast<void*>(pointer));
}

// Blocking where the handle is `blocking`.
const armci_hdl_t* const blocking = reinterpret_cast<const armci_hdl_t*>(-1L);
constexpr unsigned long aggregate = 1;

void start(Pieces pieces, armci_hdl_t* handle) {
    if (handle == blocking) {
        move(std::move(pieces), nullptr);
        return;
    }
    if (handle != nullptr && handle->number == 0) {
        handle->number = new_handle();
    } else if (handle != nullptr && (handle->flags & aggregate) == 0) {
        refuse("the handle has an operation that is not waited for yet");
    }
    const Later later = {handle == nullptr ? 0 : handle->number};
    move(std::move(pieces), &later);
}

int strided(const char* name, Kind kind, void* source, int* source_strides, void* target, int* target_strides, int* count,
            int levels, int process, armci_hdl_t* handle) {
    const Call call(name);
    start(kind == Kind::kGet ? section(kind, bytes_of(target), target_strides, bytes_of(source), source_strides, count,
                                       levels, process)
                             : section(kind, bytes_of(source), source_strides, bytes_of(target), target_strides, count,
                                       levels, process),
          handle);
    return 0;
}

int strided_accumulate(const char* name, int type, void* scale, void* source, int* source_strides, void* target,
                       int* target_strides, int* count, int levels, int process, armci_hdl_t* handle) {
    const Call call(name);
    Pieces pieces = section(Kind::kAccumulate, bytes_of(source), source_strides, bytes_of(target), target_strides, count,
                            levels, process);
    pieces.type = type;
    pieces.scale = scale;
    start(std::move(pieces), handle);
    return 0;
}

int contiguous(const char* name, Kind kind, void* source, void* target, int bytes, int process, armci_hdl_t* handle) {
    const Call call(name);
    if (bytes < 0) {
        refuse("bytes is {}", bytes);
    }
    return strided(name, kind, source, nullptr, target, nullptr, &bytes, 0, process, handle);
}

int vector(const char* name, Kind kind, armci_giov_t* pieces, int length, int process, armci_hdl_t* handle, int type = 0,
           void* scale = nullptr) {
    const Call call(name);
    if (length < 0 || (length > 0 && pieces == nullptr)) {
        refuse("the list of pieces is {}", length < 0 ? "of negative length" : "NULL");
    }
    const bool several = handle != blocking && handle != nullptr && length > 1;
    const unsigned long flags = several ? handle->flags : 0;
    for (int i = 0; i < length; i++) {
        Pieces one = list(kind, &pieces[i], length, process);
        one.type = type;
        one.scale = scale;
        start(std::move(one), handle);
        if (several) {
            handle->flags |= aggregate;
        }
    }
    if (several) {
        handle->flags = flags;
    }
    return 0;
}

armci_hdl_t* waits() {
    return const_cast<armci_hdl_t*>(blocking);
}

// A value's own memory would be gone before the operation ends: it is complete on return.
template <typename T>
int put_value(const char* name, T value, void* target, int process) {
    return contiguous(name, Kind::kPut, &value, target, sizeof(value), process, waits());
}

template <typename T>
T get_value(const char* name, void* source, int process) {
    T value{};
    contiguous(name, Kind::kGet, source, &value, sizeof(value), process, waits());
    return value;
}

void store_flag(int* flag, int value, int process) {
    const Place place = place_of("flag", flag, sizeof(*flag), process);
    check(syncline_atomic(SYNCLINE_SWAP | SYNCLINE_32, process, place.address, &value, nullptr, nullptr));
}

}  // namespace

extern "C" {

int ARMCI_Put(void* source, void* target, int bytes, int process) {
    return contiguous("ARMCI_Put", Kind::kPut, source, target, bytes, process, waits());
}

int ARMCI_Get(void* source, void* target, int bytes, int process) {
    return contiguous("ARMCI_Get", Kind::kGet, source, target, bytes, process, waits());
}

int ARMCI_Acc(int type, void* scale, void* source, void* target, int bytes, int process) {
    return strided_accumulate("ARMCI_Acc", type, scale, source, nullptr, target, nullptr, &bytes, 0, process, waits());
}

int ARMCI_PutS(void* source, int source_strides[], void* target, int target_strides[], int count[], int levels,
               int process) {
    return strided("ARMCI_PutS", Kind::kPut, source, source_strides, target, target_strides, count, levels, process,
                   waits());
}

int ARMCI_GetS(void* source, int source_strides[], void* target, int target_strides[], int count[], int levels,
               int process) {
    return strided("ARMCI_GetS", Kind::kGet, source, source_strides, target, target_strides, count, levels, process,
                   waits());
}

int ARMCI_AccS(int type, void* scale, void* source, int source_strides[], void* target, int target_strides[],
               int count[], int levels, int process) {
    return strided_accumulate("ARMCI_AccS", type, scale, source, source_strides, target, target_strides, count, levels,
                              process, waits());
}

int ARMCI_PutV(armci_giov_t pieces[], int length, int process) {
    return vector("ARMCI_PutV", Kind::kPut, pieces, length, process, waits());
}

int ARMCI_GetV(armci_giov_t pieces[], int length, int process) {
    return vector("ARMCI_GetV", Kind::kGet, pieces, length, process, waits());
}

int ARMCI_AccV(int type, void* scale, armci_giov_t pieces[], int length, int process) {
    return vector("ARMCI_AccV", Kind::kAccumulate, pieces, length, process, waits(), type, scale);
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
    std::memcpy(target, source, static_cast<size_t>(bytes));
}

void armci_write_strided(void* section_start, int levels, int strides[], int count[], char* bytes) {
    const Call call("armci_write_strided");
    const Pieces pieces = section(Kind::kPut, bytes_of(section_start), strides, bytes_of(section_start), strides, count,
                                  levels, syncline_rank());
    for (const Segment& segment : pieces.segments) {
        std::memcpy(bytes, segment.local, pieces.bytes);
        bytes += pieces.bytes;
    }
}

void armci_read_strided(void* section_start, int levels, int strides[], int count[], char* bytes) {
    const Call call("armci_read_strided");
    const Pieces pieces = section(Kind::kGet, bytes_of(section_start), strides, bytes_of(section_start), strides, count,
                                  levels, syncline_rank());
    for (const Segment& segment : pieces.segments) {
        std::memcpy(segment.local, bytes, pieces.bytes);
        bytes += pieces.bytes;
    }
}

void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t* handle) {
    handle->flags |= aggregate;
}

void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t* handle) {
    handle->flags &= ~aggregate;
}

int ARMCI_NbPut(void* source, void* target, int bytes, int process, armci_hdl_t* handle) {
    return contiguous("ARMCI_NbPut", Kind::kPut, source, target, bytes, process, handle);
}

int ARMCI_NbGet(void* source, void* target, int bytes, int process, armci_hdl_t* handle) {
    return contiguous("ARMCI_NbGet", Kind::kGet, source, target, bytes, process, handle);
}

int ARMCI_NbPutS(void* source, int source_strides[], void* target, int target_strides[], int count[], int levels,
                 int process, armci_hdl_t* handle) {
    return strided("ARMCI_NbPutS", Kind::kPut, source, source_strides, target, target_strides, count, levels, process,
                   handle);
}

int ARMCI_NbGetS(void* source, int source_strides[], void* target, int target_strides[], int count[], int levels,
                 int process, armci_hdl_t* handle) {
    return strided("ARMCI_NbGetS", Kind::kGet, source, source_strides, target, target_strides, count, levels, process,
                   handle);
}

int ARMCI_NbAccS(int type, void* scale, void* source, int source_strides[], void* target, int target_strides[],
                 int count[], int levels, int process, armci_hdl_t* handle) {
    return strided_accumulate("ARMCI_NbAccS", type, scale, source, source_strides, target, target_strides, count, levels,
                              process, handle);
}

int ARMCI_NbPutV(armci_giov_t pieces[], int length, int process, armci_hdl_t* handle) {
    return vector("ARMCI_NbPutV", Kind::kPut, pieces, length, process, handle);
}

int ARMCI_NbGetV(armci_giov_t pieces[], int length, int process, armci_hdl_t* handle) {
    return vector("ARMCI_NbGetV", Kind::kGet, pieces, length, process, handle);
}

int ARMCI_NbAccV(int type, void* scale, armci_giov_t pieces[], int length, int process, armci_hdl_t* handle) {
    return vector("ARMCI_NbAccV", Kind::kAccumulate, pieces, length, process, handle, type, scale);
}

int ARMCI_Wait(armci_hdl_t* handle) {
    const Call call("ARMCI_Wait");
    if (handle != nullptr && handle->number != 0) {
        const uint64_t number = handle->number;
        (void)finish(&number, nullptr, true);
        handle->number = 0;
    }
    return 0;
}

int ARMCI_Test(armci_hdl_t* handle) {
    const Call call("ARMCI_Test");
    if (handle == nullptr || handle->number == 0) {
        return 0;
    }
    const uint64_t number = handle->number;
    if (!finish(&number, nullptr, false)) {
        return 1;
    }
    handle->number = 0;
    return 0;
}

int ARMCI_WaitProc(int process) {
    const Call call("ARMCI_WaitProc");
    check_process(process);
    (void)finish(nullptr, &process, true);
    return 0;
}

int ARMCI_WaitAll(void) {
    const Call call("ARMCI_WaitAll");
    (void)finish(nullptr, nullptr, true);
    return 0;
}

}  // extern "C"
