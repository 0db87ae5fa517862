/* SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only) */
/* The words that measure.bpf.c and measure.cpp share. */
#ifndef SYNCLINE_TESTS_FIRMWARE_MEASURE_H
#define SYNCLINE_TESTS_FIRMWARE_MEASURE_H

enum {
    MEASURE_TEMPLATES = 64,
    MEASURE_BYTES = 1536,
    MEASURE_SEQUENCE_AT = 14 + 20 + 8 + 12, /* offset in an IPv4 frame */
    MEASURE_TAG_AT = 14 + 20 + 8 + 24,
};

/* 8-byte steps are stored at offsets that are not multiples of 8: `bytes` begins where these are aligned. */
struct measure_template {
    unsigned int length; /* length of the frame */
    unsigned int sequence_step;
    unsigned long long tag_step;
    unsigned short pad[3];
    unsigned char bytes[MEASURE_BYTES + 2];
};

#endif
