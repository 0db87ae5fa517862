// SPDX-License-Identifier: BSD-3-Clause
// The command lines of `syncline run` and `oshrun`, with the options that users of Open MPI's launchers write.
//
// Such an option becomes an option of `syncline run`, or `oshrun --hostfile` passes it on to mpirun, or an error
// message says why it is not available. A word that is only a colon begins the next program of the job (MPMD), as with
// mpirun.
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

// A mistake in a command line: the command prints one error message and exits with status 2.
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
    Words options;       // of `syncline run`; other names are replaced by these
    Words program;       // with its arguments
    Words hosts;         // --hostfile FILE or --host NAMES; where there are machines, `oshrun` calls mpirun or srun
    Words placement;     // the options that mpirun gets then
    Words variables;     // NAME=value or NAME, of -x, and of options that have a variable of the same meaning
    Words local;         // options that are of one machine only
    Words remarks;       // on options that change nothing
    std::string map_by;  // the values of these options, or ""
    std::string bind_to;
    bool reports_bindings = false;
    std::string pes = "1";
    bool version = false;
};

// Returns the parts of a command line between its colons: at least one.
std::vector<Words> programs_of(const Words& words);

// Reads the words of one program; `run` knows the options of `syncline run`. Throws UsageError.
LauncherWords read_launcher_words(const CLI::App& run, const Words& words);

// Returns the words after `syncline run` in the form that this command's parser takes, and says on standard error which
// options change nothing. Throws UsageError.
Words words_for_run(const CLI::App& run, const Words& words);

// Returns whether these options ask for --help.
bool ask_for_help(const Words& options);

}  // namespace syncline::tools
