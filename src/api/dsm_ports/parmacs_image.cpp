// SPDX-License-Identifier: BSD-3-Clause
#include "parmacs_image.h"

#include <algorithm>
#include <cstring>

#include "job.h"
#include "private_heap.h"

namespace syncline::ports {
namespace {

constexpr size_t page_bytes = 4096;
constexpr const char* call = "CREATE";

bool is_zero(const char* bytes, size_t count) {
    uint64_t words[8];
    for (; count >= sizeof(words); bytes += sizeof(words), count -= sizeof(words)) {
        std::memcpy(words, bytes, sizeof(words));
        if ((words[0] | words[1] | words[2] | words[3] | words[4] | words[5] | words[6] | words[7]) != 0) {
            return false;
        }
    }
    return std::all_of(bytes, bytes + count, [](char byte) { return byte == 0; });
}

// Calls `visit` with each part of a page of private data, in the order of the ranges.
template <typename Visit>
void visit_range(Range range, Visit&& visit) {
    for (char* at = range.begin; at < range.end;) {
        const size_t in_page = page_bytes - reinterpret_cast<uintptr_t>(at) % page_bytes;
        const size_t bytes = std::min(in_page, static_cast<size_t>(range.end - at));
        visit(at, bytes, is_zero(at, bytes));
        at += bytes;
    }
}

template <typename Visit>
void visit_private_data(const Program& program, Visit&& visit) {
    for (size_t i = 0; i < program.variable_ranges; i++) {
        visit_range(program.variables[i], visit);
    }
    visit_range(private_heap::used(), visit);
}

// Parts that lie behind each other, and both have bytes or both have none, are one run.
bool continues(const Run& run, const char* address, bool zero) {
    return run.address + run.bytes == address && (run.content == nullptr) == zero;
}

struct Extent {
    uint64_t runs = 0;
    uint64_t content = 0;
};

Extent measure(const Program& program) {
    Extent extent;
    Run last;
    visit_private_data(program, [&](char* address, size_t bytes, bool zero) {
        extent.content += zero ? 0 : bytes;
        if (extent.runs == 0 || !continues(last, address, zero)) {
            extent.runs++;
            last = {address, 0, zero ? nullptr : address};
        }
        last.bytes += bytes;
    });
    return extent;
}

size_t align(size_t bytes) {
    return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

Image* provide(Image* last, size_t bytes) {
    if (last != nullptr && last->capacity >= bytes) {
        return last;
    }
    if (last != nullptr) {
        check(call, syncline_dsm_free_one(last));
    }
    bytes = align(bytes + bytes / 4);
    auto* const image = static_cast<Image*>(take_shared(call, bytes));
    image->capacity = bytes;
    return image;
}

}  // namespace

Image* make_image(const Program& program, Image* last) {
    const Extent extent = measure(program);
    const size_t table = align(sizeof(Image) + extent.runs * sizeof(Run));
    Image* const image = provide(last, table + extent.content);
    char* content = reinterpret_cast<char*>(image) + table;
    uint64_t runs = 0;
    visit_private_data(program, [&](char* address, size_t bytes, bool zero) {
        if (runs == 0 || !continues(image->run[runs - 1], address, zero)) {
            image->run[runs++] = {address, 0, zero ? nullptr : content};
        }
        image->run[runs - 1].bytes += bytes;
        if (!zero) {
            if (std::memcmp(content, address, bytes) != 0) {
                std::memcpy(content, address, bytes);
            }
            content += bytes;
        }
    });
    image->runs = runs;
    return image;
}

void take_image(const Image& image) {
    for (uint64_t i = 0; i < image.runs; i++) {
        const Run& run = image.run[i];
        if (run.content != nullptr) {
            (void)syncline_dsm_prefetch(run.content, run.bytes, 0);
            std::memcpy(run.address, run.content, run.bytes);
        } else {
            visit_range({run.address, run.address + run.bytes}, [](char* address, size_t bytes, bool zero) {
                if (!zero) {
                    std::memset(address, 0, bytes);
                }
            });
        }
    }
}

}  // namespace syncline::ports
