// SPDX-License-Identifier: BSD-3-Clause
#include "api/shmem/symmetric.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

namespace syncline::shmem {
namespace {

constexpr uintptr_t page = 4096;

uintptr_t page_down(uintptr_t address) {
    return address & ~(page - 1);
}
uintptr_t page_up(uintptr_t address) {
    return page_down(address + page - 1);
}

// Data of the system's libraries is theirs: malloc's, stdio's, the loader's.
bool is_user_object(const dl_phdr_info& object) {
    const std::string_view name = object.dlpi_name;
    if (name.empty()) {
        return true;  // the program itself, which comes first; the kernel's object has no data
    }
    Dl_info own = {};
    dladdr(reinterpret_cast<const void*>(&program_data), &own);
    return name[0] == '/' && !name.starts_with("/lib") && !name.starts_with("/usr/lib") &&
           reinterpret_cast<uintptr_t>(own.dli_fbase) != object.dlpi_addr;
}

// Of what may be written, the loader has sealed the part for relocations (RELRO) before main().
int collect(dl_phdr_info* object, size_t, void* context) {
    if (!is_user_object(*object)) {
        return 0;
    }
    uintptr_t sealed_from = 0;
    uintptr_t sealed_to = 0;
    for (uint32_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr)& header = object->dlpi_phdr[i];
        if (header.p_type == PT_GNU_RELRO) {
            sealed_from = page_down(object->dlpi_addr + header.p_vaddr);
            sealed_to = page_down(object->dlpi_addr + header.p_vaddr + header.p_memsz);
        }
    }
    for (uint32_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr)& header = object->dlpi_phdr[i];
        if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) {
            continue;
        }
        uintptr_t start = page_down(object->dlpi_addr + header.p_vaddr);
        const uintptr_t end = page_up(object->dlpi_addr + header.p_vaddr + header.p_memsz);
        if (start >= sealed_from && start < sealed_to) {
            start = sealed_to;
        }
        if (start < end) {
            static_cast<std::vector<Span>*>(context)->push_back({reinterpret_cast<void*>(start), end - start});
        }
    }
    return 0;
}

}  // namespace

std::vector<Span> program_data() {
    std::vector<Span> spans;
    dl_iterate_phdr(collect, &spans);
    return spans;
}

// The device and inode of the line of /proc/self/maps.
uint64_t mapping_at(const void* address) {
    const auto wanted = reinterpret_cast<uintptr_t>(address);
    std::ifstream maps("/proc/self/maps");
    std::string line;
    while (std::getline(maps, line)) {
        uintptr_t start = 0;
        uintptr_t end = 0;
        uint64_t major = 0;
        uint64_t minor = 0;
        uint64_t inode = 0;
        if (std::sscanf(line.c_str(), "%lx-%lx %*s %*s %lx:%lx %lu", &start, &end, &major, &minor, &inode) == 5 &&
            start <= wanted && wanted < end) {
            return inode << 24 ^ major << 12 ^ minor;
        }
    }
    return 0;
}

void Symmetric::clear() {
    count_.store(0, std::memory_order_release);
    for (Region& region : regions_) {
        region = Region{};
    }
}

void Symmetric::add(Endpoint* endpoint, void* start, uint64_t bytes, syncline_address_t address) {
    const uint32_t index = count_.load(std::memory_order_relaxed);
    Region& region = regions_[index];
    region.start = reinterpret_cast<uintptr_t>(start);
    region.bytes = bytes;
    region.address = address;
    for (uint32_t pe = 0; pe < endpoint->size(); pe++) {
        auto* const base = static_cast<uint8_t*>(endpoint->direct(static_cast<int>(pe), address, 1));
        const uint32_t port = endpoint->port_of(static_cast<int>(pe));
        region.peers.push_back(
            {base, base != nullptr ? &endpoint->attachment().segments()[port * SLW_SEGMENTS_MAX].length : nullptr});
    }
    count_.store(index + 1, std::memory_order_release);
}

}  // namespace syncline::shmem
