// SPDX-License-Identifier: BSD-3-Clause
#include "job/attachment/moved_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/pages.h"

namespace syncline {
namespace {

using Piece = MovedMemory::Piece;
using Pieces = MovedMemory::Pieces;

// Maps shared memory at its place again. A BPF array that is mapped without the right to write never gets that right.
SYNCLINE_HELPER bool share(const Piece& piece) {
    return ::mmap(piece.start, piece.bytes, usual_rights, MAP_SHARED | MAP_FIXED, piece.file,
                  static_cast<off_t>(piece.offset)) != MAP_FAILED &&
           (piece.rights == usual_rights || ::mprotect(piece.start, piece.bytes, piece.rights) == 0);
}

SYNCLINE_HELPER bool share_all(void* context) {
    const Pieces& pieces = *static_cast<const Pieces*>(context);
    bool shared = true;
    for (uint64_t i = 0; i < pieces.count; i++) {
        shared = share(pieces.first[i]) && shared;
    }
    return shared;
}

// Returns private memory with the piece's contents, or MAP_FAILED.
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

// Makes all pieces private, or none.
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

}  // namespace

MovedMemory::MovedMemory() : moment_(make_all_private, share_all) {}

MovedMemory& MovedMemory::of_process() {
    static auto* const memory = new MovedMemory;
    return *memory;
}

MovedMemory::Hold MovedMemory::hold() {
    return {{}, std::unique_lock(guard_)};
}

void MovedMemory::add(void* start, uint64_t bytes, std::shared_ptr<const UniqueFd> file, uint64_t offset) {
    auto* const first = static_cast<uint8_t*>(start);
    std::erase_if(spans_,
                  [&](const Span& old) { return old.start >= first && old.start + old.bytes <= first + bytes; });
    spans_.push_back({first, bytes, std::move(file), offset});
    pieces_.reserve(spans_.size() * 2 + 64);
    keep_spare_files();
}

void MovedMemory::keep_spare_files() {
    for (UniqueFd& file : spare_files_) {
        file.reset(::fcntl(spans_.front().file->get(), F_DUPFD_CLOEXEC, 0));
    }
}

void MovedMemory::find_piece(const Span& span, const MappingLine& line) {
    const auto first = reinterpret_cast<uintptr_t>(span.start);
    const uintptr_t start = std::max(line.start, first);
    const uintptr_t end = std::min(line.end, first + span.bytes);
    struct stat file = {};
    if (start < end && line.is_shared && ::fstat(span.file->get(), &file) == 0 && file.st_dev == line.device &&
        file.st_ino == line.inode) {
        pieces_.push_back(
            {span.start + (start - first), end - start, span.file->get(), span.offset + (start - first), line.rights});
    }
}

// The program may have mapped something else there meanwhile, or have changed rights. If the system does not tell (a
// program may have called chroot()), everything counts as unchanged.
void MovedMemory::find_pieces() {
    MappingLines lines;
    for (MappingLine line; lines.are_known() && lines.next(&line);) {
        for (const Span& span : spans_) {
            find_piece(span, line);
        }
    }
    if (!lines.are_known()) {
        for (const Span& span : spans_) {
            pieces_.push_back({span.start, span.bytes, span.file->get(), span.offset, usual_rights});
        }
    }
}

void MovedMemory::before_fork() {
    guard_.lock();
    if (spans_.empty()) {
        return;
    }
    for (UniqueFd& file : spare_files_) {
        file.reset();
    }
    find_pieces();
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

// Runs in the parent.
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
    if (!spans_.empty()) {
        keep_spare_files();
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
