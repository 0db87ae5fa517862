// SPDX-License-Identifier: BSD-3-Clause
#include "base/mappings.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>

namespace syncline {
namespace {

constexpr int at_end = -1;

int digit(int letter) {
    return letter >= '0' && letter <= '9' ? letter - '0' : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : 16;
}

}  // namespace

MappingLines::MappingLines() : file_(::open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}

int MappingLines::get() {
    if (at_ == count_) {
        ssize_t length = 0;
        do {
            length = ::read(file_.get(), buffer_, sizeof(buffer_));
        } while (length < 0 && errno == EINTR);
        at_ = 0;
        count_ = length > 0 ? static_cast<size_t>(length) : 0;
    }
    return at_ < count_ ? static_cast<unsigned char>(buffer_[at_++]) : at_end;
}

// Reads a number, and the character behind it.
uint64_t MappingLines::number(unsigned base) {
    uint64_t value = 0;
    for (int next = digit(get()); next < static_cast<int>(base); next = digit(get())) {
        value = value * base + static_cast<uint64_t>(next);
    }
    return value;
}

// Reads a line: start-end rights offset major:minor inode name
bool MappingLines::next(MappingLine* line) {
    line->start = number(16);
    line->end = number(16);
    line->rights = get() == 'r' ? PROT_READ : 0;
    line->rights |= get() == 'w' ? PROT_WRITE : 0;
    line->rights |= get() == 'x' ? PROT_EXEC : 0;
    line->is_shared = get() == 's';
    (void)get();
    (void)number(16);
    const uint64_t major = number(16);
    const uint64_t minor = number(16);
    line->device = makedev(static_cast<unsigned>(major), static_cast<unsigned>(minor));
    line->inode = 0;
    int letter = get();
    for (; digit(letter) < 10; letter = get()) {
        line->inode = line->inode * 10 + static_cast<ino_t>(digit(letter));
    }
    while (letter != '\n' && letter != at_end) {
        letter = get();
    }
    return line->end != 0;
}

}  // namespace syncline
