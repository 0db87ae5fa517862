// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <cstring>

#include "job.h"
#include "treadmarks.h"

namespace syncline::ports {
namespace {

// The letters with a value, and the letters without, as TreadMarks 1.0 has them.
constexpr const char* with_value = "fhimnPpX";
constexpr const char* without_value = "dIrsStvx";

void note(TreadMarksOptions& options, char letter) {
    if (letter == 's') {
        options.statistics = 1;
    } else if (letter == 'S') {
        options.statistics = 2;
    }
}

void note_value(TreadMarksOptions& options, char letter, const char* value) {
    if (letter == 'n') {
        options.processes = std::strtol(value, nullptr, 10);
    } else if (letter == 'P') {
        options.pages = std::strtoul(value, nullptr, 10);
    }
}

// Reads one argument, which may hold several letters. Returns how many arguments it has used.
int read_argument(TreadMarksOptions& options, const char* argument, const char* next) {
    if (argument[0] != '-' || argument[1] == '\0') {
        end_job("Tmk_startup: '%s' is no option of TreadMarks", argument);
    }
    for (const char* letter = argument + 1; *letter != '\0'; letter++) {
        if (std::strchr(without_value, *letter) != nullptr) {
            note(options, *letter);
            continue;
        }
        if (std::strchr(with_value, *letter) == nullptr) {
            end_job("Tmk_startup: TreadMarks has no option -%c ('%s')", *letter, argument);
        }
        const char* const value = letter[1] != '\0' ? letter + 1 : next;
        if (value == nullptr) {
            end_job("Tmk_startup: the option -%c needs a value", *letter);
        }
        note_value(options, *letter, value);
        return letter[1] != '\0' ? 1 : 2;
    }
    return 1;
}

}  // namespace

TreadMarksOptions read_treadmarks_options(int argc, char* const* argv) {
    TreadMarksOptions options;
    int at = 1;
    while (at < argc && std::strcmp(argv[at], "--") != 0) {
        at++;
    }
    for (at++; at < argc;) {
        at += read_argument(options, argv[at], at + 1 < argc ? argv[at + 1] : nullptr);
    }
    return options;
}

}  // namespace syncline::ports
