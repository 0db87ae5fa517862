// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/memory/program_data.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "runtime/collective/world.h"
#include "runtime/process/error_text.h"

namespace syncline {
namespace {

constexpr size_t data_segments_max = 7;  // the others are for the heap to grow
constexpr uintptr_t page = 4096;

struct Pages {
    uintptr_t start;
    uintptr_t end;
};

uintptr_t page_down(uintptr_t address) {
    return address & ~(page - 1);
}
uintptr_t page_up(uintptr_t address) {
    return page_down(address + page - 1);
}

const char own_library = 0;  // an address in this library

// Data of the system's libraries is theirs: malloc's, stdio's, the loader's.
bool is_user_object(const dl_phdr_info& object) {
    const std::string_view name = object.dlpi_name;
    if (name.empty()) {
        return true;  // the program itself, which comes first; the kernel's object has no data
    }
    Dl_info own = {};
    dladdr(&own_library, &own);
    return name[0] == '/' && !name.starts_with("/lib") && !name.starts_with("/usr/lib") &&
           reinterpret_cast<uintptr_t>(own.dli_fbase) != object.dlpi_addr;
}

// Writable pages, without the part for relocations that the loader has sealed (RELRO) before main().
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
            static_cast<std::vector<Pages>*>(context)->push_back({start, end});
        }
    }
    return 0;
}

// The mapping at an address, as a number made of the device and inode in its line of /proc/self/maps; 0 if there is
// none.
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
        char dash = 0;
        char colon = 0;
        std::string rights;
        std::string offset;
        std::istringstream fields(line);
        fields >> std::hex >> start >> dash >> end >> rights >> offset >> major >> colon >> minor >> std::dec >> inode;
        if (fields && start <= wanted && wanted < end) {
            return inode << 24 ^ major << 12 ^ minor;
        }
    }
    return 0;
}

// OK with `alike` set, or the group's status.
int compare(World* world, const std::vector<uint64_t>& values, bool* alike) {
    std::vector<uint64_t> hashes;
    const int status = world->all().group().exchange(hash_of(values), &hashes);
    *alike = std::all_of(hashes.begin(), hashes.end(), [&](uint64_t other) { return other == hashes[0]; });
    return status;
}

}  // namespace

std::vector<ProgramData::Span> ProgramData::spans_of_program() {
    std::vector<Pages> pages;
    dl_iterate_phdr(collect, &pages);
    std::vector<Span> spans;
    for (const Pages& run : pages) {
        spans.push_back({reinterpret_cast<void*>(run.start), run.end - run.start});
    }
    spans.resize(std::min(spans.size(), data_segments_max));
    return spans;
}

// The segment of an earlier show() if its pages are still mapped there, or a new one.
uint32_t ProgramData::segment_of(const Span& span) {
    for (const Segment& known : segments_) {
        if (known.span.start == span.start && known.span.bytes == span.bytes &&
            known.mapping == mapping_at(span.start)) {
            return known.number;
        }
    }
    const uint32_t segment = process->endpoint().memory().register_memory(span.start, span.bytes);
    segments_.push_back({span, segment, mapping_at(span.start)});
    return segment;
}

int ProgramData::show(World* world, bool debug) {
    const std::vector<Span> spans = spans_of_program();
    std::vector<uint64_t> values;
    for (const Span& span : spans) {
        values.push_back(span.bytes);
    }
    bool alike = false;
    if (const int status = compare(world, values, &alike); status != SYNCLINE_OK) {
        return status;
    }
    if (alike) {
        values.clear();
        for (const Span& span : spans) {
            values.push_back(segment_of(span));
        }
        if (const int status = compare(world, values, &alike); status != SYNCLINE_OK) {
            return status;
        }
    }
    if (!alike) {
        if (debug && process->rank() == 0) {
            fmt::print(stderr, "{}: the PEs run different programs: their variables are not symmetric\n", current_call);
        }
        return SYNCLINE_OK;
    }
    for (size_t i = 0; i < spans.size(); i++) {
        world->add(spans[i].start, spans[i].bytes, values[i] << 40);
    }
    return SYNCLINE_OK;
}

}  // namespace syncline
