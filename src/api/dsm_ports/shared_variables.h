// SPDX-License-Identifier: BSD-3-Clause
// The objects that the DEC macros of parmacs.m4 declare. Each begins with a seal, which depends on the object's address
// and content, so that a copied object, or one that INIT has not seen, is noticed.
#pragma once

#include "job.h"
#include "syncline/parmacs.h"

namespace syncline::ports {

// Locks.
struct Numbered {
    uint64_t seal;
    uint32_t number;
    uint64_t content() const { return number; }
};

// All other objects: the state is in shared memory, wherever the object is.
struct Stateful {
    uint64_t seal;
    void* state;
    uint64_t content() const { return reinterpret_cast<uintptr_t>(state); }
};

template <typename Object>
uint64_t make_seal(const Object& object) {
    constexpr uint64_t multiplier = 0x9e37'79b9'7f4a'7c15;
    return (reinterpret_cast<uintptr_t>(&object) ^ object.content() * multiplier) * multiplier | 1;
}

template <typename Object>
bool is_sealed(const Object& object) {
    return object.seal == make_seal(object);
}

// Returns the object at this address, or ends the job.
template <typename Object>
const Object& sealed(const char* macro, const char* initialiser, const void* address) {
    const auto& object = *static_cast<const Object*>(address);
    if (__builtin_expect(!is_sealed(object), 0)) {
        end_job("%s: the object at %p has not been initialised there by %s", macro, address, initialiser);
    }
    return object;
}

// Returns the state of an object, and makes it if there is none. Its number names a lock, a condition and a flag.
template <typename State>
State* init_state(const char* macro, void* address) {
    auto& object = *static_cast<Stateful*>(address);
    if (!is_sealed(object)) {
        auto* const state = static_cast<State*>(take_shared(macro, sizeof(State)));
        *state = State{};
        state->number = take_numbers(macro, 1);
        object.state = state;
        object.seal = make_seal(object);
    }
    return static_cast<State*>(object.state);
}

template <typename State>
State& state_of(const char* macro, const char* initialiser, const void* address) {
    return *static_cast<State*>(sealed<Stateful>(macro, initialiser, address).state);
}

// Holds a lock, by its number, for a block of code. Objects of this interface hold no lock while they wait or call the
// program, so their locks do not nest.
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
