// SPDX-License-Identifier: BSD-3-Clause
// A shared library with a variable; the name of its call and the length of the variable depend on the library.
#define JOIN(name, part) name##part
#define NAME(name, part) JOIN(name, part)

static long values[1000 + PART];

long* NAME(values_of_part_, PART)(void);
long* NAME(values_of_part_, PART)(void) {
    values[0] = PART;
    return values;
}
