// SPDX-License-Identifier: BSD-3-Clause
// OpenSHMEM 1.5, section 9.6, and 1.6: strided puts and gets of blocks.
//
// Method: each PE keeps a copy of the area of the next PE, which no other PE writes. It puts blocks of drawn sizes and
// strides, also backwards, none apart and more than travel at once, and does the same in the copy, byte by byte; the
// area at the PE is the copy then. Gets bring what the same copy in the own memory would.
#include <string.h>

#include "check.h"

enum { AREA = 600000, SMALL = 48000, ROUNDS = 200 };

static unsigned char area[AREA];
static unsigned char copy[AREA], found[AREA], local[AREA], expected[AREA];
static uint64_t state;

static uint64_t below(uint64_t bound) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % bound;
}

struct shape {
    size_t element, bsize, nblocks;
    ptrdiff_t dst, sst;
};

static size_t span(const struct shape* shape, ptrdiff_t stride) {
    const size_t apart = (size_t)(stride < 0 ? -stride : stride);
    return ((shape->nblocks - 1) * apart + shape->bsize) * shape->element;
}

// Where the first block may begin in `room` bytes.
static size_t place(const struct shape* shape, ptrdiff_t stride, size_t room) {
    const size_t lowest = below((room - span(shape, stride)) / 16 + 1) * 16;
    return lowest + (stride < 0 ? (shape->nblocks - 1) * (size_t)-stride * shape->element : 0);
}

static void copy_blocks(unsigned char* dest, const unsigned char* source, const struct shape* shape) {
    const ptrdiff_t element = (ptrdiff_t)shape->element;
    for (ptrdiff_t block = 0; block < (ptrdiff_t)shape->nblocks; block++) {
        memcpy(dest + block * shape->dst * element, source + block * shape->sst * element,
               shape->bsize * shape->element);
    }
}

// Blocks of an element are put and got by the calls of elements.
#define MOVE(NAME, BITS)                                                                    \
    static void NAME##BITS(void* dest, const void* source, const struct shape* s, int pe) { \
        if (s->bsize == 1) {                                                                \
            shmem_i##NAME##BITS(dest, source, s->dst, s->sst, s->nblocks, pe);              \
        } else {                                                                            \
            shmem_ib##NAME##BITS(dest, source, s->dst, s->sst, s->bsize, s->nblocks, pe);   \
        }                                                                                   \
    }
MOVE(put, 8)
MOVE(put, 16)
MOVE(put, 32)
MOVE(put, 64)
MOVE(put, 128)
MOVE(get, 8)
MOVE(get, 16)
MOVE(get, 32)
MOVE(get, 64)
MOVE(get, 128)

static void put(void* dest, const void* source, const struct shape* s, int pe) {
    (s->element == 1   ? put8
     : s->element == 2 ? put16
     : s->element == 4 ? put32
     : s->element == 8 ? put64
                       : put128)(dest, source, s, pe);
}

static void get(void* dest, const void* source, const struct shape* s, int pe) {
    (s->element == 1   ? get8
     : s->element == 2 ? get16
     : s->element == 4 ? get32
     : s->element == 8 ? get64
                       : get128)(dest, source, s, pe);
}

// The blocks that are written do not overlap; those that are read may.
static void check_put(struct shape shape, size_t room, int next) {
    const size_t to = place(&shape, shape.dst, room);
    const size_t from = place(&shape, shape.sst, room);
    for (size_t i = 0; i < room; i += sizeof(uint64_t)) {
        const uint64_t word = below(UINT64_MAX);
        memcpy(local + i, &word, sizeof(word));
    }
    put(area + to, local + from, &shape, next);
    copy_blocks(copy + to, local + from, &shape);
    memset(local, 0, room);  // the source is the caller's again
    shmem_quiet();
    shmem_getmem(found, area, room, next);
    CHECK(memcmp(found, copy, room) == 0);
}

static void check_get(struct shape shape, size_t room, int next) {
    const size_t to = place(&shape, shape.dst, room);
    const size_t from = place(&shape, shape.sst, room);
    memset(found, 0xA5, room);
    memset(expected, 0xA5, room);
    get(found + to, area + from, &shape, next);
    copy_blocks(expected + to, copy + from, &shape);
    CHECK(memcmp(found, expected, room) == 0);
}

static ptrdiff_t signed_stride(size_t blocks_apart) {
    return below(2) == 0 ? (ptrdiff_t)blocks_apart : -(ptrdiff_t)blocks_apart;
}

// Short blocks, the strides at most a few blocks; every other one adjoins at one side, or at both.
static void check_drawn(int next) {
    struct shape shape = {(size_t)1 << below(5), below(5) == 0 ? 1 + below(20) : 1, 1 + below(70), 0, 0};
    shape.dst = below(4) == 0 ? (ptrdiff_t)shape.bsize : signed_stride(shape.bsize + below(5));
    shape.sst = below(4) == 0 ? (ptrdiff_t)shape.bsize : signed_stride(below(2 * shape.bsize + 2));
    check_put(shape, SMALL, next);
    check_get(shape, SMALL, next);
}

void run_strided(void) {
    static const struct shape large[] = {
        {1, 1, 10000, 3, 1},         {1, 1, 10000, 1, 3},          {1, 3, 9000, -5, 7},     {8, 1, 9000, 2, 4},
        {8, 1, 20000, 1, 1},         {16, 1, 9000, 4, 2},          {8, 100, 80, 101, -102}, {8, 9000, 4, 9001, 9003},
        {1, 70000, 3, 80000, 70000}, {1, 40000, 5, 40000, -50000}, {4, 1, 5000, 1, 0},
    };
    shmem_init();
    const int next = (shmem_my_pe() + 1) % shmem_n_pes();
    state = (uint64_t)shmem_my_pe() * 1000 + 77;
    for (size_t i = 0; i < sizeof(large) / sizeof(*large); i++) {
        check_put(large[i], AREA, next);
        check_get(large[i], AREA, next);
    }
    for (int round = 0; round < ROUNDS; round++) {
        check_drawn(next);
    }
    shmem_getmem(found, area, AREA, next);
    CHECK(memcmp(found, copy, AREA) == 0);
    for (int empty = 0; empty < 2; empty++) {
        shmem_ibput64(area, local, 5, 5, (size_t)empty, (size_t)!empty, next);
        shmem_ibget64(local, area, 5, 5, (size_t)empty, (size_t)!empty, next);
        shmem_long_iput((long*)area, (long*)local, PTRDIFF_MAX, PTRDIFF_MIN, 0, next);
    }
    shmem_barrier_all();
    shmem_finalize();
}
