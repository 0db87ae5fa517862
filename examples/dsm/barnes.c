// SPDX-License-Identifier: BSD-3-Clause
// Barnes and Hut's n-body simulation, with the parameters of SPLASH-2's Barnes (Woo et al., 1995): two Plummer
// spheres, steps of 0.025, softening 0.05, opening angle 1.0, quadrupole moments, up to 8 bodies in a leaf.
//
// SPLASH-2 builds its tree under a lock for each cell, which is slow with release consistency. This program builds the
// tree as later papers on shared virtual memory do ("Barnes-Spatial": Jiang, Shan and Singh, 1997): each process builds
// the subtrees of a part of space. The parts are pieces of Morton's curve through the cube, whose costs in the previous
// step were equal.
//
// Sharing.         Each step has four phases.
//                  1 A process sorts its bodies along the curve, and publishes the list, with samples that divide the
//                    list into pieces of equal cost.
//                  2 Each process computes the borders of its part from the samples of all processes, takes the bodies
//                    of its part out of all lists (mostly its own and its neighbours'), copies their places and masses
//                    to its points, and builds the cells that lie within its part, in its pool of cells.
//                  3 Process 0 joins these cells: it builds the cells that reach across a border. The other processes
//                    wait.
//                  4 Each process computes the forces on its bodies, for which it reads cells and points of all
//                    processes, and moves the bodies. A body keeps its index in the array, which is at first in the
//                    order of Morton's curve.
// Synchronisation. A barrier after each phase, and no lock.
// Homes.           BLOCK for the bodies, because the first parts are equal blocks of the array. FIRST_TOUCH for lists,
//                  points and pools: each belongs to one process, and is longer than the process needs.
// Exactness.       The tree depends on the bodies only, and sums are added from the leaves up and along the curve. So
//                  the result is, bit by bit, that of the sequential program, with any number of processes.
// Parameters.      As in SPLASH-2, the first two steps are not timed; they measure the costs. More steps are timed than
//                  the two of SPLASH-2.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

enum {
    leaf_bodies = 8,
    bits = 21,          // of the cube's edge, and levels of the tree
    border_level = 10,  // a border between parts is a border between cells of this level
    samples = 64,       // in a process's list
    pieces_max = 2 * 7 * border_level + 8,
    warm_up = 2,
    stack_cells = 8 * bits,
    seed = 123
};

static const double time_step = 0.025, softening = 0.05, opening_angle = 1.0;
static const uint64_t last_key = (uint64_t)1 << (3 * bits);  // behind all keys

typedef struct {
    double place[3], velocity[3], acceleration[3];
    double mass, potential;
    double padding;
} body_t;

// A copy of a body's place and mass, for the tree.
typedef struct {
    double place[3], mass;
} point_t;

typedef struct {
    double centre[3], mass;  // centre of mass
    double moment[6];        // the quadrupole's xx, xy, xz, yy, yz, zz
    double near;             // squared distance up to which a body sees the children instead of the cell
    int32_t first;           // in a leaf the first point, else the first child
    int32_t count;           // in a leaf the number of points, else minus the number of children
} cell_t;

typedef struct {
    uint64_t key;  // place along the curve
    int32_t body;
    int32_t cost;
} entry_t;

typedef struct {
    double low[3], high[3];
    double padding[2];
} bounds_t;

typedef struct {
    int64_t count;
    double cost;  // that each sample stands for
    uint64_t first, last;
    uint64_t keys[samples];
} samples_t;

// A cell that lies within a part, but whose parent does not.
typedef struct {
    uint64_t key;  // of its lowest corner
    int64_t level;
    cell_t cell;
} piece_t;

typedef struct {
    int64_t count;
    piece_t pieces[pieces_max];
} pieces_t;

// The data of a run, private in the sequential program and shared in the parallel one. The entries, points and cells of
// process p begin at index p times the capacity.
typedef struct {
    body_t* bodies;
    point_t* points;
    cell_t* cells;
    cell_t* root;
    entry_t* lists;
    bounds_t* bounds;
    samples_t* samples;
    pieces_t* pieces;
    long list_capacity, point_capacity, cell_capacity;
} world_t;

// A process's part of the work in a step.
typedef struct {
    world_t world;
    entry_t* mine;  // private: the bodies of the part, along the curve
    long count;
    uint64_t begin, end;  // the part's keys
    double corner[3], edge;
    int32_t next_point, end_of_points;
    int32_t next_cell, end_of_cells;
    bounds_t bounds;
} part_t;

// ---- Initial state -------------------------------------------------------------------------------------------------

typedef struct {
    uint64_t seed, next;
} numbers_t;

static double draw(numbers_t* numbers, double low, double high) {
    return low + (high - low) * random_unit(numbers->seed, numbers->next++);
}

// Draws a vector of the given length in a random direction.
static void draw_direction(numbers_t* numbers, double* vector, double length) {
    double square;
    do {
        square = 0;
        for (int i = 0; i < 3; i++) {
            vector[i] = draw(numbers, -1, 1);
            square += vector[i] * vector[i];
        }
    } while (square > 1 || square < 1e-6);
    for (int i = 0; i < 3; i++) {
        vector[i] *= length / sqrt(square);
    }
}

// Draws a body of Plummer's model in the units of Heggie and Mathieu (Aarseth, Henon and Wielen, 1974). The sphere ends
// at nine times the model's radius.
static void draw_body(numbers_t* numbers, body_t* body) {
    const double unit = 9 * acos(-1) / 16;  // three times the standard unit, as in SPLASH-2
    double radius, x;
    do {
        radius = 1 / sqrt(pow(draw(numbers, 1e-9, 0.999), -2.0 / 3) - 1);
    } while (radius > 9);
    do {
        x = draw(numbers, 0, 1);
    } while (draw(numbers, 0, 0.1) > x * x * pow(1 - x * x, 3.5));
    draw_direction(numbers, body->place, unit * radius);
    draw_direction(numbers, body->velocity, sqrt(2 / unit) * x / pow(1 + radius * radius, 0.25));
}

// Draws two spheres, and moves them so that their common centre rests at the origin.
static void draw_bodies(body_t* bodies, long count) {
    numbers_t numbers = {.seed = seed};
    double place[3] = {0}, velocity[3] = {0};
    for (long i = 0; i < count; i++) {
        draw_body(&numbers, &bodies[i]);
        bodies[i].mass = 1 / (double)count;
        for (int k = 0; k < 3; k++) {
            bodies[i].place[k] += i < count / 2 ? 0 : 4;
            place[k] += bodies[i].place[k] / (double)count;
            velocity[k] += bodies[i].velocity[k] / (double)count;
        }
    }
    for (long i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            bodies[i].place[k] -= place[k];
            bodies[i].velocity[k] -= velocity[k];
        }
    }
}

// ---- Morton's curve ------------------------------------------------------------------------------------------------

// Inserts two zeros after each bit.
static uint64_t spread(uint64_t number) {
    number = (number | number << 32) & 0x001f00000000ffffu;
    number = (number | number << 16) & 0x001f0000ff0000ffu;
    number = (number | number << 8) & 0x100f00f00f00f00fu;
    number = (number | number << 4) & 0x10c30c30c30c30c3u;
    return (number | number << 2) & 0x1249249249249249u;
}

static uint64_t key_of(const part_t* its, const double* place) {
    uint64_t key = 0;
    for (int i = 0; i < 3; i++) {
        const double along = (place[i] - its->corner[i]) / its->edge;  // in [0, 1)
        key |= spread((uint64_t)(along * (1 << bits))) << (2 - i);
    }
    return key;
}

static int compare_entries(const void* a, const void* b) {
    const entry_t *one = a, *other = b;
    if (one->key != other->key) {
        return one->key < other->key ? -1 : 1;
    }
    return one->body - other->body;
}

static void sort_entries(entry_t* entries, long count) {
    qsort(entries, (size_t)count, sizeof(*entries), compare_entries);
}

static const bounds_t nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, {0, 0}};

static void widen(bounds_t* bounds, const double* low, const double* high) {
    for (int i = 0; i < 3; i++) {
        bounds->low[i] = low[i] < bounds->low[i] ? low[i] : bounds->low[i];
        bounds->high[i] = high[i] > bounds->high[i] ? high[i] : bounds->high[i];
    }
}

// Makes the cube a little larger than the bounds of all bodies.
static void set_cube(part_t* its, const bounds_t* bounds) {
    its->edge = 0;
    for (int i = 0; i < 3; i++) {
        const double length = 1.00002 * (bounds->high[i] - bounds->low[i]);
        its->edge = length > its->edge ? length : its->edge;
    }
    its->edge = its->edge > 0 ? its->edge : 1;
    for (int i = 0; i < 3; i++) {
        its->corner[i] = (bounds->low[i] + bounds->high[i]) / 2 - its->edge / 2;
    }
}

static void sort_along_curve(part_t* its) {
    for (long i = 0; i < its->count; i++) {
        its->mine[i].key = key_of(its, its->world.bodies[its->mine[i].body].place);
    }
    sort_entries(its->mine, its->count);
}

// ---- The tree ------------------------------------------------------------------------------------------------------

// Returns the number of keys in a cell of this level.
static uint64_t keys_of_level(int level) {
    return (uint64_t)1 << (3 * (bits - level));
}

static double near_of_level(const part_t* its, int level) {
    const double edge = ldexp(its->edge, -level) / opening_angle;
    return edge * edge;
}

// Adds the quadrupole moment of a mass to a cell whose centre of mass is known.
static void add_moment(cell_t* cell, const double* place, double mass) {
    const double d[3] = {place[0] - cell->centre[0], place[1] - cell->centre[1], place[2] - cell->centre[2]};
    const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    cell->moment[0] += mass * (3 * d[0] * d[0] - square);
    cell->moment[1] += mass * 3 * d[0] * d[1];
    cell->moment[2] += mass * 3 * d[0] * d[2];
    cell->moment[3] += mass * (3 * d[1] * d[1] - square);
    cell->moment[4] += mass * 3 * d[1] * d[2];
    cell->moment[5] += mass * (3 * d[2] * d[2] - square);
}

static void add_mass(cell_t* cell, const double* place, double mass) {
    for (int i = 0; i < 3; i++) {
        cell->centre[i] += mass * place[i];
    }
    cell->mass += mass;
}

static void divide_by_mass(cell_t* cell) {
    for (int i = 0; i < 3; i++) {
        cell->centre[i] /= cell->mass;
    }
}

static cell_t make_leaf(const part_t* its, int level, int32_t first, int32_t count) {
    cell_t leaf = {.near = near_of_level(its, level), .first = first, .count = count};
    const point_t* const points = &its->world.points[first];
    for (int32_t i = 0; i < count; i++) {
        add_mass(&leaf, points[i].place, points[i].mass);
    }
    divide_by_mass(&leaf);
    for (int32_t i = 0; i < count; i++) {
        add_moment(&leaf, points[i].place, points[i].mass);
    }
    return leaf;
}

static cell_t make_parent(const part_t* its, int level, int32_t first, int32_t count) {
    cell_t parent = {.near = near_of_level(its, level), .first = first, .count = -count};
    const cell_t* const children = &its->world.cells[first];
    for (int32_t i = 0; i < count; i++) {
        add_mass(&parent, children[i].centre, children[i].mass);
    }
    divide_by_mass(&parent);
    for (int32_t i = 0; i < count; i++) {
        add_moment(&parent, children[i].centre, children[i].mass);
        for (int k = 0; k < 6; k++) {
            parent.moment[k] += children[i].moment[k];
        }
    }
    return parent;
}

static int32_t take_cells(part_t* its, int32_t count) {
    if (its->end_of_cells - its->next_cell < count) {
        fail("barnes: a process's pool is too small for the cells of its part; start fewer processes");
    }
    its->next_cell += count;
    return its->next_cell - count;
}

// Returns the first of the entries [begin, end) whose key is `key` or greater, or `end`.
static long find_key(const entry_t* entries, long begin, long end, uint64_t key) {
    while (begin < end) {
        const long middle = begin + (end - begin) / 2;
        if (entries[middle].key < key) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

// Builds the cell at `key`, which has the part's entries [begin, end), of which there is at least one.
static cell_t build(part_t* its, uint64_t key, int level, long begin, long end) {
    if (end - begin <= leaf_bodies || level == bits) {
        return make_leaf(its, level, its->next_point + (int32_t)begin, (int32_t)(end - begin));
    }
    const uint64_t keys = keys_of_level(level + 1);
    long borders[9] = {begin};
    int32_t children = 0;
    for (int i = 0; i < 8; i++) {
        borders[i + 1] = i == 7 ? end : find_key(its->mine, borders[i], end, key + ((uint64_t)i + 1) * keys);
        children += borders[i + 1] > borders[i];
    }
    const int32_t first = take_cells(its, children);
    int32_t child = first;
    for (int i = 0; i < 8; i++) {
        if (borders[i + 1] > borders[i]) {
            its->world.cells[child++] = build(its, key + (uint64_t)i * keys, level + 1, borders[i], borders[i + 1]);
        }
    }
    return make_parent(its, level, first, children);
}

// Copies the bodies of the part to its points, in the order of its entries.
static void copy_points(part_t* its) {
    for (long i = 0; i < its->count; i++) {
        const body_t* const body = &its->world.bodies[its->mine[i].body];
        point_t* const point = &its->world.points[its->next_point + i];
        memcpy(point->place, body->place, sizeof(point->place));
        point->mass = body->mass;
    }
}

// ---- Forces --------------------------------------------------------------------------------------------------------

typedef struct {
    double place[3];
    double acceleration[3];
    double potential;
    int32_t cost;
} pull_t;

// The quadrupole adds - dQd / 2r^5 to the potential, and the gradient of that to the acceleration.
static void pull_by_cell(pull_t* its, const cell_t* cell, const double* d, double square) {
    const double inverse = 1 / sqrt(square + softening * softening);
    const double inverse2 = inverse * inverse, inverse5 = inverse2 * inverse2 * inverse;
    const double* const q = cell->moment;
    const double qd[3] = {q[0] * d[0] + q[1] * d[1] + q[2] * d[2], q[1] * d[0] + q[3] * d[1] + q[4] * d[2],
                          q[2] * d[0] + q[4] * d[1] + q[5] * d[2]};
    const double dqd = d[0] * qd[0] + d[1] * qd[1] + d[2] * qd[2];
    const double along = (cell->mass + 2.5 * dqd * inverse2 * inverse2) * inverse * inverse2;
    for (int i = 0; i < 3; i++) {
        its->acceleration[i] += along * d[i] - qd[i] * inverse5;
    }
    its->potential -= cell->mass * inverse + dqd / 2 * inverse5;
}

// A body is among the points of its own leaf. It adds no force there, and move() takes its share of the potential back.
static void pull_by_points(pull_t* its, const point_t* points, int32_t count) {
    for (int32_t j = 0; j < count; j++) {
        const double d[3] = {points[j].place[0] - its->place[0], points[j].place[1] - its->place[1],
                             points[j].place[2] - its->place[2]};
        const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        const double inverse = 1 / sqrt(square + softening * softening);
        const double along = points[j].mass * inverse * inverse * inverse;
        for (int i = 0; i < 3; i++) {
            its->acceleration[i] += along * d[i];
        }
        its->potential -= points[j].mass * inverse;
    }
}

static void pull_by_tree(pull_t* its, const world_t* world) {
    const cell_t* stack[stack_cells];
    int height = 0;
    stack[height++] = world->root;
    while (height > 0) {
        const cell_t* const cell = stack[--height];
        const double d[3] = {cell->centre[0] - its->place[0], cell->centre[1] - its->place[1],
                             cell->centre[2] - its->place[2]};
        const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (square > cell->near) {
            pull_by_cell(its, cell, d, square);
            its->cost++;
        } else if (cell->count > 0) {
            pull_by_points(its, &world->points[cell->first], cell->count);
            its->cost += cell->count;
        } else {
            for (int32_t i = 0; i < -cell->count; i++) {
                stack[height++] = &world->cells[cell->first + i];
            }
        }
    }
}

// Leapfrog integration: velocities lag half a step behind places, because the first step changes them by half a step.
static void move(body_t* body, const pull_t* pull, int step) {
    const double kick = step == 0 ? time_step / 2 : time_step;
    for (int i = 0; i < 3; i++) {
        body->acceleration[i] = pull->acceleration[i];
        body->velocity[i] += kick * pull->acceleration[i];
        body->place[i] += time_step * body->velocity[i];
    }
    body->potential = pull->potential + body->mass / softening;
}

static void move_bodies(part_t* its, int step) {
    its->bounds = nothing;
    for (long i = 0; i < its->count; i++) {
        body_t* const body = &its->world.bodies[its->mine[i].body];
        pull_t pull = {.place = {body->place[0], body->place[1], body->place[2]}};
        pull_by_tree(&pull, &its->world);
        move(body, &pull, step);
        its->mine[i].cost = pull.cost;
        widen(&its->bounds, body->place, body->place);
    }
}

// ---- The sequential program ----------------------------------------------------------------------------------------

typedef struct {
    body_t* bodies;
} result_t;

static void* finish(body_t* bodies) {
    result_t* const result = private_memory(sizeof(*result));
    result->bodies = bodies;
    return result;
}

// Draws the bodies, and sorts them along the curve.
static void first_bodies(body_t* sorted, long count) {
    part_t part = {.count = count, .bounds = nothing};
    part.world.bodies = private_memory((size_t)count * sizeof(body_t));
    part.mine = private_memory((size_t)count * sizeof(entry_t));
    draw_bodies(part.world.bodies, count);
    for (long i = 0; i < count; i++) {
        part.mine[i].body = (int32_t)i;
        widen(&part.bounds, part.world.bodies[i].place, part.world.bodies[i].place);
    }
    set_cube(&part, &part.bounds);
    sort_along_curve(&part);
    for (long i = 0; i < count; i++) {
        sorted[i] = part.world.bodies[part.mine[i].body];
    }
    free(part.mine);
    free(part.world.bodies);
}

// Makes bodies [begin, end) the part's bodies in the first step.
static void start_part(part_t* its, long begin, long end) {
    its->count = end - begin;
    its->bounds = nothing;
    for (long i = begin; i < end; i++) {
        its->mine[i - begin] = (entry_t){.body = (int32_t)i, .cost = 1};
        widen(&its->bounds, its->world.bodies[i].place, its->world.bodies[i].place);
    }
}

static double simulate_sequentially(const run_t* run, void** result) {
    const size_t count = (size_t)run->size;
    cell_t root;
    part_t all = {.mine = private_memory(count * sizeof(entry_t)), .end_of_cells = (int32_t)count + stack_cells};
    all.world.bodies = private_memory(count * sizeof(body_t));
    all.world.points = private_memory(count * sizeof(point_t));
    all.world.cells = private_memory((count + stack_cells) * sizeof(cell_t));
    all.world.root = &root;
    double start = 0;
    first_bodies(all.world.bodies, run->size);
    start_part(&all, 0, run->size);
    for (int step = 0; step < warm_up + run->iterations; step++) {
        start = step == warm_up ? clock_seconds() : start;
        set_cube(&all, &all.bounds);
        sort_along_curve(&all);
        copy_points(&all);
        all.next_cell = 0;
        root = build(&all, 0, 0, 0, all.count);
        move_bodies(&all, step);
    }
    const double seconds = clock_seconds() - start;
    free(all.world.points);
    free(all.world.cells);
    free(all.mine);
    *result = finish(all.world.bodies);
    return seconds;
}

// ---- The parallel program ------------------------------------------------------------------------------------------

// A list has room for more than the average, because a part of cheap bodies has many.
static long list_capacity(const run_t* run) {
    const long slack = 4 * (run->size / run->processes) + 1024;
    return slack < run->size ? slack : run->size;
}

// Process 0 needs further points for the leaves that it joins, at each border and on each level.
static long point_capacity(const run_t* run) {
    return list_capacity(run) + (long)run->processes * border_level * leaf_bodies;
}

static long cell_capacity(const run_t* run) {
    return list_capacity(run) + 4096;
}

static world_t make_world(const run_t* run) {
    const size_t processes = (size_t)run->processes;
    world_t world = {.list_capacity = list_capacity(run),
                     .point_capacity = point_capacity(run),
                     .cell_capacity = cell_capacity(run)};
    const size_t entries = processes * (size_t)world.list_capacity;
    const size_t points = processes * (size_t)world.point_capacity, cells = processes * (size_t)world.cell_capacity;
    world.bodies = shared_memory((size_t)run->size * sizeof(body_t), SYNCLINE_DSM_BLOCK);
    world.points = shared_memory(points * sizeof(point_t), SYNCLINE_DSM_FIRST_TOUCH);
    world.lists = shared_memory(entries * sizeof(entry_t), SYNCLINE_DSM_FIRST_TOUCH);
    world.cells = shared_memory(cells * sizeof(cell_t), SYNCLINE_DSM_FIRST_TOUCH);
    world.pieces = shared_memory(processes * sizeof(pieces_t), SYNCLINE_DSM_FIRST_TOUCH);
    world.bounds = shared_memory(processes * sizeof(bounds_t), SYNCLINE_DSM_MINE);
    world.samples = shared_memory(processes * sizeof(samples_t), SYNCLINE_DSM_MINE);
    world.root = shared_memory(sizeof(cell_t), SYNCLINE_DSM_MINE);
    return world;
}

static void find_cube(const run_t* run, part_t* its) {
    bounds_t all = nothing;
    for (int process = 0; process < run->processes; process++) {
        widen(&all, its->world.bounds[process].low, its->world.bounds[process].high);
    }
    set_cube(its, &all);
}

// Phase 1, after sort_along_curve().
static void publish_list(const run_t* run, part_t* its) {
    memcpy(&its->world.lists[run->me * its->world.list_capacity], its->mine, (size_t)its->count * sizeof(entry_t));
    samples_t* const out = &its->world.samples[run->me];
    double cost = 0, passed = 0;
    for (long i = 0; i < its->count; i++) {
        cost += its->mine[i].cost;
    }
    out->count = its->count;
    out->cost = cost / samples;
    out->first = its->count > 0 ? its->mine[0].key : 0;
    out->last = its->count > 0 ? its->mine[its->count - 1].key : 0;
    int sample = 0;
    for (long i = 0; i < its->count; i++) {
        passed += its->mine[i].cost;
        while (sample < samples && (i + 1 == its->count || passed > (sample + 0.5) * out->cost)) {
            out->keys[sample++] = its->mine[i].key;
        }
    }
}

typedef struct {
    uint64_t key;
    double cost;
} weight_t;

static int compare_weights(const void* a, const void* b) {
    const weight_t *one = a, *other = b;
    return (one->key > other->key) - (one->key < other->key);
}

// Returns the key in front of which bodies of the given cost lie. `weights` is sorted along the curve.
static uint64_t border_at(const weight_t* weights, long count, double part_of_cost) {
    double passed = 0;
    for (long i = 0; i < count; i++) {
        passed += weights[i].cost;
        if (passed - weights[i].cost / 2 >= part_of_cost) {
            return weights[i].key / keys_of_level(border_level) * keys_of_level(border_level);
        }
    }
    return last_key;
}

// Sets the borders of the part, so that all parts have the same cost according to the samples of all processes.
static void find_borders(const run_t* run, part_t* its) {
    weight_t* const weights = private_memory((size_t)run->processes * samples * sizeof(*weights));
    long count = 0;
    double cost = 0;
    for (int process = 0; process < run->processes; process++) {
        const samples_t* const from = &its->world.samples[process];
        for (int i = 0; i < samples && from->count > 0; i++) {
            weights[count++] = (weight_t){from->keys[i], from->cost};
            cost += from->cost;
        }
    }
    qsort(weights, (size_t)count, sizeof(*weights), compare_weights);
    const double mine = cost / run->processes;
    its->begin = run->me == 0 ? 0 : border_at(weights, count, mine * run->me);
    its->end = run->me + 1 == run->processes ? last_key : border_at(weights, count, mine * (run->me + 1));
    free(weights);
}

// Adds the bodies in one process's list that lie in this part.
static void take_from_list(part_t* its, int process) {
    const samples_t* const of = &its->world.samples[process];
    if (of->count == 0 || of->last < its->begin || of->first >= its->end) {
        return;
    }
    const entry_t* const list = &its->world.lists[process * its->world.list_capacity];
    const long first = of->first >= its->begin ? 0 : find_key(list, 0, of->count, its->begin);
    const long end = of->last < its->end ? of->count : find_key(list, first, of->count, its->end);
    if (its->count + end - first > its->world.list_capacity) {
        fail("barnes: a process's list is too short for the bodies of its part; start fewer processes");
    }
    memcpy(&its->mine[its->count], &list[first], (size_t)(end - first) * sizeof(entry_t));
    its->count += end - first;
}

// Phase 2: builds the largest cells that lie within the part, with all cells below them.
static void build_pieces(part_t* its, pieces_t* pieces, uint64_t key, int level) {
    const uint64_t behind = key + keys_of_level(level);
    if (behind <= its->begin || key >= its->end) {
        return;
    }
    if (key < its->begin || behind > its->end) {
        for (uint64_t child = key; child < behind; child += keys_of_level(level + 1)) {
            build_pieces(its, pieces, child, level + 1);
        }
        return;
    }
    const long begin = find_key(its->mine, 0, its->count, key), end = find_key(its->mine, begin, its->count, behind);
    if (end > begin) {
        piece_t* const piece = &pieces->pieces[pieces->count++];
        piece->key = key;
        piece->level = level;
        piece->cell = build(its, key, level, begin, end);
    }
}

static void build_part(const run_t* run, part_t* its) {
    pieces_t* const pieces = &its->world.pieces[run->me];
    find_borders(run, its);
    its->count = 0;
    for (int process = 0; process < run->processes; process++) {
        take_from_list(its, process);
    }
    sort_entries(its->mine, its->count);
    its->next_point = (int32_t)(run->me * its->world.point_capacity);
    its->end_of_points = its->next_point + (int32_t)its->world.point_capacity;
    its->next_cell = (int32_t)(run->me * its->world.cell_capacity);
    its->end_of_cells = its->next_cell + (int32_t)its->world.cell_capacity;
    copy_points(its);
    pieces->count = 0;
    build_pieces(its, pieces, 0, 0);
    its->next_point += (int32_t)its->count;
}

// Visits the pieces of all processes in the order of the processes, which is the order along the curve.
typedef struct {
    part_t* part;
    int process, processes;
    int64_t piece;
} cursor_t;

static const piece_t* next_piece(cursor_t* its) {
    while (its->process < its->processes && its->piece == its->part->world.pieces[its->process].count) {
        its->process++;
        its->piece = 0;
    }
    return its->process < its->processes ? &its->part->world.pieces[its->process].pieces[its->piece] : NULL;
}

// Replaces leaves whose bodies fit into one leaf by one leaf.
static cell_t join_leaves(part_t* its, int level, const cell_t* leaves, int count) {
    const int32_t first = its->next_point;
    for (int i = 0; i < count; i++) {
        if (its->end_of_points - its->next_point < leaves[i].count) {
            fail("barnes: process 0 has too few points for the leaves at the borders; start fewer processes");
        }
        memcpy(&its->world.points[its->next_point], &its->world.points[leaves[i].first],
               (size_t)leaves[i].count * sizeof(point_t));
        its->next_point += leaves[i].count;
    }
    return make_leaf(its, level, first, its->next_point - first);
}

// Phase 3: builds the cell at `key` from pieces. Returns false if the cell is empty.
static bool join(cursor_t* cursor, uint64_t key, int level, cell_t* cell) {
    const piece_t* const piece = next_piece(cursor);
    if (piece == NULL || piece->key >= key + keys_of_level(level)) {
        return false;
    }
    if (piece->key == key && piece->level == level) {
        *cell = piece->cell;
        cursor->piece++;
        return true;
    }
    cell_t children[8];
    int count = 0, bodies = 0;
    for (uint64_t i = 0; i < 8; i++) {
        if (join(cursor, key + i * keys_of_level(level + 1), level + 1, &children[count])) {
            bodies += children[count].count > 0 ? children[count].count : leaf_bodies + 1;
            count++;
        }
    }
    part_t* const part = cursor->part;
    if (bodies <= leaf_bodies) {
        *cell = join_leaves(part, level, children, count);
    } else {
        const int32_t first = take_cells(part, count);
        memcpy(&part->world.cells[first], children, (size_t)count * sizeof(cell_t));
        *cell = make_parent(part, level, first, count);
    }
    return true;
}

static void join_pieces(const run_t* run, part_t* its) {
    if (run->me == 0) {
        cursor_t cursor = {.part = its, .processes = run->processes};
        cell_t root;
        (void)join(&cursor, 0, 0, &root);
        *its->world.root = root;
    }
}

static void start_bodies(const run_t* run, part_t* its) {
    body_t* const sorted = private_memory((size_t)run->size * sizeof(body_t));
    const long begin = part_begin(run->size, run->processes, run->me);
    const long end = part_begin(run->size, run->processes, run->me + 1);
    first_bodies(sorted, run->size);
    memcpy(&its->world.bodies[begin], &sorted[begin], (size_t)(end - begin) * sizeof(body_t));
    start_part(its, begin, end);
    its->world.bounds[run->me] = its->bounds;
    free(sorted);
}

static double simulate_in_parallel(const run_t* run, void** result) {
    part_t mine = {.world = make_world(run)};
    double start = 0;
    mine.mine = private_memory((size_t)mine.world.list_capacity * sizeof(entry_t));
    start_bodies(run, &mine);
    barrier();
    for (int step = 0; step < warm_up + run->iterations; step++) {
        start = step == warm_up ? begin_timed_part() : start;
        find_cube(run, &mine);
        sort_along_curve(&mine);
        publish_list(run, &mine);
        barrier();
        build_part(run, &mine);
        barrier();
        join_pieces(run, &mine);
        barrier();
        move_bodies(&mine, step);
        mine.world.bounds[run->me] = mine.bounds;
        barrier();
    }
    const double seconds = end_timed_part(start);
    free(mine.mine);
    *result = finish(mine.world.bodies);
    return seconds;
}

static bool same(const double* one, const double* other, int count) {
    for (int i = 0; i < count; i++) {
        if (!(one[i] == other[i])) {
            return false;
        }
    }
    return true;
}

static bool same_body(const body_t* one, const body_t* other) {
    return same(one->place, other->place, 3) && same(one->velocity, other->velocity, 3) &&
           same(one->acceleration, other->acceleration, 3) && same(&one->potential, &other->potential, 1);
}

static bool same_bodies(const run_t* run, const void* parallel, const void* sequential) {
    const body_t* const its = ((const result_t*)parallel)->bodies;
    const body_t* const expected = ((const result_t*)sequential)->bodies;
    for (long i = 0; i < run->size; i++) {
        if (!same_body(&its[i], &expected[i])) {
            fprintf(stderr, "barnes: body %ld is at %.17g, %.17g, %.17g, not at %.17g, %.17g, %.17g\n", i,
                    its[i].place[0], its[i].place[1], its[i].place[2], expected[i].place[0], expected[i].place[1],
                    expected[i].place[2]);
            return false;
        }
    }
    return true;
}

static const char* refusal(long size) {
    return size <= 4000000 ? NULL : "the size must be at most 4,000,000 bodies";
}

static size_t shared_bytes(const run_t* run) {
    const size_t of_process =
        (size_t)list_capacity(run) * sizeof(entry_t) + (size_t)point_capacity(run) * sizeof(point_t) +
        (size_t)cell_capacity(run) * sizeof(cell_t) + sizeof(pieces_t) + sizeof(bounds_t) + sizeof(samples_t);
    return (size_t)run->size * sizeof(body_t) + (size_t)run->processes * of_process;
}

static void release(void* its, bool shared) {
    result_t* const result = its;
    if (!shared) {
        free(result->bodies);
    }
    free(result);
}

int main(int argc, char** argv) {
    const application_t barnes = {.name = "barnes",
                                  .large = 32768,
                                  .small = 16384,
                                  .iterations = 12,
                                  .refusal = refusal,
                                  .shared_bytes = shared_bytes,
                                  .sequential = simulate_sequentially,
                                  .parallel = simulate_in_parallel,
                                  .equal = same_bodies,
                                  .release = release};
    return run_application(&barnes, argc, argv);
}
