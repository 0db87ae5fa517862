// SPDX-License-Identifier: BSD-3-Clause
// C = A B of square matrices. The rows of each matrix are dealt out to the processes, `tile` rows at a time. A task is
// the product of two tiles, and a counter deals the tasks out (ARMCI_Rmw). A process gets the tiles of its next task
// while it computes (ARMCI_NbGetS), and adds the product to a tile of C, which others may add to at the same time
// (ARMCI_AccS).
//
//      syncline run -n 8 -N 4 armci_matrix_product [tiles of an edge]
#include <armci.h>
#include <message.h>
#include <stdio.h>
#include <stdlib.h>

enum { tile = 32 };

typedef struct {
    int row, column;  // in tiles
} place_t;

typedef struct {
    long number;
    place_t a, b, c;
    double a_tile[tile * tile], b_tile[tile * tile];
    armci_hdl_t handles[2];
} task_t;

static int edge;  // of a matrix, in tiles
static int processes;

// Small whole numbers: every order of the sums has the same result.
static double a_value(int row, int column) {
    return (row * 3 + column * 5) % 17 - 8;
}
static double b_value(int row, int column) {
    return (row * 7 + column * 2) % 13 - 6;
}

static int process_of(place_t place) {
    return place.row % processes;
}
static double* address_of(double** matrix, place_t place) {
    return &matrix[process_of(place)][(place.row / processes * edge * tile + place.column) * tile];
}

// A tile by itself, and as a section of a matrix.
static int packed[] = {tile * sizeof(double)};
static int spread[1];
static int count[] = {tile * sizeof(double), tile};

static void start(task_t* task, double** a, double** b, long* counter) {
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &task->number, counter, 1, 0);
    if (task->number >= (long)edge * edge * edge) {
        return;
    }
    const int middle = (int)(task->number % edge);
    task->c = (place_t){(int)(task->number / edge / edge), (int)(task->number / edge % edge)};
    task->a = (place_t){task->c.row, middle};
    task->b = (place_t){middle, task->c.column};
    ARMCI_INIT_HANDLE(&task->handles[0]);
    ARMCI_INIT_HANDLE(&task->handles[1]);
    ARMCI_NbGetS(address_of(a, task->a), spread, task->a_tile, packed, count, 1, process_of(task->a),
                 &task->handles[0]);
    ARMCI_NbGetS(address_of(b, task->b), spread, task->b_tile, packed, count, 1, process_of(task->b),
                 &task->handles[1]);
}

static void multiply(double* product, const double* a, const double* b, int rows) {
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < rows; column++) {
            product[row * rows + column] = 0;
        }
        for (int middle = 0; middle < rows; middle++) {
            for (int column = 0; column < rows; column++) {
                product[row * rows + column] += a[row * rows + middle] * b[middle * rows + column];
            }
        }
    }
}

static void finish(task_t* task, double** c) {
    double product[tile * tile], scale = 1;
    ARMCI_Wait(&task->handles[0]);
    ARMCI_Wait(&task->handles[1]);
    multiply(product, task->a_tile, task->b_tile, tile);
    ARMCI_AccS(ARMCI_ACC_DBL, &scale, product, packed, address_of(c, task->c), spread, count, 1, process_of(task->c));
}

static double zero(int row, int column) {
    (void)row;
    (void)column;
    return 0;
}

static double** matrix_of(double (*value)(int row, int column)) {
    const int rows = (edge + processes - 1) / processes * tile, me = armci_msg_me();
    void** const addresses = malloc((size_t)processes * sizeof(void*));
    if (addresses == NULL || ARMCI_Malloc(addresses, (long)rows * edge * tile * (long)sizeof(double)) != 0) {
        ARMCI_Error("armci_matrix_product: there is no memory for the matrices", 1);
    }
    double* at = addresses[me];
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < edge * tile; column++) {
            *at++ = value((row / tile * processes + me) * tile + row % tile, column);
        }
    }
    return (double**)addresses;
}

// Process 0 multiplies the whole matrices by itself.
static int compare(double** c) {
    const int rows = edge * tile;
    const size_t bytes = (size_t)rows * (size_t)rows * sizeof(double);
    double *const a = malloc(bytes), *const b = malloc(bytes), *const product = malloc(bytes);
    double line[tile];
    int wrong = 0;
    if (a == NULL || b == NULL || product == NULL) {
        ARMCI_Error("armci_matrix_product: there is no memory for the comparison", 1);
    }
    for (int i = 0; i < rows * rows; i++) {
        a[i] = a_value(i / rows, i % rows);
        b[i] = b_value(i / rows, i % rows);
    }
    multiply(product, a, b, rows);
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < edge; column++) {
            const place_t place = {row / tile, column};
            ARMCI_Get(address_of(c, place) + row % tile * rows, line, sizeof(line), process_of(place));
            for (int i = 0; i < tile; i++) {
                const double expected = product[row * rows + column * tile + i];
                wrong += !(line[i] >= expected && line[i] <= expected);
            }
        }
    }
    free(product);
    free(b);
    free(a);
    return wrong;
}

int main(int argc, char** argv) {
    static task_t tasks[2];
    ARMCI_Init_args(&argc, &argv);
    const int me = armci_msg_me();
    processes = armci_msg_nproc();
    edge = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 6;
    if (edge < 1 || edge > 64) {
        ARMCI_Error("armci_matrix_product: a matrix has 1 to 64 tiles an edge", 2);
    }
    spread[0] = edge * tile * (int)sizeof(double);
    double **const a = matrix_of(a_value), **const b = matrix_of(b_value), **const c = matrix_of(zero);
    void** const counters = malloc((size_t)processes * sizeof(void*));
    if (counters == NULL || ARMCI_Malloc(counters, sizeof(long)) != 0) {
        ARMCI_Error("armci_matrix_product: there is no memory for a counter", 1);
    }
    *(long*)counters[me] = 0;
    ARMCI_Barrier();

    int current = 0, done = 0, wrong = 0;
    start(&tasks[0], a, b, counters[0]);
    while (tasks[current].number < (long)edge * edge * edge) {
        start(&tasks[!current], a, b, counters[0]);
        finish(&tasks[current], c);
        current = !current;
        done++;
    }
    ARMCI_Barrier();

    int least = done, most = done;
    armci_msg_igop(&least, 1, "min");
    armci_msg_igop(&most, 1, "max");
    if (me == 0) {
        wrong = compare(c);
        printf("armci_matrix_product: %d x %d, %d to %d products of tiles by each of %d processes: %s\n", edge * tile,
               edge * tile, least, most, processes, wrong == 0 ? "right" : "WRONG");
    }
    armci_msg_bcast(&wrong, sizeof(wrong), 0);
    ARMCI_Free(counters[me]);
    ARMCI_Free(c[me]);
    ARMCI_Free(b[me]);
    ARMCI_Free(a[me]);
    free(counters);
    free(c);
    free(b);
    free(a);
    ARMCI_Finalize();
    return wrong != 0;
}
