// SPDX-License-Identifier: BSD-3-Clause
#include "api/shmem/environment.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "api/shmem/library.h"
#include "base/counted.h"
#include "base/failure.h"
#include "base/sizes.h"
#include "syncline.h"

namespace syncline::shmem {
namespace {

struct Explained {
    const char* name;
    const char* meaning;
};

// Variables that have a deprecated name as well, without their prefix.
constexpr Explained standard[] = {
    {"VERSION", "if set and not 0: PE 0 prints the version"},
    {"INFO", "if set and not 0: PE 0 prints the version, the job and these variables"},
    {"SYMMETRIC_SIZE", "what the symmetric heap of a PE begins with: a number and K, M, G or T (32M)"},
    {"DEBUG", "if set and not 0: collective calls and overlapping copies are checked"},
};
constexpr Explained own[] = {
    {"SYNCLINE_HEAP_LIMIT", "what the heap of a PE may grow to (1T)"},
    {"SYNCLINE_HEAP_SIZE", "as SHMEM_SYMMETRIC_SIZE, where that is not set"},
    {"SYNCLINE_WAIT", "how a PE waits: poll or block (poll)"},
};

void print(const std::string& name, const char* value, const char* meaning) {
    std::printf("%s=%s\n    %s\n", name.c_str(), value != nullptr ? value : "", meaning);
}

void explain() {
    const std::string pes = counted(static_cast<uint64_t>(library->size), "PE");
    const std::string nodes = counted(library->endpoint.config().nodes, "node");
    std::printf("%s on %s, %s between them, heap of %llu bytes\n", pes.c_str(), nodes.c_str(),
                process->transport_name(), static_cast<unsigned long long>(library->world.heap().bytes()));
    for (const Explained& entry : standard) {
        const std::string name = std::string("SHMEM_") + entry.name;
        const std::string old = std::string("SMA_") + entry.name;
        const bool is_old = std::getenv(name.c_str()) == nullptr && std::getenv(old.c_str()) != nullptr;
        print(is_old ? old : name, variable(entry.name), entry.meaning);
    }
    for (const Explained& entry : own) {
        print(entry.name, std::getenv(entry.name), entry.meaning);
    }
}

}  // namespace

const char* variable(const char* name) {
    const char* const value = std::getenv((std::string("SHMEM_") + name).c_str());
    return value != nullptr ? value : std::getenv((std::string("SMA_") + name).c_str());
}

bool is_on(const char* name) {
    const char* const value = variable(name);
    return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

uint64_t heap_limit() {
    const char* const name = "SYNCLINE_HEAP_LIMIT";
    const char* const text = std::getenv(name);
    const std::optional<uint64_t> limit = text != nullptr ? parse_size(text) : 0;
    if (!limit) {
        fail(SYNCLINE_ERR_INVALID, "{} is '{}', not a size such as 64M", name, text);
    }
    return *limit;
}

void introduce() {
    if (library->me != 0) {
        return;
    }
    if (is_on("VERSION") || is_on("INFO")) {
        std::printf("%s, OpenSHMEM %d.%d\n", SHMEM_VENDOR_STRING, SHMEM_MAJOR_VERSION, SHMEM_MINOR_VERSION);
    }
    if (is_on("INFO")) {
        explain();
    }
    std::fflush(stdout);
}

}  // namespace syncline::shmem
