// SPDX-License-Identifier: BSD-3-Clause
// OpenSHMEM 1.5, section 5: the typed calls from C++, its headers included with those of the language. There are no
// generic calls in C++; a template over the typed ones is what programs write.
#include <shmem.h>
#include <shmemx.h>

#include <complex>
#include <cstdio>
#include <vector>

#include "check.h"

namespace {

template <typename T>
T fetch_add(T* word, T value, int pe);
template <>
long fetch_add(long* word, long value, int pe) {
    return shmem_long_atomic_fetch_add(word, value, pe);
}
template <>
unsigned fetch_add(unsigned* word, unsigned value, int pe) {
    return shmem_uint_atomic_fetch_add(word, value, pe);
}

long counter;
unsigned small;
std::complex<double> number;

}  // namespace

void run_cxx() {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    fetch_add(&counter, 3L, 0);
    fetch_add(&small, 2U, pes - 1);
    const std::complex<double> value(me, 0.5);
    shmem_putmem(&number, &value, sizeof(value), (me + 1) % pes);
    shmem_barrier_all();
    CHECK(number == std::complex<double>((me + pes - 1) % pes, 0.5));
    CHECK(shmem_long_g(&counter, 0) == 3L * pes && shmem_uint_g(&small, pes - 1) == 2U * static_cast<unsigned>(pes));
    auto* const all = static_cast<int*>(shmem_malloc(sizeof(int) * static_cast<size_t>(pes)));
    auto* const mine = static_cast<int*>(shmem_malloc(sizeof(int)));
    *mine = 10 * me;
    CHECK(shmem_int_fcollect(SHMEM_TEAM_WORLD, all, mine, 1) == 0);
    const std::vector<int> collected(all, all + pes);
    for (int pe = 0; pe < pes; pe++) {
        CHECK(collected[static_cast<size_t>(pe)] == 10 * pe);
    }
    CHECK(shmemx_executed_by(&counter, 0) >= 0 && shmemx_wtime() > 0);
    shmem_finalize();
}
