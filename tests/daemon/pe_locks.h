// SPDX-License-Identifier: BSD-3-Clause
// The part of daemon_pe for the lock tests.
#pragma once

#include <syncline.h>

// `what`: lock-holder, lock-first (waiter), lock-last (waiter), lock-home, lock-daemon. `which`: a kind of lock, or 4 a
// readers-writer lock, 5 a readers-writer lock whose victim reads, 6 a semaphore. `some_words`: zeroed symmetric
// memory.
int act_on_locks(const char* what, int which, syncline_address_t some_words);
