// SPDX-License-Identifier: BSD-3-Clause
#include "suite.h"

#include "case_list.h"

#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace suite {
namespace {

const char* current = "";
timespec began;
char overdue[200];  // the watchdog's sentence, made before it is needed: a handler cannot format one

unsigned limit() {
    const char* const given = std::getenv("SYNCLINE_CASE_SECONDS");
    const int seconds = given != nullptr ? std::atoi(given) : 0;
    return seconds > 0 ? static_cast<unsigned>(seconds) : case_seconds;
}

// The other PEs' watchdogs speak within the second, too; then the launcher ends the job.
void bark(int) {
    if (::write(STDERR_FILENO, overdue, std::strlen(overdue)) >= 0) {
        ::sleep(1);
    }
    ::_exit(124);
}

long elapsed_ms() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - began.tv_sec) * 1000 + (now.tv_nsec - began.tv_nsec) / 1'000'000;
}

[[noreturn]] void list(std::span<const Case> cases) {
    for (const Case& one : cases) {
        std::printf("%s\n", one.name);
    }
    std::exit(0);
}

}  // namespace

std::vector<const Case*> chosen_cases(std::span<const Case> cases, int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
        list(cases);
    }
    std::vector<const Case*> chosen;
    for (int i = 1; i < argc; i++) {
        const auto has_name = [&](const Case& one) { return std::strcmp(one.name, argv[i]) == 0; };
        const auto found = std::find_if(cases.begin(), cases.end(), has_name);
        if (found == cases.end()) {
            std::fprintf(stderr, "%s: there is no case '%s'; --list names them\n", argv[0], argv[i]);
            std::exit(2);
        }
        chosen.push_back(&*found);
    }
    return chosen;
}

int rank() {
    const char* const given = std::getenv("SYNCLINE_RANK");
    return given != nullptr ? std::atoi(given) : 0;
}

void begin(const char* name) {
    current = name;
    clock_gettime(CLOCK_MONOTONIC, &began);
    if (rank() == 0) {
        std::printf("case %s\n", name);
        std::fflush(stdout);
    }
    std::snprintf(overdue, sizeof(overdue), "PE %d: %s has not ended after %u s\n", rank(), name, limit());
    std::signal(SIGALRM, bark);
    ::alarm(limit());
}

void end() {
    ::alarm(0);
    std::printf("PE %d: %s ok in %ld ms\n", rank(), current, elapsed_ms());
    std::fflush(stdout);
}

}  // namespace suite
