// SPDX-License-Identifier: BSD-3-Clause
// Seals of the objects that programs declare (include/syncline/parmacs.h).
#pragma once

#include "job.h"
#include "syncline/parmacs.h"

namespace syncline::ports {

// Depends on where the object is, and on its content.
inline uint64_t make_seal(const void* object, uint64_t content) {
    constexpr uint64_t multiplier = 0x9e37'79b9'7f4a'7c15;
    return (reinterpret_cast<uintptr_t>(object) ^ content * multiplier) * multiplier | 1;
}

// Ends the job for an object that INIT has not seen at this address.
inline void check_seal(const char* macro, const char* initialiser, const void* object, uint64_t seal, uint64_t content) {
    if (__builtin_expect(seal != make_seal(object, content), 0)) {
        end_job("%s: the object at %p has not been initialised there by %s", macro, object, initialiser);
    }
}

// The state of an object, which is new unless the object has one. Its number is that of a lock, a condition and a flag.
template <typename State>
State* init_state(const char* macro, syncline_parmacs_object_t* object) {
    if (object->seal != make_seal(object, reinterpret_cast<uintptr_t>(object->state))) {
        object->state = take_shared(macro, sizeof(State));
        object->seal = make_seal(object, reinterpret_cast<uintptr_t>(object->state));
        *static_cast<State*>(object->state) = State{};
        static_cast<State*>(object->state)->number = take_numbers(macro, 1);
    }
    return static_cast<State*>(object->state);
}

template <typename State>
State& state_of(const char* macro, const char* initialiser, const syncline_parmacs_object_t* object) {
    check_seal(macro, initialiser, object, object->seal, reinterpret_cast<uintptr_t>(object->state));
    return *static_cast<State*>(object->state);
}

// Holds a lock by its number for a block. Objects of this interface hold no lock while they wait or call the program, so
// their locks do not nest.
class Holding {
  public:
    Holding(const char* macro, uint32_t lock) : macro_(macro), lock_(lock) { check(macro, syncline_dsm_lock(lock)); }
    ~Holding() { release(); }
    Holding(const Holding&) = delete;
    Holding& operator=(const Holding&) = delete;
    void release() {
        if (held_) {
            held_ = false;
            check(macro_, syncline_dsm_unlock(lock_));
        }
    }

  private:
    const char* macro_;
    uint32_t lock_;
    bool held_ = true;
};

}  // namespace syncline::ports
