// SPDX-License-Identifier: BSD-3-Clause
#include "job/attachment/memory_move.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "base/failure.h"
#include "base/mappings.h"
#include "base/pages.h"
#include "base/sizes.h"
#include "base/standstill.h"
#include "job/attachment/moved_memory.h"

namespace syncline {
namespace {

// A part of a run that has the same rights everywhere.
struct Part {
    uint8_t* start;
    uint64_t bytes;
    uint64_t file_bytes;
    uint64_t offset;  // in the segment
    int rights;       // PROT_READ and so on
};

Part part_of(const MemoryRun& run, uint64_t offset, uintptr_t start, uintptr_t end, int rights) {
    const uint64_t at = start - reinterpret_cast<uintptr_t>(run.start);
    const uint64_t bytes = end - start;
    return {static_cast<uint8_t*>(run.start) + at, bytes,
            std::min(run.file_bytes - std::min(run.file_bytes, at), bytes), offset + at, rights};
}

// Returns the runs without pages that the program has unmapped. If the system does not tell, the rights count as
// unchanged.
std::vector<Part> parts_of(const std::vector<MemoryRun>& runs) {
    std::vector<Part> parts;
    const auto add = [&](uintptr_t from, uintptr_t to, int rights) {
        uint64_t offset = 0;
        for (const MemoryRun& run : runs) {
            const auto first = reinterpret_cast<uintptr_t>(run.start);
            const uintptr_t start = std::max(from, first);
            const uintptr_t end = std::min(to, first + run.bytes);
            if (start < end) {
                parts.push_back(part_of(run, offset, start, end, rights));
            }
            offset += run.bytes;
        }
    };
    MappingLines lines;
    for (MappingLine line; lines.are_known() && lines.next(&line);) {
        add(line.start, line.end, line.rights);
    }
    if (!lines.are_known()) {
        add(0, UINTPTR_MAX, usual_rights);
    }
    return parts;
}

// The part of move_runs() during which no other thread may run.
struct Move {
    const Part* parts;
    size_t count;
    uint8_t* base;
    int file;
    int page_map;
};

SYNCLINE_HELPER bool move_parts(void* context) {
    const Move& move = *static_cast<const Move*>(context);
    for (size_t i = 0; i < move.count; i++) {
        const Part& part = move.parts[i];
        uint8_t* const target = move.base + part.offset;
        if ((part.rights & PROT_READ) == 0) {
            (void)::mprotect(part.start, part.bytes, PROT_READ);
        }
        copy_pages(target, part.start, part.file_bytes);
        copy_touched_pages(move.page_map, target + part.file_bytes, part.start + part.file_bytes,
                           part.bytes - part.file_bytes);
        if (::mmap(part.start, part.bytes, usual_rights, MAP_SHARED | MAP_FIXED, move.file,
                   static_cast<off_t>(part.offset)) == MAP_FAILED) {
            return false;
        }
        if (part.rights != usual_rights) {
            (void)::mprotect(part.start, part.bytes, part.rights);
        }
    }
    return true;
}

[[noreturn]] void say_why(Standstill moved, int error, uint64_t bytes) {
    constexpr const char* advice = "initialise before the program starts threads, or attach the debugger afterwards";
    if (moved == Standstill::kFailed) {
        errno = error;
        fail_errno(SYNCLINE_ERR_NO_MEMORY, "cannot replace {} bytes of variables", bytes);
    }
    if (moved == Standstill::kDisturbed) {
        fail(SYNCLINE_ERR_UNSUPPORTED,
             "another thread ran while the program's variables moved, and what it wrote may be lost; {}", advice);
    }
    fail(SYNCLINE_ERR_UNSUPPORTED,
         "the program has {} threads, which must stand still while its variables move, and they cannot be stopped: "
         "{}; {}",
         count_threads(), reason_of(moved), advice);
}

}  // namespace

uint64_t bytes_of(const std::vector<MemoryRun>& runs) {
    uint64_t bytes = 0;
    for (const MemoryRun& run : runs) {
        bytes = plus(bytes, run.bytes);
    }
    return bytes;
}

void move_runs(const std::vector<MemoryRun>& runs, UniqueFd file, uint8_t* base) {
    const UniqueFd page_map(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
    const std::vector<Part> parts = parts_of(runs);
    Move move = {parts.data(), parts.size(), base, file.get(), page_map.get()};
    const Standstill moved = run_at_standstill(move_parts, &move);
    const int error = errno;
    const auto shared = std::make_shared<const UniqueFd>(std::move(file));
    uint64_t offset = 0;
    for (const MemoryRun& run : runs) {  // also if only some of it has moved
        MovedMemory::of_process().add(run.start, run.bytes, shared, offset);
        offset += run.bytes;
    }
    if (moved != Standstill::kDone) {
        say_why(moved, error, bytes_of(runs));
    }
}

}  // namespace syncline
