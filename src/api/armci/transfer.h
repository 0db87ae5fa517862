// SPDX-License-Identifier: BSD-3-Clause
// Puts, gets and accumulates of any layout. A call copies memory of this node; memory of another one becomes pieces, as
// many in one operation of the library as it takes.
//
// A put or accumulate is started, and the call returns: the library has copied what it reads (writes.h). A get of a
// non-blocking call is left under way until finish_gets(). Rows of an aggregate handle are collected until there are
// many, or until something waits for them.
#pragma once

#include <cstdint>

#include "api/armci/layout.h"
#include "api/armci/numbers.h"
#include "syncline.h"

namespace syncline::armci {

enum class Kind { kPut, kGet, kAccumulate };

struct Operation {
    Kind kind;
    int process;
    const NumberType* type = nullptr;  // of an accumulate
    const void* scale = nullptr;
};

constexpr Names names_of(Kind kind) {
    return kind == Kind::kGet ? Names{"target", "source", "target_strides", "source_strides"}
                              : Names{"source", "target", "source_strides", "target_strides"};
}

// A call leaves this behind when it returns.
struct Returning {
    bool waits;           // for its get
    bool collects;        // with others of the handle
    uint64_t handle = 0;  // 0: none
};

// Both refuse memory that the process does not have, before anything is moved.
void move(const Operation& what, Section section, const Returning& returning);
void move(const Operation& what, const List& list, const Returning& returning);

// Ends gets of a handle, of a process (< 0: of all) or of both, and starts what is collected of them. Returns false if
// some are not over and it is not to wait.
struct Which {
    uint64_t handle = 0;  // 0: any
    int process = -1;

    bool covers(uint64_t its_handle, int its_process) const {
        return (handle == 0 || its_handle == handle) && (process < 0 || its_process == process);
    }
};
bool finish_gets(const Which& which, bool waits);
// Is a get of a non-blocking call from the block at that address not over yet?
bool is_getting_from(int process, syncline_address_t block);

// Completes at the target all that this process has started, towards one process or all.
void complete(int process);
void complete_all();

}  // namespace syncline::armci
