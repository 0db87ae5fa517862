// SPDX-License-Identifier: BSD-3-Clause
// Molecular dynamics of liquid water, as in SPLASH-2's Water-Spatial (Woo et al., 1995). The cube of water is divided
// into boxes, whose edges are at least as long as forces reach. So a molecule interacts only with the molecules of its
// own box and of the 26 neighbouring boxes. A predictor-corrector method of the sixth order integrates the motion.
//
// Sharing.         The boxes are numbered along a curve through the cube, and each process has consecutive boxes and
//                  the molecules in them. It reads the positions of the molecules in neighbouring boxes. It computes
//                  the forces between all pairs of its own boxes, and between half of the pairs of which another
//                  process has one box; for these it writes the sums into a table of its own, where the other process
//                  reads them. Only the process that has a molecule writes its position and derivatives. A molecule
//                  that leaves its box goes into the list of arrivals of the new box, whichever process has that box.
// Synchronisation. Each step has three barriers: after the prediction, after the forces and after the correction. The
//                  new box's lock is taken for each molecule that changes boxes, and one lock for the sums of energies.
// Homes.           FIRST_TOUCH: molecules are numbered along the curve and each process initialises its own, so it
//                  becomes the home of the pages of its molecules and boxes, and of the forces that others compute for
//                  its molecules. Molecules move so little in a run that these homes stay right.
// Exactness.       The forces of a pair of boxes are added up in the order of the molecules' numbers, and the sums are
//                  rounded to integers of a small unit, whose further sums do not depend on the order. So the result
//                  is, bit by bit, that of the sequential program, with any number of processes.
// Parameters.      A flexible three-point model with charges (SPC/Fw: Wu, Tepper and Voth, 2006), steps of 0.5 fs, and
//                  forces that fade out where oxygens are between 7.5 and 8.5 angstroms apart. The first step is not
//                  timed. SPLASH-2 has a costlier model of water, a shorter reach and three steps.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

// Units: angstrom, femtosecond, atomic mass, kcal/mol, elementary charge.
enum { oxygen, hydrogen, other_hydrogen, atoms, coordinates = 3 * atoms, derivatives = 6 };
enum { members_max = 127, arrivals_max = 63, lock_numbers = 1024, energy_lock = lock_numbers, seed = 173205 };
enum { ways = 27 };  // from a box to its neighbours, and to itself

static const double pi = 3.14159265358979323846;
static const double time_step = 0.5, reach = 8.5, fade_begin = 7.5;
static const double acceleration_unit = 4.184e-4;  // kcal/mol per angstrom and atomic mass, in angstrom/fs^2
static const double boltzmann = 0.0019872041, temperature = 298;
static const double molecules_per_volume = 0.0333679;
static const double bond_length = 1.012, bond_stiffness = 1059.162, angle_stiffness = 75.90;
static const double angle = 113.24 * 3.14159265358979323846 / 180;
static const double oxygen_diameter = 3.165492, oxygen_depth = 0.1554253;
static const double coulomb = 332.06371;
static const double masses[atoms] = {15.9994, 1.00794, 1.00794};
static const double charges[atoms] = {-0.82, 0.41, 0.41};
static const double force_unit = 0x1p36, energy_unit = 0x1p30;  // integer units in a kcal/mol (per angstrom)

typedef double place_t[coordinates];  // x, y and z of each atom
typedef int64_t force_t[coordinates];
typedef double motion_t[derivatives][coordinates];  // the k-th one is (time_step^k / k!) d^k / dt^k of the place

typedef struct {
    int32_t count;
    int32_t molecule[members_max];  // in ascending order
} members_t;

typedef struct {
    int32_t count;
    int32_t molecule[arrivals_max];
} arrivals_t;

typedef struct {
    int64_t kinetic, within, between;
} energy_t;

// The division of the cube into boxes. Each process has a copy.
typedef struct {
    int side;  // boxes along an edge
    double edge, box_edge;
    int boxes;
    int* box_at;   // number, along the curve, of the box at x, y, z
    int (*at)[3];  // x, y, z of each box
} grid_t;

// The data of a run, private in the sequential program and shared in the parallel one.
typedef struct {
    place_t* places;
    motion_t* motions;
    members_t* members;    // one for each box
    arrivals_t* arrivals;  // one for each box: molecules that are in the box from the next step on
    energy_t* energies;    // one for each step
    force_t* given;        // shared: a table by each process, of forces on molecules in others' boxes
} world_t;

// A process's part of the work.
typedef struct {
    grid_t grid;
    world_t world;
    long molecules;
    bool shared;
    int me;
    int begin, end;   // the process's boxes
    int* owners;      // the process that has each box
    bool* touched;    // others' boxes for whose molecules this process has computed forces in this step
    force_t* forces;  // private, one for each molecule
    energy_t energy;  // of the process's boxes, in this step
} part_t;

// ---- Division into boxes -------------------------------------------------------------------------------------------

static uint32_t spread_bits(uint32_t bits) {
    uint32_t spread = 0;
    for (int i = 0; i < 10; i++) {
        spread |= (bits >> i & 1) << (3 * i);
    }
    return spread;
}

// Sorts boxes along Morton's curve.
static int compare_boxes(const void* a, const void* b) {
    const int *one = a, *other = b;
    uint32_t keys[2] = {0, 0};
    for (int i = 0; i < 3; i++) {
        keys[0] |= spread_bits((uint32_t)one[i]) << i;
        keys[1] |= spread_bits((uint32_t)other[i]) << i;
    }
    return (keys[0] > keys[1]) - (keys[0] < keys[1]);
}

static int index_of(const grid_t* grid, const int* at) {
    return (at[0] * grid->side + at[1]) * grid->side + at[2];
}

static double edge_of(long molecules) {
    return cbrt((double)molecules / molecules_per_volume);
}

static grid_t make_grid(long molecules) {
    grid_t grid = {.edge = edge_of(molecules)};
    grid.side = (int)(grid.edge / reach);
    grid.box_edge = grid.edge / grid.side;
    grid.boxes = grid.side * grid.side * grid.side;
    grid.box_at = private_memory((size_t)grid.boxes * sizeof(int));
    grid.at = private_memory((size_t)grid.boxes * sizeof(*grid.at));
    for (int i = 0; i < grid.boxes; i++) {
        grid.at[i][0] = i / grid.side / grid.side;
        grid.at[i][1] = i / grid.side % grid.side;
        grid.at[i][2] = i % grid.side;
    }
    qsort(grid.at, (size_t)grid.boxes, sizeof(*grid.at), compare_boxes);
    for (int box = 0; box < grid.boxes; box++) {
        grid.box_at[index_of(&grid, grid.at[box])] = box;
    }
    return grid;
}

// Returns the box of a molecule, which is the box where its oxygen is.
static int box_of(const grid_t* grid, const double* place) {
    int at[3];
    for (int i = 0; i < 3; i++) {
        const int along = (int)floor(place[i] / grid->box_edge);
        at[i] = along < 0 ? 0 : along < grid->side ? along : grid->side - 1;
    }
    return grid->box_at[index_of(grid, at)];
}

// ---- Initial state -------------------------------------------------------------------------------------------------

// Places a molecule, in its shape at rest, on a lattice. Molecules are spread evenly over the points of the lattice,
// and their dipoles point up and down by turns.
static void first_place(double* place, long index, long molecules, double edge) {
    const long points = (long)ceil(cbrt((double)molecules) - 1e-9);
    const long point = index * (points * points * points) / molecules;
    const long at[3] = {point / points / points, point / points % points, point % points};
    const double side = bond_length * sin(angle / 2) * sqrt(0.5);  // along each of two axes
    const double depth = bond_length * cos(angle / 2) * ((at[0] + at[1] + at[2]) % 2 == 0 ? 1 : -1);
    for (int i = 0; i < 3; i++) {
        const double corner = ((double)at[i] + 0.25) * edge / (double)points;
        for (int atom = 0; atom < atoms; atom++) {
            place[3 * atom + i] = corner;
        }
    }
    for (int i = 0; i < 2; i++) {
        place[3 * hydrogen + i] += side;
        place[3 * other_hydrogen + i] -= side;
    }
    place[3 * hydrogen + 2] += depth;
    place[3 * other_hydrogen + 2] += depth;
}

// Draws the velocities of a molecule's atoms at room temperature (Box and Muller's transform).
static void first_motion(motion_t motion, long index) {
    for (int i = 0; i < coordinates; i++) {
        const uint64_t number = 2 * ((uint64_t)index * coordinates + (uint64_t)i);
        const double normal =
            sqrt(-2 * log(1 - random_unit(seed, number))) * cos(2 * pi * random_unit(seed, number + 1));
        motion[0][i] = time_step * normal * sqrt(boltzmann * temperature * acceleration_unit / masses[i / 3]);
    }
}

typedef struct {
    int32_t box;
    int32_t index;  // on the lattice
} start_t;

static int compare_starts(const void* a, const void* b) {
    const start_t *one = a, *other = b;
    return one->box != other->box ? one->box - other->box : one->index - other->index;
}

static force_t* given_by(const part_t* its, int process) {
    return its->world.given + (long)process * its->molecules;
}

// Numbers the molecules box by box, and initialises those in the part's boxes.
static void place_molecules(part_t* its, int processes) {
    start_t* const starts = private_memory((size_t)its->molecules * sizeof(*starts));
    for (long i = 0; i < its->molecules; i++) {
        place_t place;
        first_place(place, i, its->molecules, its->grid.edge);
        starts[i] = (start_t){box_of(&its->grid, place), (int32_t)i};
    }
    qsort(starts, (size_t)its->molecules, sizeof(*starts), compare_starts);
    for (long molecule = 0; molecule < its->molecules; molecule++) {
        const start_t start = starts[molecule];
        if (start.box < its->begin || start.box >= its->end) {
            continue;
        }
        members_t* const members = &its->world.members[start.box];
        if (members->count == members_max) {
            fail("water: box %d has no room for another molecule", start.box);
        }
        members->molecule[members->count++] = (int32_t)molecule;
        first_place(its->world.places[molecule], start.index, its->molecules, its->grid.edge);
        first_motion(its->world.motions[molecule], start.index);
        for (int process = 0; its->shared && process < processes; process++) {
            memset(given_by(its, process)[molecule], 0, sizeof(force_t));
        }
    }
    free(starts);
}

// ---- Forces --------------------------------------------------------------------------------------------------------

static int64_t whole(double number, double unit) {
    return (int64_t)(number * unit);
}

static void add_force(int64_t* sum, const double* force) {
    for (int i = 0; i < coordinates; i++) {
        sum[i] += whole(force[i], force_unit);
    }
}

// Adds `factor` times the vector to one atom and takes it from another.
static void pull(double* one, double* other, const double* vector, double factor) {
    for (int i = 0; i < 3; i++) {
        one[i] += factor * vector[i];
        other[i] -= factor * vector[i];
    }
}

static double dot(const double* one, const double* other) {
    return one[0] * other[0] + one[1] * other[1] + one[2] * other[2];
}

// Adds the forces of a bond, which is a spring. Returns the energy.
static double bond_force(double* force, const double* bond, double length, int atom) {
    const double stretch = length - bond_length;
    pull(&force[3 * oxygen], &force[3 * atom], bond, bond_stiffness * stretch / length);
    return bond_stiffness / 2 * stretch * stretch;
}

// Adds the forces within a molecule, of its two bonds and the angle between them. Returns the energy.
static double force_within(double* force, const double* place) {
    double bonds[2][3];
    for (int i = 0; i < 3; i++) {
        bonds[0][i] = place[3 * hydrogen + i] - place[3 * oxygen + i];
        bonds[1][i] = place[3 * other_hydrogen + i] - place[3 * oxygen + i];
    }
    const double lengths[2] = {sqrt(dot(bonds[0], bonds[0])), sqrt(dot(bonds[1], bonds[1]))};
    double energy = bond_force(force, bonds[0], lengths[0], hydrogen);
    energy += bond_force(force, bonds[1], lengths[1], other_hydrogen);

    const double cosine = dot(bonds[0], bonds[1]) / (lengths[0] * lengths[1]);
    const double bent = acos(cosine) - angle;
    const double slope = angle_stiffness * bent / sqrt(1 - cosine * cosine);  // - dE / d cosine
    for (int i = 0; i < 3; i++) {
        const double directions[2] = {bonds[0][i] / lengths[0], bonds[1][i] / lengths[1]};
        const double first = slope * (directions[1] - cosine * directions[0]) / lengths[0];
        const double second = slope * (directions[0] - cosine * directions[1]) / lengths[1];
        force[3 * hydrogen + i] += first;
        force[3 * other_hydrogen + i] += second;
        force[3 * oxygen + i] -= first + second;
    }
    return energy + angle_stiffness / 2 * bent * bent;
}

// Computes which part of the energy remains at this distance of the oxygens, and the derivative.
static double fade(double distance, double* derivative) {
    if (distance <= fade_begin) {
        *derivative = 0;
        return 1;
    }
    const double width = reach - fade_begin, u = (distance - fade_begin) / width;
    *derivative = -30 * u * u * (1 - u) * (1 - u) / width;
    return 1 - u * u * u * (10 + u * (6 * u - 15));
}

// Adds the forces between two molecules. `square` is the squared distance of their oxygens, which is within reach.
// Returns the energy.
static double force_between(double* force, double* other_force, const double* place, const double* other,
                            const double* shift, const double* apart, double square) {
    double slope;
    const double distance = sqrt(square), left = fade(distance, &slope);
    const double sixth = pow(oxygen_diameter, 6) / (square * square * square);
    double energy = 4 * oxygen_depth * sixth * (sixth - 1);
    pull(&force[3 * oxygen], &other_force[3 * oxygen], apart,
         left * 24 * oxygen_depth * sixth * (2 * sixth - 1) / square);
    for (int a = 0; a < atoms; a++) {
        for (int b = 0; b < atoms; b++) {
            const double vector[3] = {place[3 * a] - (other[3 * b] + shift[0]),
                                      place[3 * a + 1] - (other[3 * b + 1] + shift[1]),
                                      place[3 * a + 2] - (other[3 * b + 2] + shift[2])};
            const double inverse = 1 / sqrt(dot(vector, vector));
            const double potential = coulomb * charges[a] * charges[b] * inverse;
            energy += potential;
            pull(&force[3 * a], &other_force[3 * b], vector, left * potential * inverse * inverse);
        }
    }
    pull(&force[3 * oxygen], &other_force[3 * oxygen], apart, -slope * energy / distance);
    return left * energy;
}

static bool has_box(const part_t* its, int box) {
    return box >= its->begin && box < its->end;
}

// Computes the forces between all pairs of molecules of two boxes, or of one box if `first` is `second`. Adds `shift`
// to the places in box `second`, which is at the other side of the cube if `shift` is not zero.
static void forces_of_boxes(part_t* its, int first, int second, const double* shift) {
    const members_t *const ones = &its->world.members[first], *const others = &its->world.members[second];
    double forces[members_max][coordinates], other_forces[members_max][coordinates];
    double(*const second_forces)[coordinates] = first == second ? forces : other_forces;
    double energy = 0;
    memset(forces, 0, (size_t)ones->count * sizeof(forces[0]));
    memset(other_forces, 0, (size_t)others->count * sizeof(other_forces[0]));
    for (int i = 0; i < ones->count; i++) {
        const double* const place = its->world.places[ones->molecule[i]];
        for (int j = first == second ? i + 1 : 0; j < others->count; j++) {
            const double* const other = its->world.places[others->molecule[j]];
            const double apart[3] = {place[0] - (other[0] + shift[0]), place[1] - (other[1] + shift[1]),
                                     place[2] - (other[2] + shift[2])};
            const double square = dot(apart, apart);
            if (square < reach * reach) {
                energy += force_between(forces[i], second_forces[j], place, other, shift, apart, square);
            }
        }
    }
    for (int i = 0; i < ones->count; i++) {
        add_force(its->forces[ones->molecule[i]], forces[i]);
    }
    for (int j = 0; j < others->count && first != second; j++) {
        add_force(its->forces[others->molecule[j]], other_forces[j]);
    }
    its->energy.between += whole(energy, energy_unit);
}

// Returns the neighbour of a box in a direction, 0 to `ways` - 1, and the shift of the neighbour's places. The opposite
// direction is `ways` - 1 - `direction`.
static int neighbour(const grid_t* grid, int box, int direction, double* shift) {
    const int steps[3] = {direction / 9 - 1, direction / 3 % 3 - 1, direction % 3 - 1};
    int at[3];
    for (int i = 0; i < 3; i++) {
        const int along = grid->at[box][i] + steps[i];
        at[i] = (along + grid->side) % grid->side;
        shift[i] = along < 0 ? -grid->edge : along >= grid->side ? grid->edge : 0;
    }
    return grid->box_at[index_of(grid, at)];
}

// Returns the one of two boxes whose process computes the forces between them. Lower and higher boxes take turns, so
// that all processes have equal work.
static int computing_box(int one, int other) {
    const int lower = one < other ? one : other;
    return (one + other) % 2 == 0 ? lower : one + other - lower;
}

// Computes the forces between a box of the part and one of its neighbours, if that is this process's work. If
// the part has both boxes, the call for the lower one does the work.
static void forces_with_neighbour(part_t* its, int box, int direction) {
    double shift[3];
    const int other = neighbour(&its->grid, box, direction, shift);
    if (has_box(its, other) ? other < box : computing_box(box, other) != box) {
        return;
    }
    its->touched[other] = !has_box(its, other);
    if (other >= box) {
        forces_of_boxes(its, box, other, shift);
    } else {
        (void)neighbour(&its->grid, other, ways - 1 - direction, shift);
        forces_of_boxes(its, other, box, shift);
    }
}

static void forces_of_box(part_t* its, int box) {
    for (int direction = 0; direction < ways; direction++) {
        forces_with_neighbour(its, box, direction);
    }
}

static void give_forces(part_t* its) {
    for (int box = 0; box < its->grid.boxes; box++) {
        const members_t* const members = &its->world.members[box];
        const int count = its->touched[box] ? members->count : 0;
        for (int i = 0; i < count; i++) {
            const int32_t molecule = members->molecule[i];
            memcpy(given_by(its, its->me)[molecule], its->forces[molecule], sizeof(force_t));
        }
    }
}

static void take_forces_of(part_t* its, const members_t* members, int giver) {
    for (int i = 0; i < members->count; i++) {
        const int32_t molecule = members->molecule[i];
        for (int k = 0; k < coordinates; k++) {
            its->forces[molecule][k] += given_by(its, giver)[molecule][k];
        }
    }
}

static bool has_number(const int* numbers, int count, int number) {
    for (int i = 0; i < count; i++) {
        if (numbers[i] == number) {
            return true;
        }
    }
    return false;
}

// Adds the forces that other processes have computed for a box's molecules.
static void take_forces(part_t* its, int box) {
    int givers[ways], count = 0;
    for (int direction = 0; direction < ways; direction++) {
        double shift[3];
        const int other = neighbour(&its->grid, box, direction, shift);
        const int owner = its->owners[other];
        if (!has_box(its, other) && computing_box(box, other) == other && !has_number(givers, count, owner)) {
            givers[count++] = owner;
            take_forces_of(its, &its->world.members[box], owner);
        }
    }
}

static void compute_forces(part_t* its) {
    its->energy = (energy_t){0, 0, 0};
    memset(its->forces, 0, (size_t)its->molecules * sizeof(force_t));
    memset(its->touched, 0, (size_t)its->grid.boxes * sizeof(bool));
    for (int box = its->begin; box < its->end; box++) {
        const members_t* const members = &its->world.members[box];
        for (int i = 0; i < members->count; i++) {
            const int32_t molecule = members->molecule[i];
            double force[coordinates] = {0};
            its->energy.within += whole(force_within(force, its->world.places[molecule]), energy_unit);
            add_force(its->forces[molecule], force);
        }
    }
    for (int box = its->begin; box < its->end; box++) {
        forces_of_box(its, box);
    }
    give_forces(its);
}

// ---- Motion --------------------------------------------------------------------------------------------------------

// Predicts by Taylor's series: each derivative becomes a sum of itself and the higher ones, with binomial coefficients.
static void predict(place_t place, motion_t motion) {
    for (int i = 0; i < coordinates; i++) {
        double series[derivatives + 1] = {place[i]};
        for (int k = 0; k < derivatives; k++) {
            series[k + 1] = motion[k][i];
        }
        for (int low = 0; low < derivatives; low++) {
            for (int k = derivatives - 1; k >= low; k--) {
                series[k] += series[k + 1];
            }
        }
        place[i] = series[0];
        for (int k = 0; k < derivatives; k++) {
            motion[k][i] = series[k + 1];
        }
    }
}

// Corrects by Gear's method for equations of the second order. Returns the kinetic energy.
static double correct(place_t place, motion_t motion, const force_t force) {
    static const double gear[derivatives + 1] = {863.0 / 6048, 665.0 / 1008, 1,        25.0 / 36,
                                                 35.0 / 144,   1.0 / 24,     1.0 / 360};
    double energy = 0;
    for (int i = 0; i < coordinates; i++) {
        const double mass = masses[i / 3];
        const double acceleration = (double)force[i] / force_unit * acceleration_unit / mass;
        const double error = time_step * time_step / 2 * acceleration - motion[1][i];
        place[i] += gear[0] * error;
        for (int k = 0; k < derivatives; k++) {
            motion[k][i] += gear[k + 1] * error;
        }
        const double velocity = motion[0][i] / time_step;
        energy += mass / 2 * velocity * velocity / acceleration_unit;
    }
    return energy;
}

// Moves a molecule whose oxygen has left the cube to the other side.
static void wrap(double* place, double edge) {
    for (int i = 0; i < 3; i++) {
        const double shift = place[i] < 0 ? edge : place[i] >= edge ? -edge : 0;
        for (int atom = 0; atom < atoms; atom++) {
            place[3 * atom + i] += shift;
        }
    }
}

static void send_to_box(part_t* its, int box, int32_t molecule) {
    arrivals_t* const arrivals = &its->world.arrivals[box];
    const uint32_t number = (uint32_t)(box % lock_numbers);
    if (its->shared) {
        lock(number);
    }
    if (arrivals->count == arrivals_max) {
        fail("water: more than %d molecules enter box %d in one step", arrivals_max, box);
    }
    arrivals->molecule[arrivals->count++] = molecule;
    if (its->shared) {
        unlock(number);
    }
}

static void correct_box(part_t* its, int box) {
    members_t* const members = &its->world.members[box];
    int stay = 0;
    take_forces(its, box);
    for (int i = 0; i < members->count; i++) {
        const int32_t molecule = members->molecule[i];
        double* const place = its->world.places[molecule];
        const double energy = correct(place, its->world.motions[molecule], its->forces[molecule]);
        its->energy.kinetic += whole(energy, energy_unit);
        wrap(place, its->grid.edge);
        const int now = box_of(&its->grid, place);
        if (now != box) {
            send_to_box(its, now, molecule);
        } else if (stay++ < i) {
            members->molecule[stay - 1] = molecule;
        }
    }
    if (stay < members->count) {
        members->count = stay;
    }
}

static void add_energy(part_t* its, int step) {
    energy_t* const sum = &its->world.energies[step];
    if (its->shared) {
        lock(energy_lock);
    }
    sum->kinetic += its->energy.kinetic;
    sum->within += its->energy.within;
    sum->between += its->energy.between;
    if (its->shared) {
        unlock(energy_lock);
    }
}

static int compare_numbers(const void* a, const void* b) {
    return *(const int32_t*)a - *(const int32_t*)b;
}

// Adds the arrivals of a box to its members. Arrivals may come in any order, so the members are sorted afterwards.
static void take_arrivals(part_t* its, int box) {
    members_t* const members = &its->world.members[box];
    arrivals_t* const arrivals = &its->world.arrivals[box];
    if (arrivals->count == 0) {
        return;
    }
    if (members->count + arrivals->count > members_max) {
        fail("water: box %d has no room for %d more molecules", box, arrivals->count);
    }
    memcpy(&members->molecule[members->count], arrivals->molecule, (size_t)arrivals->count * sizeof(int32_t));
    members->count += arrivals->count;
    arrivals->count = 0;
    qsort(members->molecule, (size_t)members->count, sizeof(int32_t), compare_numbers);
}

static void predict_boxes(part_t* its) {
    for (int box = its->begin; box < its->end; box++) {
        take_arrivals(its, box);
        const members_t* const members = &its->world.members[box];
        for (int i = 0; i < members->count; i++) {
            predict(its->world.places[members->molecule[i]], its->world.motions[members->molecule[i]]);
        }
    }
}

static void correct_boxes(part_t* its, int step) {
    for (int box = its->begin; box < its->end; box++) {
        correct_box(its, box);
    }
    add_energy(its, step);
}

// ---- The two programs ----------------------------------------------------------------------------------------------

typedef struct {
    place_t* places;
    energy_t* energies;
} result_t;

static void* memory_for(bool shared, size_t bytes) {
    return shared ? shared_memory(bytes, SYNCLINE_DSM_FIRST_TOUCH) : private_memory(bytes);
}

static part_t make_part(const run_t* run, bool shared) {
    part_t its = {.grid = make_grid(run->size), .molecules = run->size, .shared = shared, .me = run->me};
    const size_t molecules = (size_t)run->size, boxes = (size_t)its.grid.boxes;
    its.owners = private_memory(boxes * sizeof(int));
    its.touched = private_memory(boxes * sizeof(bool));
    for (int process = 0; process < run->processes; process++) {
        for (long box = part_begin(its.grid.boxes, run->processes, process);
             box < part_begin(its.grid.boxes, run->processes, process + 1); box++) {
            its.owners[box] = process;
        }
    }
    its.begin = (int)part_begin(its.grid.boxes, run->processes, run->me);
    its.end = (int)part_begin(its.grid.boxes, run->processes, run->me + 1);
    its.forces = private_memory(molecules * sizeof(force_t));
    its.world = (world_t){
        .places = memory_for(shared, molecules * sizeof(place_t)),
        .motions = memory_for(shared, molecules * sizeof(motion_t)),
        .members = memory_for(shared, boxes * sizeof(members_t)),
        .arrivals = memory_for(shared, boxes * sizeof(arrivals_t)),
        .energies = memory_for(shared, ((size_t)run->iterations + 1) * sizeof(energy_t)),
        .given = shared ? shared_memory((size_t)run->processes * molecules * sizeof(force_t), SYNCLINE_DSM_FIRST_TOUCH)
                        : NULL};
    place_molecules(&its, run->processes);
    return its;
}

static void* finish_part(part_t* its) {
    result_t* const result = private_memory(sizeof(*result));
    *result = (result_t){its->world.places, its->world.energies};
    if (!its->shared) {
        free(its->world.motions);
        free(its->world.members);
        free(its->world.arrivals);
    }
    free(its->forces);
    free(its->touched);
    free(its->owners);
    free(its->grid.box_at);
    free(its->grid.at);
    return result;
}

static double simulate_sequentially(const run_t* run, void** result) {
    part_t whole_box = make_part(run, false);
    double start = 0;
    for (int step = 0; step <= run->iterations; step++) {
        start = step == 1 ? clock_seconds() : start;
        predict_boxes(&whole_box);
        compute_forces(&whole_box);
        correct_boxes(&whole_box, step);
    }
    const double seconds = clock_seconds() - start;
    *result = finish_part(&whole_box);
    return seconds;
}

static double simulate_in_parallel(const run_t* run, void** result) {
    part_t mine = make_part(run, true);
    double start = 0;
    barrier();
    for (int step = 0; step <= run->iterations; step++) {
        start = step == 1 ? begin_timed_part() : start;
        predict_boxes(&mine);
        barrier();
        compute_forces(&mine);
        barrier();
        correct_boxes(&mine, step);
        barrier();
    }
    const double seconds = end_timed_part(start);
    *result = finish_part(&mine);
    return seconds;
}

static bool same_motion(const run_t* run, const void* parallel, const void* sequential) {
    const result_t *its = parallel, *expected = sequential;
    for (long molecule = 0; molecule < run->size; molecule++) {
        for (int i = 0; i < coordinates; i++) {
            const double is = its->places[molecule][i], should = expected->places[molecule][i];
            if (!(is == should)) {
                fprintf(stderr, "water: coordinate %d of molecule %ld is %.17g, not %.17g\n", i, molecule, is, should);
                return false;
            }
        }
    }
    const size_t bytes = ((size_t)run->iterations + 1) * sizeof(energy_t);
    if (memcmp(its->energies, expected->energies, bytes) != 0) {
        fprintf(stderr, "water: the energies differ\n");
        return false;
    }
    return true;
}

static const char* refusal(long size) {
    return edge_of(size) >= 3 * reach && size <= 4000000 ? NULL : "the size must be 554 to 4,000,000 molecules";
}

static size_t shared_bytes(const run_t* run) {
    const grid_t grid = make_grid(run->size);
    const size_t of_molecules =
        (size_t)run->size * (sizeof(place_t) + sizeof(motion_t) + (size_t)run->processes * sizeof(force_t));
    const size_t of_boxes = (size_t)grid.boxes * (sizeof(members_t) + sizeof(arrivals_t));
    free(grid.box_at);
    free(grid.at);
    return of_molecules + of_boxes + ((size_t)run->iterations + 1) * sizeof(energy_t);
}

static void release(void* its, bool shared) {
    result_t* const result = its;
    if (!shared) {
        free(result->places);
        free(result->energies);
    }
    free(result);
}

int main(int argc, char** argv) {
    const application_t water = {.name = "water",
                                 .large = 8192,
                                 .small = 4096,
                                 .iterations = 40,
                                 .refusal = refusal,
                                 .shared_bytes = shared_bytes,
                                 .sequential = simulate_sequentially,
                                 .parallel = simulate_in_parallel,
                                 .equal = same_motion,
                                 .release = release};
    return run_application(&water, argc, argv);
}
