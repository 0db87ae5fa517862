// SPDX-License-Identifier: BSD-3-Clause
// The heat equation on a square plate whose left edge is hot, by Jacobi's iteration. The PEs are a grid, whose rows and
// columns are teams: each PE has a block of the plate, and puts the edges of its block into the halos of its
// neighbours, on a context of the row's or the column's team. Two plates serve in turn, so one sync of each team is
// enough for a step.
//
//      oshrun -np 8 -N 4 heat [points of an edge] [steps]
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

static double largest, largest_anywhere;

// The part of `points` that is the `index`-th of `parts`.
static int begin_of(int points, int parts, int index) {
    return (int)((long)points * index / parts);
}

// One step on a block of rows x columns in a halo; all rows are `pitch` long. Returns the largest change.
static double step(double* next, const double* now, int rows, int columns, int pitch) {
    double change = 0;
    for (int row = 1; row <= rows; row++) {
        for (int column = 1; column <= columns; column++) {
            const double* const at = &now[row * pitch + column];
            const double value = 0.25 * (at[-1] + at[1] + at[-pitch] + at[pitch]);
            const double difference = value > *at ? value - *at : *at - value;
            change = difference > change ? difference : change;
            next[row * pitch + column] = value;
        }
    }
    return change;
}

static void heat_left_edge(double* plate, int rows, int pitch) {
    for (int row = 0; row < rows + 2; row++) {
        plate[row * pitch] = 1;
    }
}

typedef struct {
    shmem_team_t team;
    shmem_ctx_t context;
    int me;
    int size;
} line_t;

static line_t line_of(shmem_team_t team) {
    line_t line = {team, SHMEM_CTX_INVALID, shmem_team_my_pe(team), shmem_team_n_pes(team)};
    if (shmem_team_create_ctx(team, 0, &line.context) != 0) {
        shmem_global_exit(1);
    }
    return line;
}

// Edges of the block at `plate` go into the halos of the neighbours. A neighbour's block may have one point more.
static void exchange(double* plate, int rows, int columns, int left_columns, int above_rows, int pitch,
                     const line_t* row, const line_t* column) {
    if (row->me > 0) {
        shmem_ctx_double_iput(row->context, &plate[pitch + left_columns + 1], &plate[pitch + 1], pitch, pitch,
                              (size_t)rows, row->me - 1);
    }
    if (row->me + 1 < row->size) {
        shmem_ctx_double_iput(row->context, &plate[pitch], &plate[pitch + columns], pitch, pitch, (size_t)rows,
                              row->me + 1);
    }
    if (column->me > 0) {
        shmem_ctx_double_put(column->context, &plate[(above_rows + 1) * pitch + 1], &plate[pitch + 1], (size_t)columns,
                             column->me - 1);
    }
    if (column->me + 1 < column->size) {
        shmem_ctx_double_put(column->context, &plate[1], &plate[rows * pitch + 1], (size_t)columns, column->me + 1);
    }
    shmem_ctx_quiet(row->context);
    shmem_ctx_quiet(column->context);
    shmem_team_sync(row->team);
    shmem_team_sync(column->team);
}

// PE 0 computes the whole plate by itself. Equal sums in an equal order give equal bits.
static int compare(double* plate, int pitch, int points, int steps, int width, int height) {
    const int whole = points + 2;
    double* const two[2] = {calloc((size_t)whole * (size_t)whole, sizeof(double)),
                            calloc((size_t)whole * (size_t)whole, sizeof(double))};
    double* const line = calloc((size_t)whole, sizeof(double));
    if (two[0] == NULL || two[1] == NULL || line == NULL) {
        return 1;
    }
    heat_left_edge(two[0], points, whole);
    heat_left_edge(two[1], points, whole);
    for (int i = 0; i < steps; i++) {
        (void)step(two[(i + 1) % 2], two[i % 2], points, points, whole);
    }
    int wrong = 0;
    for (int pe = 0; pe < width * height; pe++) {
        const int left = begin_of(points, width, pe % width);
        const int top = begin_of(points, height, pe / width);
        const int columns = begin_of(points, width, pe % width + 1) - left;
        const int rows = begin_of(points, height, pe / width + 1) - top;
        for (int row = 0; row < rows; row++) {
            shmem_double_get(line, &plate[(row + 1) * pitch + 1], (size_t)columns, pe);
            for (int column = 0; column < columns; column++) {
                const double expected = two[steps % 2][(top + row + 1) * whole + left + column + 1];
                wrong += !(line[column] >= expected && line[column] <= expected);
            }
        }
    }
    free(line);
    free(two[0]);
    free(two[1]);
    return wrong;
}

int main(int argc, char** argv) {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    const int points = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 96;
    const int steps = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 100;
    int width = 1;  // columns of the grid of PEs: the largest divisor of `pes` up to its root
    for (int i = 1; i * i <= pes; i++) {
        width = pes % i == 0 ? i : width;
    }
    const int height = pes / width;
    if (points < height || steps < 1) {
        fprintf(stderr, "heat: %d points and %d steps are too few for %d PEs\n", points, steps, pes);
        shmem_global_exit(2);
    }
    shmem_team_t teams[2];
    if (shmem_team_split_2d(SHMEM_TEAM_WORLD, width, NULL, 0, &teams[0], NULL, 0, &teams[1]) != 0) {
        shmem_global_exit(1);
    }
    const line_t row = line_of(teams[0]);
    const line_t column = line_of(teams[1]);

    const int columns = begin_of(points, width, row.me + 1) - begin_of(points, width, row.me);
    const int rows = begin_of(points, height, column.me + 1) - begin_of(points, height, column.me);
    const int left_columns = begin_of(points, width, row.me) - begin_of(points, width, row.me - 1);
    const int above_rows = begin_of(points, height, column.me) - begin_of(points, height, column.me - 1);
    const int pitch = points / width + 3;
    const size_t bytes = sizeof(double) * (size_t)pitch * (size_t)(points / height + 3);
    double* plates[2] = {shmem_malloc(bytes), shmem_malloc(bytes)};
    if (plates[0] == NULL || plates[1] == NULL) {
        shmem_global_exit(1);
    }
    for (int i = 0; i < 2; i++) {
        for (size_t point = 0; point < bytes / sizeof(double); point++) {
            plates[i][point] = 0;
        }
        if (row.me == 0) {
            heat_left_edge(plates[i], rows, pitch);
        }
    }
    shmem_barrier_all();

    for (int i = 0; i < steps; i++) {
        largest = step(plates[(i + 1) % 2], plates[i % 2], rows, columns, pitch);
        exchange(plates[(i + 1) % 2], rows, columns, left_columns, above_rows, pitch, &row, &column);
    }
    shmem_double_max_reduce(SHMEM_TEAM_WORLD, &largest_anywhere, &largest, 1);

    int wrong = 0;
    if (me == 0) {
        wrong = compare(plates[steps % 2], pitch, points, steps, width, height);
        printf("heat: %d x %d points on %d x %d PEs, %d steps, last change %.6f: %s\n", points, points, width, height,
               steps, largest_anywhere, wrong == 0 ? "right" : "WRONG");
    }
    shmem_barrier_all();
    shmem_ctx_destroy(row.context);
    shmem_ctx_destroy(column.context);
    shmem_team_destroy(row.team);
    shmem_team_destroy(column.team);
    shmem_free(plates[1]);
    shmem_free(plates[0]);
    shmem_finalize();
    return wrong != 0;
}
