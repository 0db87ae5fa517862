/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/* The frames of a bare round trip, which the programs in bare.bpf.c and the process that sends share. */
#ifndef SYNCLINE_BENCH_BARE_H
#define SYNCLINE_BENCH_BARE_H

#include "firmware/wire.h"

enum {
    BARE_PORT = SLW_DEFAULT_UDP_PORT, /* the target's UDP port */

    /* Lengths of UDP payloads: a fetch&add's request, and its reply. The first 8 bytes are a sequence number. */
    BARE_REQUEST_BYTES = SLW_HEADER_BYTES + SLW_UNIT_BYTES,
    BARE_REPLY_BYTES = SLW_HEADER_BYTES + SLW_RESULT_BYTES,
};

#endif
