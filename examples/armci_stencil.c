// SPDX-License-Identifier: BSD-3-Clause
// Smoothing of an image on a torus. The processes are a grid, and each has a block with a frame of ghost cells. After a
// step it puts the edges of its block into the ghost cells of its four neighbours, a column as a section of an array
// (ARMCI_PutS), and tells each of them (armci_notify). It waits for their notices, and for no other process. Two blocks
// serve in turn: a neighbour may be a step ahead.
//
//      syncline run -n 8 -N 4 armci_stencil [points of an edge] [steps]
#include <armci.h>
#include <message.h>
#include <stdio.h>
#include <stdlib.h>

enum { left, right, above, below, sides };

typedef struct {
    int width, height;  // of the grid of processes
    int columns, rows;  // of each block
    int pitch;          // of a row of a block with its frame, in points
    int neighbour[sides];
} layout_t;

static double first_value(int row, int column) {
    return (double)((row * 7919 + column * 104729) % 1000);
}

static layout_t layout_of(int processes, int me, int points) {
    layout_t its = {.width = 1};
    for (int i = 1; i * i <= processes; i++) {
        its.width = processes % i == 0 ? i : its.width;
    }
    its.height = processes / its.width;
    its.columns = points / its.width;
    its.rows = points / its.height;
    its.pitch = its.columns + 2;
    const int x = me % its.width, y = me / its.width;
    its.neighbour[left] = y * its.width + (x + its.width - 1) % its.width;
    its.neighbour[right] = y * its.width + (x + 1) % its.width;
    its.neighbour[above] = (y + its.height - 1) % its.height * its.width + x;
    its.neighbour[below] = (y + 1) % its.height * its.width + x;
    return its;
}

static void fill(double* block, int rows, int columns, int pitch, int top, int leftmost) {
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            block[(row + 1) * pitch + column + 1] = first_value(top + row, leftmost + column);
        }
    }
}

static void step(double* next, const double* now, int rows, int columns, int pitch) {
    for (int row = 1; row <= rows; row++) {
        for (int column = 1; column <= columns; column++) {
            const double* const at = &now[row * pitch + column];
            next[row * pitch + column] = 0.2 * (*at + at[-1] + at[1] + at[-pitch] + at[pitch]);
        }
    }
}

// Edges of the block `mine` go to the opposite ghost cells of the neighbours' blocks `theirs`.
static void exchange(const layout_t* its, double* mine, double** theirs) {
    const int pitch = its->pitch, columns = its->columns, rows = its->rows;
    int strides[] = {pitch * (int)sizeof(double)};
    int column[] = {sizeof(double), rows};
    ARMCI_PutS(&mine[pitch + 1], strides, &theirs[its->neighbour[left]][pitch + columns + 1], strides, column, 1,
               its->neighbour[left]);
    ARMCI_PutS(&mine[pitch + columns], strides, &theirs[its->neighbour[right]][pitch], strides, column, 1,
               its->neighbour[right]);
    ARMCI_Put(&mine[pitch + 1], &theirs[its->neighbour[above]][(rows + 1) * pitch + 1], columns * (int)sizeof(double),
              its->neighbour[above]);
    ARMCI_Put(&mine[rows * pitch + 1], &theirs[its->neighbour[below]][1], columns * (int)sizeof(double),
              its->neighbour[below]);
    for (int side = 0; side < sides; side++) {
        armci_notify(its->neighbour[side]);
    }
    for (int side = 0; side < sides; side++) {
        armci_notify_wait(its->neighbour[side], NULL);
    }
}

// The ghost cells of a whole image.
static void wrap(double* image, int rows, int columns, int pitch) {
    for (int row = 1; row <= rows; row++) {
        image[row * pitch] = image[row * pitch + columns];
        image[row * pitch + columns + 1] = image[row * pitch + 1];
    }
    for (int column = 1; column <= columns; column++) {
        image[column] = image[rows * pitch + column];
        image[(rows + 1) * pitch + column] = image[pitch + column];
    }
}

// Process 0 computes the whole image by itself. Equal sums in an equal order give equal bits.
static int compare(const layout_t* its, double** blocks, int rows, int columns, int steps) {
    const int pitch = columns + 2;
    const size_t bytes = (size_t)pitch * (size_t)(rows + 2) * sizeof(double);
    double* const images[2] = {malloc(bytes), malloc(bytes)};
    double* const line = malloc((size_t)its->columns * sizeof(double));
    int wrong = 0;
    if (images[0] == NULL || images[1] == NULL || line == NULL) {
        ARMCI_Error("armci_stencil: there is no memory for the comparison", 1);
    }
    fill(images[0], rows, columns, pitch, 0, 0);
    for (int i = 0; i < steps; i++) {
        wrap(images[i % 2], rows, columns, pitch);
        step(images[(i + 1) % 2], images[i % 2], rows, columns, pitch);
    }
    for (int row = 0; row < rows; row++) {
        for (int x = 0; x < its->width; x++) {
            const int process = row / its->rows * its->width + x;
            const double* const expected = &images[steps % 2][(row + 1) * pitch + x * its->columns + 1];
            ARMCI_Get(&blocks[process][(row % its->rows + 1) * its->pitch + 1], line,
                      its->columns * (int)sizeof(double), process);
            for (int column = 0; column < its->columns; column++) {
                wrong += !(line[column] >= expected[column] && line[column] <= expected[column]);
            }
        }
    }
    free(line);
    free(images[0]);
    free(images[1]);
    return wrong;
}

int main(int argc, char** argv) {
    ARMCI_Init_args(&argc, &argv);
    const int me = armci_msg_me(), processes = armci_msg_nproc();
    const int points = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 96;
    const int steps = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 50;
    const layout_t its = layout_of(processes, me, points);
    int wrong = 0;
    if (its.rows < 1 || steps < 1) {
        ARMCI_Error("armci_stencil: there is a point for each process, and a step", 2);
    }
    void** const addresses = malloc(2 * (size_t)processes * sizeof(void*));
    double** blocks[2] = {(double**)addresses, (double**)addresses + processes};
    const armci_size_t bytes = (armci_size_t)((size_t)its.pitch * (size_t)(its.rows + 2) * sizeof(double));
    if (addresses == NULL || ARMCI_Malloc(addresses, bytes) != 0 || ARMCI_Malloc(addresses + processes, bytes) != 0) {
        ARMCI_Error("armci_stencil: there is no memory for the blocks", 1);
    }
    fill(blocks[0][me], its.rows, its.columns, its.pitch, me / its.width * its.rows, me % its.width * its.columns);
    exchange(&its, blocks[0][me], blocks[0]);
    for (int i = 0; i < steps; i++) {
        step(blocks[(i + 1) % 2][me], blocks[i % 2][me], its.rows, its.columns, its.pitch);
        exchange(&its, blocks[(i + 1) % 2][me], blocks[(i + 1) % 2]);
    }
    ARMCI_Barrier();
    if (me == 0) {
        const int rows = its.rows * its.height, columns = its.columns * its.width;
        wrong = compare(&its, blocks[steps % 2], rows, columns, steps);
        printf("armci_stencil: %d x %d points on %d x %d processes, %d steps: %s\n", columns, rows, its.width,
               its.height, steps, wrong == 0 ? "right" : "WRONG");
    }
    armci_msg_bcast(&wrong, sizeof(wrong), 0);
    ARMCI_Free(blocks[0][me]);
    ARMCI_Free(blocks[1][me]);
    free(addresses);
    ARMCI_Finalize();
    return wrong != 0;
}
