// SPDX-License-Identifier: BSD-3-Clause
#include "api/shmem/program_data.h"

#include <algorithm>

#include "api/shmem/checks.h"
#include "api/shmem/team.h"

namespace syncline::shmem {
namespace {

constexpr size_t data_segments_max = 7;  // the others are for the heap to grow

// The segment of a run of pages: that of an earlier shmem_init() if it is still what is mapped there, or a new one.
uint32_t segment_of(const Span& span) {
    for (const DataSegment& known : runtime->data) {
        if (known.span.start == span.start && known.span.bytes == span.bytes &&
            known.mapping == mapping_at(span.start)) {
            return known.segment;
        }
    }
    const uint32_t segment = runtime->endpoint.memory().register_memory(span.start, span.bytes);
    runtime->data.push_back({span, segment, mapping_at(span.start)});
    return segment;
}

bool is_alike_everywhere(const char* call, const std::vector<uint64_t>& values) {
    const std::vector<uint64_t> hashes = runtime->world->group().exchange(call, hash_of(values));
    const bool alike = std::all_of(hashes.begin(), hashes.end(), [&](uint64_t other) { return other == hashes[0]; });
    if (!alike && runtime->debug && runtime->me == 0) {
        fmt::print(stderr, "{}: the PEs run different programs: their variables are not symmetric\n", call);
    }
    return alike;
}

}  // namespace

void show_program_data(const char* call) {
    std::vector<Span> spans = program_data();
    spans.resize(std::min(spans.size(), data_segments_max));
    std::vector<uint64_t> sizes, segments;
    for (const Span& span : spans) {
        sizes.push_back(span.bytes);
    }
    if (!is_alike_everywhere(call, sizes)) {
        return;
    }
    for (const Span& span : spans) {
        segments.push_back(segment_of(span));
    }
    if (!is_alike_everywhere(call, segments)) {
        return;
    }
    for (size_t i = 0; i < spans.size(); i++) {
        runtime->memory.add(&runtime->endpoint, spans[i].start, spans[i].bytes, segments[i] << 40);
    }
}

}  // namespace syncline::shmem
