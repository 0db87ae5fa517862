/* SPDX-License-Identifier: BSD-3-Clause */
/* A check of a PARMACS test program that fails ends the job; the program counts those that it has made. */
#ifndef PARMACS_CHECKS_H
#define PARMACS_CHECKS_H

extern int checks_made;

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        checks_made++;                                                                    \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

#endif
