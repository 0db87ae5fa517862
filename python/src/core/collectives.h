// SPDX-License-Identifier: BSD-3-Clause
// A group of PEs, and the rounds that its members take part in together: each is a barrier that the NICs run, which may
// carry a number.
//
// Ctrl-C in a round leaves it half done: this PE has come to it, and the others go on when they have, too. So the group
// is of no more use to this PE, and says so in each later call. All else goes on to work.
#pragma once

#include <syncline.h>

#include <string>
#include <vector>

#include "numpy_interface.h"
#include "waits.h"

namespace syncline_python {

class Group {
  public:
    static constexpr size_t scratch_bytes = 64 * 1024;

    // Collective among all PEs of the job: barrier number `number` for `ranks`, or for all if there are none.
    Group(int number, std::vector<int> ranks);
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    const std::vector<int>& ranks() const { return ranks_; }
    int number() const { return number_; }
    bool is_member() const { return handle_ != nullptr; }
    bool is_interrupted() const { return !interrupted_.empty(); }

    // A round without a value, for a call that all make together; `call` names it in messages.
    void meet(const char* call);
    int try_meet(const char* call);  // or its status
    // Quiet, then a round. A failure of an operation before is told behind the round, because the others count on it.
    void barrier();
    nb::object reduce(nb::handle value, const std::string& how);
    // A number of `root`, at all members.
    uint64_t broadcast(int root, uint64_t value);
    // Memory of each PE for collectives of arrays, as bytes.
    nb::object scratch() const;
    // Says that a collective of several rounds was left between two of them.
    void interrupt(const std::string& call) { interrupted_ = call; }

    // Closes the barrier, if this PE is a member and has not been interrupted. No call of Python.
    int close_handle();
    syncline_address_t scratch_address() const { return scratch_; }

  private:
    void expect_usable(const char* call) const;
    template <typename Start>
    int round(const char* call, Start&& start);
    template <typename Number>
    nb::object combine(syncline_combine how, Number number);
    int look();

    const int number_;
    std::vector<int> ranks_;
    syncline_barrier_t handle_ = nullptr;
    syncline_address_t scratch_ = 0;
    bool in_use_ = false;  // guarded by the GIL
    std::string interrupted_;
};

void bind_collectives(nb::module_& module);

}  // namespace syncline_python
