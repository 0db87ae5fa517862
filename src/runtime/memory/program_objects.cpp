// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/memory/program_objects.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "base/pages.h"
#include "base/sizes.h"

namespace syncline {
namespace {

constexpr uint64_t of_library = 1ull << 63;

uint64_t page_down(uint64_t address) {
    return address & ~(page_bytes - 1);
}

const char own_library = 0;  // an address in this library

std::string program_path() {
    char path[PATH_MAX];
    const ssize_t length = ::readlink("/proc/self/exe", path, sizeof(path));
    return length > 0 ? std::string(path, static_cast<size_t>(length)) : "the program";
}

// Returns the path of a library. A library that was found by a relative path has that path as its name, relative to the
// folder that the process was in then.
std::string path_of(const std::string& name) {
    char path[PATH_MAX];
    return !name.empty() && name[0] != '/' && ::realpath(name.c_str(), path) != nullptr ? path : name;
}

// Returns whether it is the code that the kernel gives a process, in which an emulator of programs keeps words of its
// own.
bool is_kernels(const dl_phdr_info& object) {
    const uint64_t given = ::getauxval(AT_SYSINFO_EHDR);
    return std::any_of(object.dlpi_phdr, object.dlpi_phdr + object.dlpi_phnum, [&](const ElfW(Phdr) & header) {
        return header.p_type == PT_LOAD && object.dlpi_addr + header.p_vaddr == given;
    });
}

// Returns whether the data is the user's. Data of the system's libraries (malloc's, stdio's, the loader's) is not, nor
// is data of this library.
bool is_users(const std::string& path, const dl_phdr_info& object) {
    Dl_info own = {};
    ::dladdr(&own_library, &own);
    return !is_kernels(object) && !path.starts_with("/lib") && !path.starts_with("/usr/lib") &&
           reinterpret_cast<uintptr_t>(own.dli_fbase) != object.dlpi_addr;
}

struct Bounds {
    uint64_t from = 0;
    uint64_t to = 0;
};

// Returns the part for relocations, which the loader has sealed before main().
Bounds sealed_part(const dl_phdr_info& object) {
    Bounds sealed;
    for (uint32_t i = 0; i < object.dlpi_phnum; i++) {
        const ElfW(Phdr)& header = object.dlpi_phdr[i];
        if (header.p_type == PT_GNU_RELRO) {
            sealed = {page_down(object.dlpi_addr + header.p_vaddr),
                      page_down(object.dlpi_addr + header.p_vaddr + header.p_memsz)};
        }
    }
    return sealed;
}

void add_run(const dl_phdr_info& object, const ElfW(Phdr) & header, const Bounds& sealed, ProgramObject* found) {
    uint64_t start = page_down(object.dlpi_addr + header.p_vaddr);
    const uint64_t end = round_up(object.dlpi_addr + header.p_vaddr + header.p_memsz, page_bytes);
    if (start >= sealed.from && start < sealed.to) {
        start = sealed.to;
    }
    const uint64_t end_of_file = std::clamp(round_up(object.dlpi_addr + header.p_vaddr + header.p_filesz, page_bytes),
                                            start, std::max(start, end));
    if (start < end) {
        found->runs.push_back({reinterpret_cast<void*>(start), end - start, end_of_file - start});
    }
}

uint64_t key_of(const dl_phdr_info& object, const std::string& path) {
    std::vector<uint64_t> values;
    const bool is_library = object.dlpi_name[0] != '\0';
    for (const char letter : is_library ? path.substr(path.rfind('/') + 1) : std::string()) {
        values.push_back(static_cast<uint8_t>(letter));
    }
    for (uint32_t i = 0; i < object.dlpi_phnum; i++) {
        const ElfW(Phdr)& header = object.dlpi_phdr[i];
        if (header.p_type == PT_LOAD) {
            values.insert(values.end(), {header.p_flags, header.p_vaddr, header.p_filesz, header.p_memsz});
        }
    }
    return is_library ? hash_of(values) | of_library : hash_of(values) & ~of_library;
}

int collect(dl_phdr_info* object, size_t, void* context) {
    const std::string path = object->dlpi_name[0] == '\0' ? program_path() : path_of(object->dlpi_name);
    auto* const objects = static_cast<std::vector<ProgramObject>*>(context);
    if (object->dlpi_name[0] != '\0' && !is_users(path, *object)) {
        return 0;
    }
    ProgramObject found = {path, key_of(*object, path), {}};
    const Bounds sealed = sealed_part(*object);
    for (uint32_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr)& header = object->dlpi_phdr[i];
        if (header.p_type == PT_LOAD && (header.p_flags & PF_W) != 0) {
            add_run(*object, header, sealed, &found);
        }
    }
    if (!found.runs.empty()) {
        objects->push_back(std::move(found));
    }
    return 0;
}

}  // namespace

std::vector<ProgramObject> find_program_objects() {
    std::vector<ProgramObject> loaded;
    ::dl_iterate_phdr(collect, &loaded);
    std::multimap<uint64_t, ProgramObject> by_key;  // equal keys are in the order of insertion
    for (ProgramObject& object : loaded) {
        by_key.emplace(object.key, std::move(object));
    }
    std::vector<ProgramObject> objects;
    for (auto& [key, object] : by_key) {
        objects.push_back(std::move(object));
    }
    // If a library is loaded twice, from two folders, the one that was loaded first stays.
    for (size_t i = 1; i < objects.size(); i++) {
        for (uint64_t turn = 1; objects[i].key <= objects[i - 1].key; turn++) {
            objects[i].key = objects[i - 1].key + turn;
        }
    }
    return objects;
}

}  // namespace syncline
