// SPDX-License-Identifier: BSD-3-Clause
#include "api/shmem/environment.h"

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "api/shmem/library.h"
#include "base/counted.h"
#include "base/variables.h"
#include "runtime/process/lifetime.h"
#include "syncline.h"

namespace syncline::shmem {
namespace {

void print(const Variable& variable) {
    const std::optional<SetVariable> set = find_set(variable);
    std::printf("%s=%s\n    %s (%s)\n", set ? set->name : variable.name, set ? set->value : "", variable.meaning,
                variable.preset);
}

void explain() {
    const std::string pes = counted(static_cast<uint64_t>(library->size), "PE");
    const std::string nodes = counted(library->endpoint.config().nodes, "node");
    std::printf("%s on %s, %s between them, heap of %llu bytes\n", pes.c_str(), nodes.c_str(),
                process->transport_name(), static_cast<unsigned long long>(library->world.heap().bytes()));
    for (const VariableGroup group : {VariableGroup::kShmem, VariableGroup::kJob}) {
        for (const Variable& variable : variables()) {
            if (variable.group == group) {
                print(variable);
            }
        }
    }
}

}  // namespace

bool is_on(const char* name) {
    const std::optional<SetVariable> set = find_set(variable_named(name));
    return set && *set->value != '\0' && std::string_view(set->value) != "0";
}

uint64_t heap_limit() {
    return size_in("SYNCLINE_HEAP_LIMIT").value_or(0);
}

void introduce() {
    if (library->me != 0) {
        return;
    }
    if (is_on("SHMEM_VERSION") || is_on("SHMEM_INFO")) {
        std::printf("%s, OpenSHMEM %d.%d\n", SHMEM_VENDOR_STRING, SHMEM_MAJOR_VERSION, SHMEM_MINOR_VERSION);
    }
    if (is_on("SHMEM_INFO")) {
        explain();
    }
    std::fflush(stdout);
}

}  // namespace syncline::shmem
