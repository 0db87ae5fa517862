// SPDX-License-Identifier: BSD-3-Clause
// Method: `refusals <family>` makes every call of a family in a child, a job of one process. The call must end it
// within seconds, by an exit code that is not 0, after one error message that names the call and the argument, or the
// rule.
#include "refusals.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <regex>

namespace armci_test {

Memory memory;

namespace {

constexpr unsigned seconds = 10;

void prepare() {
    void* at = nullptr;
    ARMCI_Init();
    ARMCI_Malloc(&at, block_bytes);
    memory.block = static_cast<char*>(at);
    // So far from the block that a range may end between them.
    ARMCI_Malloc(&at, 1 << 20);
    memory.freed = static_cast<char*>(at);
    ARMCI_Free(at);
}

[[noreturn]] void make(const Refusal& refusal, int output) {
    ::dup2(output, STDERR_FILENO);
    ::alarm(seconds);
    if (refusal.joins) {
        prepare();
    }
    refusal.make();
    ::_exit(0);
}

bool is_refused(const Refusal& refusal) {
    std::FILE* const file = std::tmpfile();
    const pid_t child = ::fork();
    if (child == 0) {
        make(refusal, ::fileno(file));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    std::string said(4000, '\0');
    const ssize_t length = ::pread(::fileno(file), said.data(), said.size(), 0);
    said.resize(length > 0 ? static_cast<size_t>(length) : 0);
    std::fclose(file);
    const std::regex sentence(
        fmt::format("(process 0|ARMCI): {}: (.*[^a-z_])?({})([^a-z_].*)?\n", refusal.call, refusal.says));
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0 && std::regex_match(said, sentence)) {
        return true;
    }
    fmt::print("{}: {} {}; expected a sentence with '{}', it said '{}'\n", refusal.call,
               WIFEXITED(status) ? "exit code" : "signal", WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
               refusal.says, said);
    return false;
}

}  // namespace
}  // namespace armci_test

int main(int argc, char** argv) {
    using namespace armci_test;
    const std::map<std::string, std::vector<Refusal> (*)()> families = {
        {"transfers", refusals_of_transfers}, {"layouts", refusals_of_layouts},
        {"memory", refusals_of_memory},       {"synchronisation", refusals_of_synchronisation},
        {"groups", refusals_of_groups},       {"messages", refusals_of_messages},
        {"order", refusals_of_order}};
    const auto family = families.find(argc > 1 ? argv[1] : "");
    if (family == families.end()) {
        fmt::print(stderr,
                   "usage: refusals transfers | layouts | memory | synchronisation | groups | messages | order\n");
        return 2;
    }
    size_t refused = 0;
    const std::vector<Refusal> all = family->second();
    for (const Refusal& one : all) {
        std::fflush(stdout);
        refused += is_refused(one) ? 1 : 0;
    }
    fmt::print("{} of {} calls are refused\n", refused, all.size());
    return refused == all.size() ? 0 : 1;
}
