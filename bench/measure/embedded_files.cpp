// SPDX-License-Identifier: BSD-3-Clause
// Only this file embeds the sources, because ccache does not cache files with .incbin.
#include "bench/measure/embedded_files.h"

#define SYNCLINE_EMBED_FILE(NAME, FILE)                                                           \
    asm(".pushsection .rodata\n" #NAME "_begin: .incbin \"" SYNCLINE_SOURCE "/" FILE "\"\n" #NAME \
        "_end:\n"                                                                                 \
        ".popsection\n");                                                                         \
    extern "C" const char NAME##_begin[], NAME##_end[];                                           \
    std::string NAME() {                                                                          \
        return {NAME##_begin, NAME##_end};                                                        \
    }

namespace syncline::bench {

SYNCLINE_EMBED_FILE(timing_source, "bench/programs/timing.h")
SYNCLINE_EMBED_FILE(shmem_program_source, "bench/programs/shmem_program.c")
SYNCLINE_EMBED_FILE(mpi_program_source, "bench/programs/mpi_program.c")
SYNCLINE_EMBED_FILE(armci_program_source, "bench/programs/armci_program.c")
SYNCLINE_EMBED_FILE(ga_matrix_product_source, "bench/programs/ga_matrix_product.c")
SYNCLINE_EMBED_FILE(random_access_source, "examples/random_access.c")
SYNCLINE_EMBED_FILE(dsm_common_header, "examples/dsm/common.h")
SYNCLINE_EMBED_FILE(dsm_common_source, "examples/dsm/common.c")
SYNCLINE_EMBED_FILE(dsm_barnes_source, "examples/dsm/barnes.c")
SYNCLINE_EMBED_FILE(dsm_radix_source, "examples/dsm/radix.c")
SYNCLINE_EMBED_FILE(dsm_is_source, "examples/dsm/is.c")
SYNCLINE_EMBED_FILE(dsm_fft_source, "examples/dsm/fft.c")
SYNCLINE_EMBED_FILE(dsm_water_source, "examples/dsm/water.c")

}  // namespace syncline::bench
