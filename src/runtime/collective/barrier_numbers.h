// SPDX-License-Identifier: BSD-3-Clause
// Hands out the numbers of the NICs' barriers, which belong to the whole job, for all front-ends.
//
// For each number, a word at PE 0 counts the number's holders; any PE changes the word by atomics. A program that names
// a number itself (syncline_barrier_open) claims it: several barriers of disjoint members may have one number. A
// front-end that needs any number takes one that has no holder, and becomes its only holder. A number that is claimed
// cannot be taken, and a number that is taken cannot be claimed.
//
// Threads: any.
#pragma once

#include <cstdint>

#include "runtime/operations/atomics.h"

namespace syncline {

// Claims a number that the program has given a barrier. Every member of the barrier calls it; only the first member
// counts as a holder, until it drops the number. Returns OK, or _BUSY if a front-end has taken the number. Without PE 0
// no front-end can take a number, so the result is OK then, too.
int claim_barrier_number(Atomics* atomics, uint32_t number, bool first);
void drop_barrier_number(Atomics* atomics, uint32_t number);

// Stores a free number, or -1 if none is left. Returns OK, or the reason why PE 0 did not answer.
int take_barrier_number(Atomics* atomics, int* number);
int give_back_barrier_number(Atomics* atomics, int number);

}  // namespace syncline
