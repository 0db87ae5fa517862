// SPDX-License-Identifier: BSD-3-Clause
// The numbers of the NICs' barriers, which are the whole job's, handed out in one place for all front-ends.
//
// A word of each number at PE 0 counts its holders, by atomics that any PE sends there. A program that names a number
// itself (syncline_barrier_open) claims it: several barriers of disjoint members may have one number. A front-end that
// needs any number takes one that has no holder, and is its only one. The two exclude each other.
//
// Threads: any.
#pragma once

#include <cstdint>

#include "runtime/process/endpoint.h"

namespace syncline {

// By every member of a barrier that its program gave a number; only its first member counts as a holder, until it
// drops the number. OK, or _BUSY: a front-end has taken it. Without PE 0 no front-end can take one, so that is OK, too.
int claim_barrier_number(Endpoint* endpoint, uint32_t number, bool first);
void drop_barrier_number(Endpoint* endpoint, uint32_t number);

// `number` is -1 where none is left. OK, or why PE 0 did not answer.
int take_barrier_number(Endpoint* endpoint, int* number);
int give_back_barrier_number(Endpoint* endpoint, int number);

}  // namespace syncline
