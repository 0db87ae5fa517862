// SPDX-License-Identifier: BSD-3-Clause
// The processes of a launch on this machine. A launcher that speaks PMIx or PMI-2 reports nothing about a process that
// ends before it has called the launcher. So this class looks for processes in /proc, by entries of their environment.
//
// A rank is known to have no process only if nothing else explains why none is found. This process must see the process
// that started them all, which is its nearest ancestor outside the launch; otherwise it is in a container of its own,
// and cannot see the others. And no descendant of that ancestor may hide its environment, as a process does that has
// become another user, or that has overwritten its environment by a title.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "job/launchers/launcher.h"

namespace syncline {

class Siblings {
  public:
    Siblings(Launcher::Marks marks, std::vector<uint32_t> ranks) : marks_(std::move(marks)), ranks_(std::move(ranks)) {}

    // Returns those of the ranks that have no process here now. A process that has not been started yet has none
    // either.
    std::vector<uint32_t> absent() const;

  private:
    // The kind of an entry of /proc, by its environment.
    enum class Kind { kRank, kOther, kHidden, kGone };
    Kind look_at(int pid, uint32_t* rank) const;
    int starter() const;

    const Launcher::Marks marks_;
    const std::vector<uint32_t> ranks_;
};

}  // namespace syncline
