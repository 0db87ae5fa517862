// SPDX-License-Identifier: BSD-3-Clause
// `oshrun` starts the PEs of an OpenSHMEM program, with the options and rules that OpenSHMEM's users know. On this
// machine it does so by `syncline run`; on several machines by the launcher that is there: srun inside a Slurm
// allocation, mpirun or prterun elsewhere.
#pragma once

#include <optional>

#include "tools/launcher_words.h"

namespace syncline::tools {

// Handles the words after `oshrun`: prints what they ask for and returns nothing, or executes another launcher in place
// of this process, or returns the words for `syncline run`. Throws UsageError.
std::optional<Words> words_of_oshrun(const CLI::App& run, const Words& words);

}  // namespace syncline::tools
