// SPDX-License-Identifier: BSD-3-Clause
// The signals by which the kernel reports that a program has accessed a page without the right. A fault elsewhere goes
// to the handler that the program has installed, before or later, as the kernel would call it, or is the ordinary crash
// at the instruction that caused it.
//
// The handler runs in the thread that accessed the page, between two of the program's instructions, so it may do what
// that thread may: the fault is synchronous, and code of the library never accesses the program's mapping. It needs
// little of that thread's stack (own_stack.h).
#pragma once

#include <csignal>
#include <cstdint>
#include <functional>

namespace syncline::dsm {

class Faults {
  public:
    // Calls `handle(offset, is_write)` for faults in [memory, memory + bytes). A process has one object at a time.
    Faults(uint8_t* memory, uint64_t bytes, std::function<void(uint64_t, bool)> handle);
    ~Faults();
    Faults(const Faults&) = delete;
    Faults& operator=(const Faults&) = delete;

    // In a child of fork(): an access to the memory crashes the child, after a message that names the process.
    void disown(uint32_t process);

  private:
    static void on_signal(int number, siginfo_t* info, void* context);
    void serve(uint64_t offset, bool write);

    uint8_t* const memory_;
    const uint64_t bytes_;
    const std::function<void(uint64_t, bool)> handle_;
    int parent_ = -1;  // in a child: the process from which it was forked
};

}  // namespace syncline::dsm
