/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NH and checksums by vector instructions, if the processor has them, because processes seal long packets themselves.
 */
#ifndef SYNCLINE_FIRMWARE_VECTORS_NATIVE_H
#define SYNCLINE_FIRMWARE_VECTORS_NATIVE_H

#include "tag.h"

#ifdef __x86_64__
#include <immintrin.h>

static inline __attribute__((target("avx2"))) __m256i fw_nh_products(__m256i words, const uint8_t* key) {
    const __m256i sums = _mm256_add_epi32(words, _mm256_loadu_si256((const __m256i*)(const void*)key));
    return _mm256_mul_epu32(sums, _mm256_srli_epi64(sums, 32));
}

static inline __attribute__((target("avx2"))) uint64_t fw_nh_fold(__m256i sums) {
    const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    return (uint64_t)_mm_cvtsi128_si64(two) + (uint64_t)_mm_extract_epi64(two, 1);
}

static inline __attribute__((target("avx2"))) void fw_nh_avx2(const uint8_t* chunk, uint32_t words, const uint8_t* key,
                                                              struct fw_nh* nh) {
    __m256i first = _mm256_setzero_si256();
    __m256i second = first;
    for (uint32_t i = 0; i < words; i += 4) {
        const __m256i some = _mm256_loadu_si256((const __m256i*)(const void*)(chunk + i * 8));
        first = _mm256_add_epi64(first, fw_nh_products(some, key + i * 8));
        second = _mm256_add_epi64(second, fw_nh_products(some, key + (i + FW_NH_SHIFT) * 8));
    }
    nh->first += fw_nh_fold(first);
    nh->second += fw_nh_fold(second);
}

/*
 * Four words are a vector, and each lane sums its own words. With running sums b over lanes of M words each, the sum
 * over all 4 * M words is the sum of 4 * b - lane * a.
 */
static inline __attribute__((target("avx2"))) void fw_sum_lanes(__m256i sums, __m256i running, uint64_t words,
                                                                uint64_t* sum, uint64_t* sum_running) {
    uint64_t a[4], b[4];
    _mm256_storeu_si256((__m256i*)(void*)a, sums);
    _mm256_storeu_si256((__m256i*)(void*)b, running);
    *sum_running += *sum * words;
    for (uint64_t lane = 0; lane < 4; lane++) {
        *sum += a[lane];
        *sum_running += 4 * b[lane] - lane * a[lane];
    }
}

static inline __attribute__((target("avx2"))) void fw_sum_avx2(const uint8_t* chunk, uint32_t words,
                                                               struct fw_sum* sum) {
    const __m256i mask = _mm256_set1_epi64x(0xffffffff);
    __m256i low = _mm256_setzero_si256();
    __m256i low_running = low, high = low, high_running = low;
    for (uint32_t i = 0; i < words; i += 4) {
        const __m256i some = _mm256_loadu_si256((const __m256i*)(const void*)(chunk + i * 8));
        low = _mm256_add_epi64(low, _mm256_and_si256(some, mask));
        low_running = _mm256_add_epi64(low_running, low);
        high = _mm256_add_epi64(high, _mm256_srli_epi64(some, 32));
        high_running = _mm256_add_epi64(high_running, high);
    }
    fw_sum_lanes(low, low_running, words, &sum->low, &sum->low_running);
    fw_sum_lanes(high, high_running, words, &sum->high, &sum->high_running);
}
#endif

/* Adds the first words of a chunk, and returns how many: a multiple of eight, or 0. */
static inline uint32_t fw_nh_vector(const uint8_t* chunk, uint32_t words, const uint8_t* key, struct fw_nh* nh) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2")) {
        fw_nh_avx2(chunk, words & ~7u, key, nh);
        return words & ~7u;
    }
#else
    (void)chunk, (void)words, (void)key, (void)nh;
#endif
    return 0;
}

/* As fw_nh_vector(). */
static inline uint32_t fw_sum_vector(const uint8_t* chunk, uint32_t words, struct fw_sum* sum) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2")) {
        fw_sum_avx2(chunk, words & ~7u, sum);
        return words & ~7u;
    }
#else
    (void)chunk, (void)words, (void)sum;
#endif
    return 0;
}

#endif
