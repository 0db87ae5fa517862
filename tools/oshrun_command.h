// SPDX-License-Identifier: BSD-3-Clause
// `oshrun`: starts the PEs of an OpenSHMEM program under the names and rules that its users know: on this machine by
// `syncline run`; on several by what is there to start processes, srun inside an allocation of Slurm, mpirun or prterun
// elsewhere.
#pragma once

#include <optional>

#include "tools/launcher_words.h"

namespace syncline::tools {

// The words behind `oshrun`: prints what they ask for and returns nothing, becomes another launcher, or returns the
// words behind `syncline run`. Throws UsageError.
std::optional<Words> words_of_oshrun(const CLI::App& run, const Words& words);

}  // namespace syncline::tools
