// SPDX-License-Identifier: BSD-3-Clause
// The command lines of `syncline run` and `oshrun`, with the options that users of Open MPI's launchers write.
//
// Such an option becomes one of `syncline run`, is passed on to mpirun by `oshrun --hostfile`, or the sentence says why
// it cannot be had. A word that is only a colon begins the next program of the job (MPMD), as with mpirun.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace syncline::tools {

// A mistake in a command line: one sentence, and status 2.
class UsageError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

template <typename... Args>
[[noreturn]] void refuse_words(fmt::format_string<Args...> format, Args&&... args) {
    throw UsageError(fmt::format(format, std::forward<Args>(args)...));
}

using Words = std::vector<std::string>;

// One program of the line.
struct LauncherWords {
    Words options;    // of `syncline run`; other names are replaced by these
    Words program;    // with its arguments
    Words hosts;      // --hostfile FILE or --host NAMES; where there are machines, `oshrun` calls mpirun or srun
    Words placement;  // the options that mpirun gets then
    Words variables;  // NAME=value or NAME, of -x, and of options that have a variable of the same meaning
    Words local;      // options that are of one machine only
    Words remarks;    // on options that change nothing
    std::string pes = "1";
    bool version = false;
};

// The parts of a line between its colons: at least one.
std::vector<Words> programs_of(const Words& words);

// Reads the words of one program; `run` knows the options of `syncline run`. Throws UsageError.
LauncherWords read_launcher_words(const CLI::App& run, const Words& words);

// The words behind `syncline run` as the parser of that command takes them; says on standard error what changes
// nothing. Throws UsageError.
Words words_for_run(const CLI::App& run, const Words& words);

// Whether these options ask for --help.
bool ask_for_help(const Words& options);

}  // namespace syncline::tools
