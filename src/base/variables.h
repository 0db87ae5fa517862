// SPDX-License-Identifier: BSD-3-Clause
// The one table of the environment variables that this project reads: meaning, default, and how a value is read. The
// readers below check values by it; `syncline info --settings`, the manual pages, SHMEM_INFO and the warnings about
// variables that nothing reads are made of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace syncline {

enum class VariableGroup {
    kJob,       // jobs of any interface
    kShmem,     // OpenSHMEM's
    kDsm,       // shared memory between nodes
    kInternal,  // not for users: the launcher sets them for its PEs, or this project's tests and scripts do
};

enum class VariableForm { kText, kFlag, kWord, kNumber, kSize };

struct Variable {
    const char* name;
    VariableGroup group = VariableGroup::kInternal;
    const char* preset = "";   // the value that holds where it is not set, or words in parentheses
    const char* meaning = "";  // one line
    VariableForm form = VariableForm::kText;
    const char* needs = "";       // of a number: the words of the error message
    const char* words = "";       // that are values, with blanks between them
    uint64_t least = 0;           // of a number or a size
    uint64_t most = UINT64_MAX;   // of a number
    const char* option = "";      // of `syncline run`, which counts before the variable
    const char* deprecated = "";  // its other name, which counts where the first one is not set

    bool is_for_users() const { return group != VariableGroup::kInternal; }
};

std::span<const Variable> variables();
// The one with this name, which the table has.
const Variable& variable_named(const char* name);

// A variable that is set, under one of its names.
struct SetVariable {
    const char* name;
    const char* value;
};
std::optional<SetVariable> find_set(const Variable& variable);
// The error message for a value that makes no sense; "" for others.
std::string mistake_in(const Variable& variable, const SetVariable& set);

// The values of variables that are set, and nothing of others. They throw Failure, which names the variable, for a
// value that makes no sense.
std::optional<std::string> text_in(const char* name);
std::optional<uint64_t> number_in(const char* name);
std::optional<uint64_t> size_in(const char* name);

// A warning for each variable of this environment (as `environ`) whose name begins with SYNCLINE_ and that nothing
// reads: which one may be meant, if one has a name much like it.
std::vector<std::string> unread_variables(const char* const* environment);

// Prints them. Once for a job: the launcher calls this, or PE 0 where it is not ours.
void warn_of_unread_variables();

}  // namespace syncline
