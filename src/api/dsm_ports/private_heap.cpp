// SPDX-License-Identifier: BSD-3-Clause
#include "private_heap.h"

#include <sys/mman.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "job.h"

namespace syncline::ports::private_heap {
namespace {

constexpr size_t unit = 16;  // a header and the smallest block
constexpr size_t classes = 4 * 48;
constexpr uintptr_t address = 0x6a00'0000'0000;
constexpr size_t largest = size_t{64} << 30;
constexpr size_t smallest = size_t{1} << 30;

struct Header {
    uint64_t bytes;   // of the block behind this header, without the header
    uint64_t offset;  // from this header back to the block's own: an aligned block begins within another block
};
static_assert(sizeof(Header) == unit);

struct Free {
    Free* next;
};

// Lies at the beginning of the memory.
struct State {
    std::mutex lock;  // all zeros while it is free
    char* top;
    Free* free[classes];
};

State* heap = nullptr;
char* limit = nullptr;
Range program_code;

// Returns the class of a size in units: 1 to 4 one by one, then four steps for each doubling.
size_t class_of(size_t units) {
    if (units <= 4) {
        return units - 1;
    }
    const auto power = static_cast<size_t>(std::bit_width(units - 1)) - 1;  // 2^power < units <= 2^(power+1)
    const size_t step = size_t{1} << (power - 2);
    const size_t steps = (units - (size_t{1} << power) + step - 1) / step;  // 1 to 4
    return 4 * (power - 1) + steps - 1;
}

size_t units_of(size_t size_class) {
    if (size_class < 4) {
        return size_class + 1;
    }
    const size_t power = size_class / 4 + 1;
    return (size_t{1} << power) + (size_class % 4 + 1) * (size_t{1} << (power - 2));
}

Header* header_of(void* memory) {
    return static_cast<Header*>(memory) - 1;
}
const Header* header_of(const void* memory) {
    return static_cast<const Header*>(memory) - 1;
}

void* cut(size_t bytes) {
    if (bytes > static_cast<size_t>(limit - heap->top) - unit) {
        return nullptr;
    }
    auto* const header = reinterpret_cast<Header*>(heap->top);
    heap->top += unit + bytes;
    header->bytes = bytes;
    header->offset = 0;
    return header + 1;
}

}  // namespace

void open(Range code) {
    void* memory = MAP_FAILED;
    size_t bytes = largest;
    for (; memory == MAP_FAILED && bytes >= smallest; bytes /= 2) {
        memory = ::mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (memory != MAP_FAILED) {
            break;
        }
    }
    if (memory != reinterpret_cast<void*>(address)) {
        end_job("MAIN_ENV: the addresses from %#zx on, for the program's private memory, cannot be had: %s", address,
                std::strerror(errno));
    }
    heap = static_cast<State*>(memory);
    heap->top = static_cast<char*>(memory) + (sizeof(State) + unit - 1) / unit * unit;
    limit = static_cast<char*>(memory) + bytes;
    program_code = code;
}

Range used() {
    return {reinterpret_cast<char*>(heap), heap == nullptr ? nullptr : heap->top};
}

bool holds(const void* memory) {
    return heap != nullptr && memory >= static_cast<const void*>(heap) && memory < static_cast<const void*>(limit);
}

bool is_program(const void* instruction) {
    return static_cast<size_t>(static_cast<const char*>(instruction) - program_code.begin) < program_code.bytes();
}

void* allocate(size_t bytes) {
    if (bytes > largest) {
        errno = ENOMEM;
        return nullptr;
    }
    const size_t size_class = class_of(bytes == 0 ? 1 : (bytes + unit - 1) / unit);
    const std::lock_guard guard(heap->lock);
    void* memory = heap->free[size_class];
    if (memory != nullptr) {
        heap->free[size_class] = heap->free[size_class]->next;
    } else {
        memory = cut(units_of(size_class) * unit);
    }
    if (memory == nullptr) {
        errno = ENOMEM;
    }
    return memory;
}

void* allocate_aligned(size_t alignment, size_t bytes) {
    if (alignment <= unit) {
        return allocate(bytes);
    }
    if (bytes > largest || alignment > largest) {
        errno = ENOMEM;
        return nullptr;
    }
    char* const block = static_cast<char*>(allocate(bytes + alignment + unit));
    if (block == nullptr || reinterpret_cast<uintptr_t>(block) % alignment == 0) {
        return block;
    }
    const uintptr_t next = (reinterpret_cast<uintptr_t>(block) + unit + alignment - 1) / alignment * alignment;
    char* const aligned = block + (next - reinterpret_cast<uintptr_t>(block));
    header_of(aligned)->bytes = header_of(block)->bytes - static_cast<size_t>(aligned - block);
    header_of(aligned)->offset = static_cast<uint64_t>(aligned - block);
    return aligned;
}

void give_back(void* memory) {
    void* const block = static_cast<char*>(memory) - header_of(memory)->offset;
    const size_t size_class = class_of(header_of(block)->bytes / unit);
    const std::lock_guard guard(heap->lock);
    auto* const entry = static_cast<Free*>(block);
    entry->next = heap->free[size_class];
    heap->free[size_class] = entry;
}

size_t bytes_of(const void* memory) {
    return header_of(memory)->bytes;
}

}  // namespace syncline::ports::private_heap
