// SPDX-License-Identifier: BSD-3-Clause
#include "job/moved_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/pages.h"

#define SYNCLINE_HELPER __attribute__((no_sanitize_address, no_sanitize_thread))

namespace syncline {
namespace {

using Piece = MovedMemory::Piece;
using Pieces = MovedMemory::Pieces;

// Puts shared memory at its place again.
SYNCLINE_HELPER bool share(const Piece& piece) {
    return ::mmap(piece.start, piece.bytes, piece.rights, MAP_SHARED | MAP_FIXED, piece.file,
                  static_cast<off_t>(piece.offset)) != MAP_FAILED;
}

SYNCLINE_HELPER bool share_all(void* context) {
    const Pieces& pieces = *static_cast<const Pieces*>(context);
    bool shared = true;
    for (uint64_t i = 0; i < pieces.count; i++) {
        shared = share(pieces.first[i]) && shared;
    }
    return shared;
}

// Private memory with the piece's contents, or MAP_FAILED.
SYNCLINE_HELPER void* copy_of(const Piece& piece) {
    void* const shared =
        ::mmap(nullptr, piece.bytes, PROT_READ, MAP_SHARED, piece.file, static_cast<off_t>(piece.offset));
    if (shared == MAP_FAILED) {
        return MAP_FAILED;
    }
    void* const copy =
        ::mmap(nullptr, piece.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (copy != MAP_FAILED) {
        copy_file_pages(piece.file, piece.offset, copy, shared, piece.bytes);
        (void)::mprotect(copy, piece.bytes, piece.rights);
    }
    ::munmap(shared, piece.bytes);
    return copy;
}

SYNCLINE_HELPER bool make_private(const Piece& piece) {
    void* const copy = copy_of(piece);
    return copy != MAP_FAILED &&
           ::mremap(copy, piece.bytes, piece.bytes, MREMAP_MAYMOVE | MREMAP_FIXED, piece.start) != MAP_FAILED;
}

// All, or none.
SYNCLINE_HELPER bool make_all_private(void* context) {
    Pieces& pieces = *static_cast<Pieces*>(context);
    for (uint64_t i = 0; i < pieces.count; i++) {
        if (!make_private(pieces.first[i])) {
            Pieces done = {pieces.first, i};
            (void)share_all(&done);
            return false;
        }
    }
    return true;
}

// A line of /proc/self/maps.
struct Line {
    unsigned long start = 0;
    unsigned long end = 0;
    int rights = 0;
    bool is_shared = false;
    dev_t device = 0;
    ino_t inode = 0;
};

bool read_line(std::FILE* maps, Line* line) {
    char text[512];
    char rights[5] = {};
    unsigned major = 0;
    unsigned minor = 0;
    unsigned long inode = 0;
    if (std::fgets(text, sizeof(text), maps) == nullptr ||
        std::sscanf(text, "%lx-%lx %4s %*x %x:%x %lu", &line->start, &line->end, rights, &major, &minor, &inode) != 6) {
        return false;
    }
    while (std::strchr(text, '\n') == nullptr && std::fgets(text, sizeof(text), maps) != nullptr) {
    }
    line->rights = (rights[0] == 'r' ? PROT_READ : 0) | (rights[1] == 'w' ? PROT_WRITE : 0);
    line->is_shared = rights[3] == 's';
    line->device = makedev(major, minor);
    line->inode = inode;
    return true;
}

}  // namespace

MovedMemory::MovedMemory() : moment_(make_all_private, share_all) {}

MovedMemory& MovedMemory::of_process() {
    static auto* const memory = new MovedMemory;
    return *memory;
}

void MovedMemory::add(void* start, uint64_t bytes, std::shared_ptr<const UniqueFd> file, uint64_t offset) {
    const std::lock_guard<std::mutex> guard(guard_);
    auto* const first = static_cast<uint8_t*>(start);
    std::erase_if(spans_,
                  [&](const Span& old) { return old.start >= first && old.start + old.bytes <= first + bytes; });
    spans_.push_back({first, bytes, std::move(file), offset});
}

// The program may have mapped something else there meanwhile, or have taken rights away.
std::vector<Piece> MovedMemory::find_pieces() const {
    std::vector<Piece> pieces;
    std::FILE* const maps = spans_.empty() ? nullptr : std::fopen("/proc/self/maps", "re");
    Line line;
    while (maps != nullptr && read_line(maps, &line)) {
        for (const Span& span : spans_) {
            const auto first = reinterpret_cast<unsigned long>(span.start);
            const unsigned long start = std::max(line.start, first);
            const unsigned long end = std::min(line.end, first + span.bytes);
            struct stat file = {};
            if (start < end && line.is_shared && ::fstat(span.file->get(), &file) == 0 && file.st_dev == line.device &&
                file.st_ino == line.inode) {
                pieces.push_back({span.start + (start - first), end - start, span.file->get(),
                                  span.offset + (start - first), line.rights});
            }
        }
    }
    if (maps != nullptr) {
        std::fclose(maps);
    }
    return pieces;
}

void MovedMemory::before_fork() {
    guard_.lock();
    pieces_ = find_pieces();
    if (pieces_.empty()) {
        return;
    }
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) == 0) {
        copied_.reset(ends[0]);
        copying_.reset(ends[1]);
    }
    list_ = {pieces_.data(), pieces_.size()};
    is_followed_ = moment_.begin(&list_);
}

// In the parent.
void MovedMemory::end_moment() {
    static bool said = false;
    const Standstill outcome = is_followed_ ? moment_.end() : Standstill::kNotPermitted;
    if (moment_.happened()) {
        if (outcome != Standstill::kDone) {
            fmt::print(stderr, "syncline: fork(): this process cannot share its variables again: it ends\n");
            std::_Exit(1);
        }
        return;
    }
    if (!said && count_threads() > 1) {
        fmt::print(
            stderr,
            "syncline: fork(): the other threads of the parent cannot be stopped ({}); the child may have some of "
            "what they write to variables meanwhile, and not the rest\n",
            reason_of(outcome));
        said = true;
    }
    copying_.reset();
    char none;
    while (copied_ && ::read(copied_.get(), &none, 1) < 0 && errno == EINTR) {
    }
}

void MovedMemory::after_fork_in_parent() {
    if (!pieces_.empty()) {
        end_moment();
        copying_.reset();
        copied_.reset();
        pieces_.clear();
    }
    guard_.unlock();
}

void MovedMemory::after_fork_in_child() {
    if (!pieces_.empty() && !moment_.happened() && !make_all_private(&list_)) {
        fmt::print(stderr, "syncline: there is no memory for the child's copy of its parent's variables: it ends\n");
        std::_Exit(1);
    }
    moment_.forget();
    copying_.reset();
    copied_.reset();
    pieces_.clear();
    spans_.clear();
    guard_.unlock();
}

}  // namespace syncline
