// SPDX-License-Identifier: BSD-3-Clause
#include "job/launchers/mpi_library.h"

#include <dlfcn.h>

#include <string>

#include "base/leading_number.h"

namespace syncline {
namespace {

constexpr int version_max = 8192;  // no smaller than any MPI's MPI_MAX_LIBRARY_VERSION_STRING

template <typename Function>
Function* find(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

// Reads the version from "Open MPI v5.0.7, package: ..."; 0 if it is another MPI, or none.
int open_mpi_version() {
    int (*const ask)(char*, int*) = find<int(char*, int*)>("MPI_Get_library_version");
    std::string text(version_max, '\0');
    int length = 0;
    if (ask == nullptr || ask(text.data(), &length) != 0 || !text.starts_with("Open MPI v")) {
        return 0;
    }
    return static_cast<int>(leading_number(text.c_str() + std::string("Open MPI v").size()));
}

bool mpi_has_begun() {
    int (*const ask)(int*) = find<int(int*)>("MPI_Initialized");
    int begun = 0;
    return ask != nullptr && ask(&begun) == 0 && begun != 0;
}

}  // namespace

bool mpi_wants_pmix_first() {
    return open_mpi_version() >= 5 && !mpi_has_begun();
}

}  // namespace syncline
