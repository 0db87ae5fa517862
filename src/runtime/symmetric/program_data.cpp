// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/symmetric/program_data.h"

#include <algorithm>

#include "base/hash.h"
#include "base/mappings.h"
#include "runtime/ground/error_text.h"
#include "runtime/symmetric/world.h"

namespace syncline {
namespace {

constexpr size_t segments_of_one = 7;  // for a PE that is alone; the others are for the heap to grow
constexpr uint64_t none = UINT64_MAX;

// Returns a number for the mapping at an address, made of the device and inode in its line of /proc/self/maps; 0 if
// there is no mapping.
uint64_t mapping_at(const void* address) {
    const auto wanted = reinterpret_cast<uintptr_t>(address);
    MappingLines lines;
    for (MappingLine line; lines.next(&line);) {
        if (line.start <= wanted && wanted < line.end) {
            return line.inode << 24 ^ line.device;
        }
    }
    return 0;
}

// Sets `alike` to whether all PEs have the same values. Returns OK, or the group's status.
int compare(World* world, const std::vector<uint64_t>& values, bool* alike) {
    std::vector<uint64_t> hashes;
    const int status = world->all().group().exchange(hash_of(values), &hashes);
    *alike = std::all_of(hashes.begin(), hashes.end(), [&](uint64_t other) { return other == hashes[0]; });
    return status;
}

// Finds the keys that all PEs have. Each PE proposes its smallest key: a key that all propose is common, and no key
// below the largest proposed one can be common.
int find_common(World* world, const std::vector<uint64_t>& own, std::vector<uint64_t>* common) {
    bool alike = false;
    int status = compare(world, own, &alike);
    if (status != SYNCLINE_OK || alike) {
        *common = own;
        return status;
    }
    for (auto next = own.begin(); status == SYNCLINE_OK;) {
        std::vector<uint64_t> proposed;
        status = world->all().group().exchange(next != own.end() ? *next : none, &proposed);
        const auto [least, largest] = std::minmax_element(proposed.begin(), proposed.end());
        if (status != SYNCLINE_OK || *largest == none) {
            break;
        }
        if (*least == *largest) {
            common->push_back(*next++);
        } else {
            next = std::lower_bound(next, own.end(), *largest);
        }
    }
    return status;
}

std::vector<MemoryRun> runs_of(const std::vector<ProgramObject>& objects, const std::vector<uint64_t>& common) {
    std::vector<MemoryRun> runs;
    for (const ProgramObject& object : objects) {
        if (std::binary_search(common.begin(), common.end(), object.key)) {
            runs.insert(runs.end(), object.runs.begin(), object.runs.end());
        }
    }
    return runs;
}

}  // namespace

// Returns the entry of a run that an earlier show() has placed and that is still mapped there, or NULL.
const ProgramData::Placed* ProgramData::placed(const MemoryRun& run) const {
    const auto found = std::find_if(placed_.rbegin(), placed_.rend(), [&](const Placed& known) {
        return known.run.start == run.start && known.run.bytes == run.bytes;
    });
    return found != placed_.rend() && found->mapping == mapping_at(run.start) ? &*found : nullptr;
}

std::vector<syncline_address_t> ProgramData::addresses_of(const std::vector<MemoryRun>& runs) const {
    std::vector<syncline_address_t> addresses;
    for (const MemoryRun& run : runs) {
        const Placed* const known = placed(run);
        addresses.push_back(known != nullptr ? known->address : SYNCLINE_ADDRESS_NONE);
    }
    return addresses;
}

// For a PE that is alone. Returns false if it has not that many segments.
bool ProgramData::place_here(Memory* memory, const std::vector<MemoryRun>& runs,
                             std::vector<syncline_address_t>* addresses) {
    const auto count = static_cast<size_t>(std::count(addresses->begin(), addresses->end(), SYNCLINE_ADDRESS_NONE));
    if (placed_.size() + count > segments_of_one) {
        return false;
    }
    for (size_t i = 0; i < runs.size(); i++) {
        if ((*addresses)[i] == SYNCLINE_ADDRESS_NONE) {
            const uint32_t segment = memory->register_memory(runs[i].start, runs[i].bytes);
            (*addresses)[i] = uint64_t{segment} << 40;
            placed_.push_back({runs[i], (*addresses)[i], mapping_at(runs[i].start)});
        }
    }
    return true;
}

void ProgramData::move(Memory* memory, const std::vector<MemoryRun>& runs, std::vector<syncline_address_t>* addresses) {
    std::vector<MemoryRun> moved;
    for (size_t i = 0; i < runs.size(); i++) {
        if ((*addresses)[i] == SYNCLINE_ADDRESS_NONE) {
            moved.push_back(runs[i]);
        }
    }
    if (moved.empty()) {
        return;
    }
    syncline_address_t next = uint64_t{memory->move_memory(moved)} << 40;
    for (size_t i = 0; i < runs.size(); i++) {
        if ((*addresses)[i] == SYNCLINE_ADDRESS_NONE) {
            (*addresses)[i] = next;
            placed_.push_back({runs[i], next, mapping_at(runs[i].start)});
            next += runs[i].bytes;
        }
    }
}

// Places all runs anew if the PEs have not placed the same ones of them before.
int ProgramData::place(World* world, const std::vector<MemoryRun>& runs, std::vector<syncline_address_t>* addresses) {
    bool alike = false;
    *addresses = addresses_of(runs);
    int status = compare(world, *addresses, &alike);
    if (status != SYNCLINE_OK) {
        return status;
    }
    if (!alike) {
        std::fill(addresses->begin(), addresses->end(), SYNCLINE_ADDRESS_NONE);
    }
    Memory* const memory = &world->endpoint().memory();
    if (!world->endpoint().attachment().alone() || !place_here(memory, runs, addresses)) {
        move(memory, runs, addresses);
    }
    status = compare(world, *addresses, &alike);
    if (status == SYNCLINE_OK && !alike) {
        if (world->endpoint().rank() == 0) {
            fmt::print(stderr,
                       "{}: no variables are symmetric, because the PEs have registered different numbers of memories "
                       "before; initialise OpenSHMEM first\n",
                       current_call);
        }
        addresses->clear();
    }
    return status;
}

void ProgramData::name_others(uint32_t rank, const std::vector<ProgramObject>& objects,
                              const std::vector<uint64_t>& common, bool debug) {
    std::string names;
    for (const ProgramObject& object : objects) {
        if (!std::binary_search(common.begin(), common.end(), object.key) && named_.insert(object.name).second) {
            names += names.empty() ? object.name : ", " + object.name;
        }
    }
    if (!names.empty()) {
        fmt::print(stderr, "PE {}: {}: not all PEs have loaded the same {}: its variables are not symmetric\n", rank,
                   current_call, names);
    }
    if (debug && rank == 0 && !objects.empty() && (common.empty() || common[0] != objects[0].key)) {
        fmt::print(stderr, "{}: the PEs run different programs: their variables are not symmetric\n", current_call);
    }
}

int ProgramData::show(World* world, bool debug) {
    const std::vector<ProgramObject> objects = find_program_objects();
    std::vector<uint64_t> own;
    for (const ProgramObject& object : objects) {
        own.push_back(object.key);
    }
    std::vector<uint64_t> common;
    if (const int status = find_common(world, own, &common); status != SYNCLINE_OK) {
        return status;
    }
    name_others(world->endpoint().rank(), objects, common, debug);
    const std::vector<MemoryRun> runs = runs_of(objects, common);
    std::vector<syncline_address_t> addresses;
    if (const int status = place(world, runs, &addresses); status != SYNCLINE_OK) {
        return status;
    }
    for (size_t i = 0; i < addresses.size(); i++) {
        world->add(runs[i].start, runs[i].bytes, addresses[i]);
    }
    return SYNCLINE_OK;
}

}  // namespace syncline
