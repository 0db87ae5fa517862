// SPDX-License-Identifier: BSD-3-Clause
// The variables of the program and of its shared libraries as symmetric memory: their pages become segments.
#pragma once

#include <cstdint>
#include <vector>

namespace syncline {

class World;

class ProgramData {
  public:
    // Makes the pages segments, with the same numbers at all PEs, if all run the same program; `debug`: PE 0 says on
    // stderr if they do not. All PEs call it. OK, or the group's status. Throws Failure where a page cannot be
    // registered.
    int show(World* world, bool debug);

  private:
    // A run of pages that a program or shared library may write.
    struct Span {
        void* start;
        uint64_t bytes;
    };
    struct Segment {
        Span span;
        uint32_t number;
        uint64_t mapping;  // see mapping_at()
    };

    static std::vector<Span> spans_of_program();
    uint32_t segment_of(const Span& span);

    std::vector<Segment> segments_;
};

}  // namespace syncline
