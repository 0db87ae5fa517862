// SPDX-License-Identifier: BSD-3-Clause
// Memory of the program that became shared memory at its own addresses: its variables, and pages that it has
// registered.
//
// As POSIX says, a child of fork() has a copy of it, made in the moment of the fork. The kernel would let both
// processes share it. So for that moment (base/standstill.h) private pages with its contents take its place, and the
// child inherits these. Other threads of the parent do not run meanwhile, so none of their writes is lost, and the
// child sees their writes before the fork and none after it. Other PEs go on writing to the shared memory: the child
// has each aligned word of 8 bytes as it was at some time in the moment. A page that holds only zeros takes no memory
// in the child.
//
// If the threads cannot be stopped, the child copies by itself, before fork() returns to the program in either process.
// Each write of the parent's other threads may then be in the copy or not, and a message says so.
//
// vfork(), posix_spawn() and system() do none of this: their child shares the parent's memory until it executes a
// program.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/interruptions.h"
#include "base/mappings.h"
#include "base/standstill.h"
#include "base/unique_fd.h"

namespace syncline {

class MovedMemory {
  public:
    // Returns the object of this process. It is never deleted, because a program may fork while it exits.
    static MovedMemory& of_process();

    // No fork() begins while this is held, in any thread: from before the memory moves until it is added.
    struct Hold {
        Uninterrupted forks_of_handlers;
        std::unique_lock<std::mutex> forks_of_threads;
    };
    Hold hold();
    // [start, start + bytes) maps `file` from `offset` on. The caller has hold().
    void add(void* start, uint64_t bytes, std::shared_ptr<const UniqueFd> file, uint64_t offset);

    // The three handlers of a fork. Between the first and the others the forking thread holds `guard_`.
    void before_fork();
    void after_fork_in_parent();
    void after_fork_in_child();

    struct Piece {
        uint8_t* start;
        uint64_t bytes;
        int file;
        uint64_t offset;
        int rights;  // PROT_READ and so on
    };
    struct Pieces {
        const Piece* first;
        uint64_t count;
    };

  private:
    struct Span {
        uint8_t* start;
        uint64_t bytes;
        std::shared_ptr<const UniqueFd> file;
        uint64_t offset;
    };

    MovedMemory();
    void keep_spare_files();
    void find_piece(const Span& span, const MappingLine& line);
    void find_pieces();
    void end_moment();

    std::mutex guard_;
    std::vector<Span> spans_;
    std::vector<Piece> pieces_;  // during a fork: the parts of the spans that are still mapped
    // Closed during a fork, which needs descriptors, because the program may have used all that it can have.
    std::array<UniqueFd, 4> spare_files_;
    Pieces list_ = {};
    ForkMoment moment_;
    bool is_followed_ = false;
    UniqueFd copied_;  // at its end once the child has its copy, or is dead
    UniqueFd copying_;
};

}  // namespace syncline
