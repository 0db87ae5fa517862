// SPDX-License-Identifier: BSD-3-Clause
#include "check.h"
void run_random() {}
