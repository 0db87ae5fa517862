// SPDX-License-Identifier: BSD-3-Clause
// The processes of a launch on this machine. A launcher that speaks PMIx or PMI-2 says nothing of a process that ends
// before it has called it, so this looks for them in /proc, by entries of their environment.
//
// To have no process is known only of a rank where nothing else explains why none is found. This process must see the
// one that started them all, which is its nearest ancestor that is not of the launch: else it is in a container of its
// own, and knows nothing of the others. And no descendant of that one may hide its environment, as one that has become
// another user does, or one that has overwritten it by a title.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "job/launcher.h"

namespace syncline {

class Siblings {
  public:
    Siblings(Launcher::Marks marks, std::vector<uint32_t> ranks) : marks_(std::move(marks)), ranks_(std::move(ranks)) {}

    // Those of the ranks that have no process here now. A process that was not started yet has none either.
    std::vector<uint32_t> absent() const;

  private:
    // An entry of /proc, by what its environment says.
    enum class Kind { kRank, kOther, kHidden, kGone };
    Kind look_at(int pid, uint32_t* rank) const;
    int starter() const;

    const Launcher::Marks marks_;
    const std::vector<uint32_t> ranks_;
};

}  // namespace syncline
