// SPDX-License-Identifier: BSD-3-Clause
// The one table of the environment variables whose names begin with SYNCLINE_. A name that is not in it is a mistake of
// its writer, which otherwise passes without a word.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace syncline {

struct KnownVariable {
    const char* name;
    bool documented;  // for users; the others are of the launcher, or of this project's tests
};

std::span<const KnownVariable> known_variables();

// A warning for each variable of this environment (as `environ`) that nothing reads: which one may be meant, if one has
// a name much like it.
std::vector<std::string> unread_variables(const char* const* environment);

// Prints them. Once for a job: the launcher calls this, or PE 0 where it is not ours.
void warn_of_unread_variables();

}  // namespace syncline
