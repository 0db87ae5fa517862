// SPDX-License-Identifier: BSD-3-Clause
// The variables of the program and of its shared libraries as symmetric memory.
//
// The PEs agree on the objects that all of them have (program_objects.h), each object by itself, whatever else a PE has
// loaded. The pages of these objects move to one segment, in the order of the objects' keys, so a variable is at one
// address at all PEs. A later show() adds a segment for objects that have been loaded since. A PE that is alone leaves
// pages where they are, as long as it has segments for them. An object that some PE lacks stays as it is, and the PEs
// that have it print a message.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "runtime/memory/memory.h"
#include "runtime/memory/program_objects.h"
#include "syncline.h"

namespace syncline {

class World;

class ProgramData {
  public:
    // All PEs call it. Returns OK, or the group's status. Throws Failure if pages cannot be registered or moved. With
    // `debug`, PE 0 prints to stderr if the PEs run different programs.
    int show(World* world, bool debug);

  private:
    // A run of pages that has a symmetric address.
    struct Placed {
        MemoryRun run;
        syncline_address_t address;
        uint64_t mapping;  // see mapping_at()
    };

    const Placed* placed(const MemoryRun& run) const;
    std::vector<syncline_address_t> addresses_of(const std::vector<MemoryRun>& runs) const;
    int place(World* world, const std::vector<MemoryRun>& runs, std::vector<syncline_address_t>* addresses);
    bool place_here(Memory* memory, const std::vector<MemoryRun>& runs, std::vector<syncline_address_t>* addresses);
    void move(Memory* memory, const std::vector<MemoryRun>& runs, std::vector<syncline_address_t>* addresses);
    void name_others(uint32_t rank, const std::vector<ProgramObject>& objects, const std::vector<uint64_t>& common,
                     bool debug);

    std::vector<Placed> placed_;
    std::set<std::string> named_;
};

}  // namespace syncline
