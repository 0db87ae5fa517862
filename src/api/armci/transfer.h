// SPDX-License-Identifier: BSD-3-Clause
// Puts, gets and accumulates of any layout. A call copies memory of this node directly; memory of another node becomes
// pieces, as many in one operation of the library as it takes.
//
// A put or accumulate starts and the call returns, because the library has copied the data that it reads (writes.h). A
// get of a non-blocking call is left under way until finish_gets(). Rows of an aggregate handle are collected until
// there are many, or until a call waits for them.
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
    const NumberType* type = nullptr;  // for an accumulate
    const void* scale = nullptr;
};

constexpr Names names_of(Kind kind) {
    return kind == Kind::kGet ? Names{"target", "source", "target_strides", "source_strides"}
                              : Names{"source", "target", "source_strides", "target_strides"};
}

// How a call may leave its operation when it returns.
struct Returning {
    bool waits;           // waits for its get
    bool collects;        // leaves its rows to the handle, with others
    uint64_t handle = 0;  // 0: none
};

// Both refuse memory that the process does not have before they move any byte.
void move(const Operation& what, Section section, const Returning& returning);
void move(const Operation& what, const List& list, const Returning& returning);

// Ends the gets of a handle, of a process (< 0: of all) or of both, and starts the rows that are collected for them.
// Returns false if some gets are not over and it is not to wait.
struct Which {
    uint64_t handle = 0;  // 0: any
    int process = -1;

    bool covers(uint64_t its_handle, int its_process) const {
        return (handle == 0 || its_handle == handle) && (process < 0 || its_process == process);
    }
};
bool finish_gets(const Which& which, bool waits);
// Returns whether a get of a non-blocking call from the block at that address is not over yet.
bool is_getting_from(int process, syncline_address_t block);

// Completes at the target all operations that this process has started, on one process or on all.
void complete(int process);
void complete_all();

}  // namespace syncline::armci
