// SPDX-License-Identifier: BSD-3-Clause
// NAS FT, a three-dimensional FFT, in the shared-memory form of TreadMarks' programs (Lu, Dwarkadas, Cox and
// Zwaenepoel, 1997). The program transforms a cube of random complex numbers. Each iteration then lets the spectrum
// diffuse for a unit of time, which multiplies each number by a factor, transforms the spectrum back, and computes a
// checksum.
//
// Sharing.         Each process has some planes of the cube. It transforms these along their two dimensions. For the
//                  third dimension it reads its share of every other process's planes (the transpose). A share consists
//                  of whole rows next to each other, so a process needs all of each page that it reads, unless its
//                  share of a plane is less than a page. Only the process that has a page writes it.
// Synchronisation. Each iteration has two barriers: one between the transforms of the planes and the transpose, and one
//                  between the transpose and the next iteration.
// Homes.           BLOCK: a process is the home of its planes, because it alone writes them.
// Parameters.      As in NAS FT, except for the size and the number of iterations. Each process has its part of the
//                  spectrum in private memory.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

enum { lanes = 8, forward = -1, backward = 1, checked = 1024, seed = 577215 };

static const double diffusion = 1e-6;
static const double pi = 3.14159265358979323846;

typedef struct {
    double re, im;
} complex_t;

// A process's private tables and work space for transforms of n x n planes.
typedef struct {
    long n;
    complex_t* roots;    // exp(2 pi i k / n), k < n / 2
    double* decay;       // factors of one dimension and one iteration, by frequency
    complex_t* work[2];  // n points of each of `lanes` transforms, which run together
} tables_t;

static tables_t make_tables(long n) {
    tables_t its = {.n = n};
    its.roots = private_memory((size_t)n * sizeof(complex_t));
    its.decay = private_memory((size_t)n * sizeof(double));
    for (int i = 0; i < 2; i++) {
        its.work[i] = private_memory((size_t)n * lanes * sizeof(complex_t));
    }
    for (long k = 0; k < n; k++) {
        const double frequency = (double)(k < n / 2 ? k : k - n);
        its.roots[k] = (complex_t){cos(2 * pi * (double)k / (double)n), sin(2 * pi * (double)k / (double)n)};
        its.decay[k] = exp(-4 * pi * pi * diffusion * frequency * frequency);
    }
    return its;
}

static void free_tables(tables_t* its) {
    free(its->roots);
    free(its->decay);
    free(its->work[0]);
    free(its->work[1]);
}

// Runs one stage of Stockham's FFT of radix 2 on `lanes` transforms at once. Each of the `groups` roots serves `width`
// points.
static void stage(complex_t* restrict to, const complex_t* restrict from, const complex_t* roots, long groups,
                  long width, int direction) {
    const long half = groups * width * lanes;
    for (long group = 0; group < groups; group++) {
        const complex_t root = {roots[group * width].re, direction * roots[group * width].im};
        const complex_t* const low = &from[group * width * lanes];
        complex_t* const sums = &to[2 * group * width * lanes];
        complex_t* const differences = &sums[width * lanes];
        for (long i = 0; i < width * lanes; i++) {
            const complex_t a = low[i], b = low[half + i];
            const complex_t c = {a.re - b.re, a.im - b.im};
            sums[i] = (complex_t){a.re + b.re, a.im + b.im};
            differences[i] = (complex_t){c.re * root.re - c.im * root.im, c.re * root.im + c.im * root.re};
        }
    }
}

// Transforms the points in work[0]. Returns the one of the two work arrays that has the result.
static complex_t* transform(const tables_t* its, int direction) {
    complex_t *from = its->work[0], *to = its->work[1];
    for (long groups = its->n / 2, width = 1; groups >= 1; groups /= 2, width *= 2) {
        stage(to, from, its->roots, groups, width, direction);
        complex_t* const done = to;
        to = from;
        from = done;
    }
    return from;
}

static void transform_rows(const tables_t* its, complex_t* plane, int direction) {
    const long n = its->n;
    for (long row = 0; row < n; row += lanes) {
        for (long lane = 0; lane < lanes; lane++) {
            for (long i = 0; i < n; i++) {
                its->work[0][i * lanes + lane] = plane[(row + lane) * n + i];
            }
        }
        const complex_t* const result = transform(its, direction);
        for (long lane = 0; lane < lanes; lane++) {
            for (long i = 0; i < n; i++) {
                plane[(row + lane) * n + i] = result[i * lanes + lane];
            }
        }
    }
}

// Transforms `lanes` columns at `from`, whose points are `from_pitch` apart, into columns at `to`, whose points are
// `to_pitch` apart.
static void transform_columns(const tables_t* its, complex_t* to, long to_pitch, const complex_t* from, long from_pitch,
                              int direction) {
    for (long i = 0; i < its->n; i++) {
        memcpy(&its->work[0][i * lanes], &from[i * from_pitch], lanes * sizeof(complex_t));
    }
    const complex_t* const result = transform(its, direction);
    for (long i = 0; i < its->n; i++) {
        memcpy(&to[i * to_pitch], &result[i * lanes], lanes * sizeof(complex_t));
    }
}

// Transforms planes [begin, end) along both of their dimensions.
static void transform_planes(const tables_t* its, complex_t* cube, long begin, long end, int direction) {
    const long n = its->n;
    for (long p = begin; p < end; p++) {
        complex_t* const plane = &cube[p * n * n];
        transform_rows(its, plane, direction);
        for (long column = 0; column < n; column += lanes) {
            transform_columns(its, &plane[column], n, &plane[column], n, direction);
        }
    }
}

// Transposes the cube, and transforms it along the third dimension: row i of plane p of the result comes from row p of
// plane i of `from`. `to` is the address of plane `begin` of the result.
static void transform_across(const tables_t* its, complex_t* to, const complex_t* from, long begin, long end,
                             int direction) {
    const long n = its->n;
    for (long p = begin; p < end; p++) {
        for (long column = 0; column < n; column += lanes) {
            transform_columns(its, &to[(p - begin) * n * n + column], n, &from[p * n + column], n * n, direction);
        }
    }
}

static void fill(complex_t* cube, long n, long begin, long end) {
    for (long i = begin * n * n; i < end * n * n; i++) {
        cube[i] = (complex_t){random_unit(seed, 2 * (uint64_t)i), random_unit(seed, 2 * (uint64_t)i + 1)};
    }
}

// Lets planes [begin, end) of the spectrum diffuse for a unit of time, and copies them to the cube. `spectrum` has only
// these planes.
static void diffuse(const tables_t* its, complex_t* cube, complex_t* spectrum, long begin, long end) {
    const long n = its->n;
    for (long p = begin; p < end; p++) {
        for (long row = 0; row < n; row++) {
            const double of_row = its->decay[p] * its->decay[row];
            complex_t* const numbers = &spectrum[((p - begin) * n + row) * n];
            for (long i = 0; i < n; i++) {
                const double factor = of_row * its->decay[i];
                numbers[i] = (complex_t){factor * numbers[i].re, factor * numbers[i].im};
            }
            memcpy(&cube[(p * n + row) * n], numbers, (size_t)n * sizeof(complex_t));
        }
    }
}

// Returns the part of the checksum that planes [begin, end) contribute.
static complex_t checksum(const complex_t* cube, long n, long begin, long end) {
    complex_t sum = {0, 0};
    const double points = (double)n * (double)n * (double)n;
    for (long j = 1; j <= checked; j++) {
        const long x = j % n, y = 3 * j % n, z = 5 * j % n;
        if (z >= begin && z < end) {
            const complex_t number = cube[(z * n + y) * n + x];
            sum = (complex_t){sum.re + number.re / points, sum.im + number.im / points};
        }
    }
    return sum;
}

typedef struct {
    complex_t* cube;
    complex_t* checksums;  // of each iteration; private to process 0
} result_t;

static result_t* make_result(complex_t* cube, int iterations) {
    result_t* const result = private_memory(sizeof(*result));
    *result = (result_t){cube, private_memory((size_t)iterations * sizeof(complex_t))};
    return result;
}

static double transform_sequentially(const run_t* run, void** out) {
    const long n = run->size;
    const size_t bytes = (size_t)n * (size_t)n * (size_t)n * sizeof(complex_t);
    complex_t *const cube = private_memory(bytes), *const other = private_memory(bytes);
    complex_t* const spectrum = private_memory(bytes);
    result_t* const result = make_result(cube, run->iterations);
    tables_t tables = make_tables(n);
    fill(cube, n, 0, n);
    const double start = clock_seconds();
    transform_planes(&tables, cube, 0, n, forward);
    transform_across(&tables, spectrum, cube, 0, n, forward);
    for (int i = 0; i < run->iterations; i++) {
        diffuse(&tables, other, spectrum, 0, n);
        transform_planes(&tables, other, 0, n, backward);
        transform_across(&tables, cube, other, 0, n, backward);
        result->checksums[i] = checksum(cube, n, 0, n);
    }
    const double seconds = clock_seconds() - start;
    free_tables(&tables);
    free(spectrum);
    free(other);
    *out = result;
    return seconds;
}

typedef struct {
    complex_t sum;
    char padding[48];  // no two processes share a cache line
} share_t;

// Process 0 adds the shares up, always in the same order.
static complex_t add_shares(const share_t* shares, int processes) {
    complex_t sum = {0, 0};
    for (int i = 0; i < processes; i++) {
        sum = (complex_t){sum.re + shares[i].sum.re, sum.im + shares[i].sum.im};
    }
    return sum;
}

static double transform_in_parallel(const run_t* run, void** out) {
    const long n = run->size;
    const size_t plane_bytes = (size_t)n * (size_t)n * sizeof(complex_t);
    const long begin = part_begin(n, run->processes, run->me), end = part_begin(n, run->processes, run->me + 1);
    complex_t* const cube = shared_memory((size_t)n * plane_bytes, SYNCLINE_DSM_BLOCK);
    complex_t* const other = shared_memory((size_t)n * plane_bytes, SYNCLINE_DSM_BLOCK);
    share_t* const shares = shared_memory((size_t)run->processes * sizeof(share_t), SYNCLINE_DSM_MINE);
    complex_t* const spectrum = private_memory((size_t)(end - begin) * plane_bytes);
    result_t* const result = make_result(cube, run->iterations);
    tables_t tables = make_tables(n);
    fill(cube, n, begin, end);
    barrier();
    const double start = begin_timed_part();
    transform_planes(&tables, cube, begin, end, forward);
    barrier();
    transform_across(&tables, spectrum, cube, begin, end, forward);
    for (int i = 0; i < run->iterations; i++) {
        diffuse(&tables, other, spectrum, begin, end);
        transform_planes(&tables, other, begin, end, backward);
        barrier();
        transform_across(&tables, &cube[begin * n * n], other, begin, end, backward);
        shares[run->me].sum = checksum(cube, n, begin, end);
        barrier();
        if (run->me == 0) {
            result->checksums[i] = add_shares(shares, run->processes);
        }
    }
    const double seconds = end_timed_part(start);
    free_tables(&tables);
    free(spectrum);
    *out = result;
    return seconds;
}

// The points must be equal to the bit. The checksums need not be: the order of their additions depends on the number of
// processes.
static bool same_numbers(const run_t* run, const void* parallel, const void* sequential) {
    const result_t *its = parallel, *expected = sequential;
    for (long i = 0; i < run->size * run->size * run->size; i++) {
        const complex_t a = its->cube[i], b = expected->cube[i];
        if (!(a.re == b.re && a.im == b.im)) {
            fprintf(stderr, "fft: point %ld is %.17g %+.17g i, not %.17g %+.17g i\n", i, a.re, a.im, b.re, b.im);
            return false;
        }
    }
    for (int i = 0; i < run->iterations; i++) {
        const complex_t a = its->checksums[i], b = expected->checksums[i];
        if (!(hypot(a.re - b.re, a.im - b.im) <= 1e-12 * hypot(b.re, b.im))) {
            fprintf(stderr, "fft: checksum %d is %.17g %+.17g i, not %.17g %+.17g i\n", i, a.re, a.im, b.re, b.im);
            return false;
        }
    }
    return true;
}

static const char* refusal(long size) {
    return size >= lanes && size <= 1024 && (size & (size - 1)) == 0
               ? NULL
               : "the edge of the cube must be a power of two from 8 to 1024";
}

static size_t shared_bytes(const run_t* run) {
    return 2 * (size_t)run->size * (size_t)run->size * (size_t)run->size * sizeof(complex_t);
}

static void release(void* its, bool shared) {
    result_t* const result = its;
    if (!shared) {
        free(result->cube);
    }
    free(result->checksums);
    free(result);
}

int main(int argc, char** argv) {
    const application_t fft = {.name = "fft",
                               .large = 128,
                               .small = 64,
                               .iterations = 20,
                               .refusal = refusal,
                               .shared_bytes = shared_bytes,
                               .sequential = transform_sequentially,
                               .parallel = transform_in_parallel,
                               .equal = same_numbers,
                               .release = release};
    return run_application(&fft, argc, argv);
}
