/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `syncline bench armci` runs this program of Global Arrays above every library: C += A B of square matrices of
 * doubles. A task is one block of A by one of B; a shared counter deals tasks out, so a process that is quick does more
 * of them. Each task gets its two blocks, multiplies them, and accumulates into C.
 *
 * Process 0 writes one line: the name, then median, 99th percentile and mean of the rounds, in nanoseconds. The
 * matrices have small whole numbers, so the check of the product is exact.
 *
 * usage: ga_matrix_product <rows> <rows of a block>
 */
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rounds = 5 };

static int me, rows, block, blocks; /* `blocks` blocks make a row of blocks */
static int a, b, c, counter;

static double element_of_a(int i, int k) {
    return (i + k) % 5 - 2;
}
static double element_of_b(int k, int j) {
    return (2 * k + j) % 7 - 3;
}

static int make_matrix(char* name) {
    int dims[2] = {rows, rows};
    const int matrix = NGA_Create(C_DBL, 2, dims, name, NULL);
    if (matrix == 0) {
        GA_Error("there is no room for a matrix", rows);
    }
    GA_Zero(matrix);
    return matrix;
}

/* Each process fills what it owns. */
static void fill(int matrix, double (*element)(int, int)) {
    int low[2], high[2], stride[1];
    double* own = NULL;
    NGA_Distribution(matrix, me, low, high);
    if (low[0] >= 0 && high[0] >= low[0] && high[1] >= low[1]) {
        NGA_Access(matrix, low, high, &own, stride);
        for (int i = low[0]; i <= high[0]; i++) {
            for (int j = low[1]; j <= high[1]; j++) {
                own[(size_t)(i - low[0]) * (size_t)stride[0] + (size_t)(j - low[1])] = element(i, j);
            }
        }
        NGA_Release_update(matrix, low, high);
    }
}

static void get_block(int matrix, int row, int column, double* values) {
    int low[2] = {row * block, column * block}, high[2] = {low[0] + block - 1, low[1] + block - 1}, stride = block;
    NGA_Get(matrix, low, high, values, &stride);
}

static void accumulate_block(int matrix, int row, int column, double* values) {
    int low[2] = {row * block, column * block}, high[2] = {low[0] + block - 1, low[1] + block - 1}, stride = block;
    double scale = 1;
    NGA_Acc(matrix, low, high, values, &stride, &scale);
}

/* The compiler vectorises the innermost loop. */
static void multiply(const double* left, const double* right, double* product) {
    memset(product, 0, (size_t)block * (size_t)block * sizeof(*product));
    for (int i = 0; i < block; i++) {
        for (int k = 0; k < block; k++) {
            const double factor = left[i * block + k];
            for (int j = 0; j < block; j++) {
                product[i * block + j] += factor * right[k * block + j];
            }
        }
    }
}

static void multiply_matrices(void) {
    const size_t bytes = (size_t)block * (size_t)block * sizeof(double);
    double *const left = malloc(bytes), *const right = malloc(bytes), *const product = malloc(bytes);
    int first[1] = {0};
    if (left == NULL || right == NULL || product == NULL) {
        GA_Error("there is no room for a block", block);
    }
    for (;;) {
        const long task = NGA_Read_inc(counter, first, 1);
        if (task >= (long)blocks * blocks * blocks) {
            break;
        }
        const int i = (int)(task / ((long)blocks * blocks)), j = (int)(task / blocks % blocks),
                  k = (int)(task % blocks);
        get_block(a, i, k, left);
        get_block(b, k, j, right);
        multiply(left, right, product);
        accumulate_block(c, i, j, product);
    }
    free(left);
    free(right);
    free(product);
    GA_Sync();
}

/* C x is A (B x) for any x, and needs no third matrix. */
static void check_product(void) {
    double *const x = malloc((size_t)rows * sizeof(*x)), *const bx = calloc((size_t)rows, sizeof(*bx));
    double* const row = malloc((size_t)rows * sizeof(*row));
    if (x == NULL || bx == NULL || row == NULL) {
        GA_Error("there is no room for the check", rows);
    }
    for (int i = 0; i < rows; i++) {
        x[i] = i % 3 + 1;
    }
    for (int k = 0; k < rows; k++) {
        for (int j = 0; j < rows; j++) {
            bx[k] += element_of_b(k, j) * x[j];
        }
    }
    for (int i = 0; i < rows; i++) {
        int low[2] = {i, 0}, high[2] = {i, rows - 1}, stride = rows;
        double expected = 0, found = 0;
        NGA_Get(c, low, high, row, &stride);
        for (int j = 0; j < rows; j++) {
            expected += element_of_a(i, j) * bx[j];
            found += row[j] * x[j];
        }
        if (found != expected) {
            GA_Error("the product is wrong in row", i);
        }
    }
    free(x);
    free(bx);
    free(row);
}

static int compare(const void* left, const void* right) {
    const double x = *(const double*)left, y = *(const double*)right;
    return (x > y) - (x < y);
}

static void report(double* values) {
    double sum = 0;
    for (int i = 0; i < rounds; i++) {
        sum += values[i];
    }
    qsort(values, rounds, sizeof(*values), compare);
    printf("matrix_product %.0f %.0f %.0f\n", values[rounds / 2], values[rounds - 1], sum / rounds);
}

static void measure(void) {
    double values[rounds];
    int one = 1;
    char names[][8] = {"A", "B", "C", "counter"};
    a = make_matrix(names[0]);
    b = make_matrix(names[1]);
    c = make_matrix(names[2]);
    counter = NGA_Create(C_LONG, 1, &one, names[3], NULL);
    fill(a, element_of_a);
    fill(b, element_of_b);
    for (int round = 0; round < rounds; round++) {
        GA_Zero(c);
        GA_Zero(counter);
        GA_Sync();
        const double started = MPI_Wtime();
        multiply_matrices();
        values[round] = (MPI_Wtime() - started) * 1e9;
    }
    if (me == 0) {
        check_product();
        report(values);
    }
    GA_Sync();
    GA_Destroy(counter);
    GA_Destroy(c);
    GA_Destroy(b);
    GA_Destroy(a);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    GA_Initialize();
    me = GA_Nodeid();
    rows = argc > 1 ? atoi(argv[1]) : 0;
    block = argc > 2 ? atoi(argv[2]) : 0;
    if (block < 1 || rows < block || rows % block != 0 || !MA_init(C_DBL, 1 << 16, 1 << 16)) {
        GA_Error("usage: ga_matrix_product <rows> <rows of a block>, which divide them", 2);
    }
    blocks = rows / block;
    measure();
    GA_Terminate();
    MPI_Finalize();
    return 0;
}
