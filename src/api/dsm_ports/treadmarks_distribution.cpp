// SPDX-License-Identifier: BSD-3-Clause
// Tmk_distribute(): private variables go through shared memory.
//
// Values are a list in shared memory, in the order in which they were distributed. Behind each acquire, a process
// compares the number of the newest value with that of the last value it has taken over. If they differ, it takes the
// list's lock, whose acquire brings the list itself, and takes over the new values. The last process that takes over a
// value gives the value's memory back. A variable is named by the object that it is in and its offset there, because
// objects may be loaded anywhere.
#include <cstring>

#include "program.h"
#include "shared_variables.h"
#include "treadmarks.h"

namespace syncline::ports {
namespace {

struct Value {
    Value* next;
    uint64_t number;
    uint32_t takers;  // processes that have yet to take it over
    int object;
    uintptr_t offset;
    size_t bytes;
    char content[];
};

struct List {
    uint32_t lock;
    uint64_t newest;  // number of the last value
    Value* first;
    Value* last;
};

List* list = nullptr;
uint64_t taken = 0;  // number of the last value that this process has taken over

void take_over(const char* call, const Value& value) {
    void* const variable = address_in_object(value.object, value.offset);
    if (variable == nullptr) {
        end_job("%s: a variable was distributed that is in none of this process's libraries", call);
    }
    std::memcpy(variable, value.content, value.bytes);
}

// Gives back the values that all processes have taken over, up to the first that a process has yet to take over.
void give_back_values(const char* call) {
    while (list->first != nullptr && list->first->takers == 0) {
        Value* const value = list->first;
        list->first = value->next;
        list->last = list->first == nullptr ? nullptr : list->last;
        check(call, syncline_dsm_free_one(value));
    }
}

// The caller has the list's lock.
void take_new(const char* call) {
    for (Value* value = list->first; value != nullptr; value = value->next) {
        if (value->number > taken) {
            take_over(call, *value);
            value->takers--;
        }
    }
    taken = list->newest;
    give_back_values(call);
}

void append(Value* value) {
    value->number = ++list->newest;
    (list->last == nullptr ? list->first : list->last->next) = value;
    list->last = value;
}

}  // namespace

void open_distribution() {
    constexpr const char* call = "Tmk_startup";
    if (syncline_dsm_process() == 0) {
        list = static_cast<List*>(take_shared(call, sizeof(List)));
        *list = {take_numbers(call, 1), 0, nullptr, nullptr};
    }
    check(call, syncline_dsm_broadcast(0, &list, sizeof(List*)));
    check(call, syncline_dsm_barrier());
}

void take_distributed(const char* call) {
    if (list->newest != taken) {
        const Holding lock(call, list->lock);
        take_new(call);
    }
}

}  // namespace syncline::ports

using namespace syncline::ports;

void Tmk_distribute(const void* variable, int size) {
    constexpr const char* call = "Tmk_distribute";
    const auto bytes = static_cast<size_t>(size < 0 ? 0 : size);
    const auto others = static_cast<uint32_t>(syncline_dsm_processes() - 1);
    void* shared = nullptr;
    size_t shared_bytes = 0;
    check(call, syncline_dsm_range(&shared, &shared_bytes));
    if (reinterpret_cast<uintptr_t>(variable) - reinterpret_cast<uintptr_t>(shared) < shared_bytes || others == 0) {
        return;
    }
    uintptr_t offset = 0;
    const int object = find_object(variable, bytes, &offset);
    if (object < 0) {
        end_job(
            "%s: %d bytes at %p are no variable of the program: memory of malloc() and local variables are elsewhere "
            "in "
            "other processes",
            call, size, variable);
    }
    auto* const value = static_cast<Value*>(take_shared(call, sizeof(Value) + bytes));
    *value = {nullptr, 0, others, object, offset, bytes};
    std::memcpy(value->content, variable, bytes);
    const Holding lock(call, list->lock);
    take_new(call);
    append(value);
    taken = value->number;
}
