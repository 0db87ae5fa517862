// SPDX-License-Identifier: BSD-3-Clause
// The code before main(), and behind it. Private data hold addresses: of the program's functions and variables, of its
// private heap, of libraries. To give these the same meaning in all processes, the program executes itself anew without
// the randomisation of addresses, and each process then compares its addresses with those of process 0.
#include <sys/personality.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "job.h"
#include "parmacs_job.h"
#include "private_heap.h"
#include "waits.h"

using namespace syncline::ports;

namespace {

constexpr const char* call = "MAIN_ENV";

void fix_addresses(char** argv) {
    const int personality = ::personality(UINT32_MAX);
    if (personality == -1 || (personality & ADDR_NO_RANDOMIZE) != 0 ||
        ::personality(static_cast<unsigned long>(personality) | ADDR_NO_RANDOMIZE) == -1) {
        return;  // the comparison will detect it
    }
    char path[PATH_MAX];
    const ssize_t length = ::readlink("/proc/self/exe", path, sizeof(path) - 1);
    path[length < 0 ? 0 : length] = '\0';
    ::execv(path, argv);
    ::execv("/proc/self/exe", argv);
    say("%s: the program cannot be executed anew, without randomisation of addresses: %s", call, std::strerror(errno));
}

void note_identity(Block& block, const Range& variables) {
    block.identity[0] = reinterpret_cast<uintptr_t>(variables.begin);
    block.identity[1] = reinterpret_cast<uintptr_t>(variables.end);
    block.identity[2] = reinterpret_cast<uintptr_t>(the_job.program.code.begin);
    block.identity[3] = reinterpret_cast<uintptr_t>(stdout);
    block.identity[4] = reinterpret_cast<uintptr_t>(&note_identity);
}

void compare_identities() {
    Block first;
    check(call, syncline_get(0, the_job.block_address, &first, sizeof(first)));
    if (std::memcmp(first.identity, the_job.block->identity, sizeof(first.identity)) != 0) {
        end_job(
            "%s: the program or its libraries are not where they are in process 0: all processes need the same files, "
            "and a "
            "kernel that lets them be without randomisation of addresses (personality(2), or "
            "kernel.randomize_va_space=0)",
            call);
    }
}

void join(const Range& variables) {
    check(call, syncline_init(nullptr));
    check(call, syncline_alloc(sizeof(Block), 0, &the_job.block_address));
    the_job.block = static_cast<Block*>(syncline_local(the_job.block_address));
    note_identity(*the_job.block, variables);
    remember_process();
    open_waits(call);
    check(call, syncline_barrier());
    compare_identities();
    check(call, syncline_barrier());  // process 0 may end soon
}

// The strings of arguments are on the stack, which CREATE does not hand on.
void move_arguments(int argc, char** argv) {
    for (int i = 0; i < argc; i++) {
        const size_t bytes = std::strlen(argv[i]) + 1;
        void* const copy = private_heap::allocate(bytes);
        if (copy != nullptr) {
            argv[i] = static_cast<char*>(std::memcpy(copy, argv[i], bytes));
        }
    }
}

}  // namespace

void syncline_parmacs_begin(int argc, char** argv, char* variables, char* variables_end) {
    if (the_job.block != nullptr) {
        return;
    }
    fix_addresses(argv);
    const Range range = {variables, variables_end};
    the_job.program = find_program(range);
    private_heap::open(the_job.program.code);
    join(range);
    if (syncline_rank() > 0) {
        serve();
    }
    move_arguments(argc, argv);
    at_end(end_others);
}
