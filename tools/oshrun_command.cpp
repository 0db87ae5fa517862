// SPDX-License-Identifier: BSD-3-Clause
#include "tools/oshrun_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>

#include "base/version.h"

namespace syncline::tools {
namespace {

constexpr const char* usage =
    R"(usage: oshrun [<option>...] <program> [<argument>...] [: [<option>...] <program> [<argument>...]]...

  -n, -np <PEs>         number of PEs (default 1)
  -N, --nodes <nodes>   nodes they are spread over (default 1)
  -m, --map-by, --distribution <layout>
                        of the PEs over the nodes: block, slot or core (those of a node have consecutive ranks), cyclic or
                        node (in turn), or each PE's node, as in 0,1,0,2
  --bind-to <what>      core: each PE has a core of its own; socket; none. Without it, core if each PE and each agent gets
                        a core that no other job has, else none (syncline info --placement <PEs> <nodes>)
  --report-bindings     says on which CPUs each PE runs
  -t, --transport <t>   between nodes: shm, udp, xdp or auto
  -x <NAME>[=<value>]   sets a variable of the environment (it is passed on in any case)
  --wdir <folder>       the folder in which the program starts
  --version             prints the version of Syncline
  --hostfile <file>, -H <hosts>, --host <hosts>
                        on these machines, as mpirun takes them: each has a synclined that serves users (docs/CLUSTER.md).
                        Only the options -n, -t, -x, --heap, --window, --no-auth, --peer-timeout, --map-by, --bind-to,
                        --report-bindings and those of the next two lines hold then; the launcher there binds the PEs
  --oversubscribe, --allow-run-as-root   on one machine change nothing: both are always allowed
  --mca <name> <value>   a parameter of Open MPI, for programs that use MPI beside

A word that is only a colon begins the next program of the same job, with a number of PEs and variables of its own. The
other options in front of the first one hold for all.

SHMEM_SYMMETRIC_SIZE, as in 64M, is what the symmetric heap begins with where there is no --heap; it grows. A PE that
crashes ends the job.
`syncline run --help` has the rest.
)";

// Executes the program in place of this process; returns only if there is no such program.
void become(const Words& words) {
    std::vector<char*> argv;
    for (const std::string& word : words) {
        argv.push_back(const_cast<char*>(word.c_str()));
    }
    argv.push_back(nullptr);
    ::execvp(argv[0], argv.data());
    if (errno != ENOENT) {
        refuse_words("cannot start {}: {}", words[0], std::strerror(errno));
    }
}

// Returns the names of machines in a hostfile or in --host, without their numbers of slots.
Words machines_of(const Words& hosts) {
    std::ifstream file(hosts[0] == "--hostfile" ? hosts[1] : "/dev/null");
    std::string text = hosts[0] == "--hostfile" ? "" : hosts[1];
    std::replace(text.begin(), text.end(), ',', '\n');
    std::stringstream lines;
    lines << text << "\n" << file.rdbuf();
    lines.clear();  // an empty file counts as a failure
    Words names;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line.substr(0, line.find('#')));
        if (std::string name; words >> name) {
            names.push_back(name.substr(0, name.find(':')));
        }
    }
    return names;
}

// Returns the variables that a launcher of several machines must pass on: those of the command line, and all that the
// library reads.
std::set<std::string> names_to_pass(const Words& variables) {
    std::set<std::string> names;
    for (const std::string& variable : variables) {
        names.insert(variable.substr(0, variable.find('=')));
    }
    for (char** entry = environ; *entry != nullptr; entry++) {
        const std::string name = std::string(*entry).substr(0, std::strcspn(*entry, "="));
        if (name.starts_with("SHMEM_") || name.starts_with("SMA_") || name.starts_with("SYNCLINE_")) {
            names.insert(name);
        }
    }
    return names;
}

void append(Words* words, const Words& more) {
    words->insert(words->end(), more.begin(), more.end());
}

void export_variables(const Words& variables) {
    for (const std::string& variable : variables) {
        if (const size_t equals = variable.find('='); equals != std::string::npos) {
            ::setenv(variable.substr(0, equals).c_str(), variable.c_str() + equals + 1, 1);
        }
    }
}

bool is_cyclic(const std::string& map_by) {
    return map_by == "cyclic" || map_by == "node";
}

// A layout of ours that mpirun and srun have, too; theirs go to them as they are.
void check_layout(const LauncherWords& part) {
    if (!part.map_by.empty() && std::isdigit(static_cast<unsigned char>(part.map_by[0])) != 0) {
        refuse_words("--map-by {} gives nodes of one machine; leave it out, or --hostfile and --host", part.map_by);
    }
}

Words layout_of_mpirun(const LauncherWords& part) {
    Words words;
    if (!part.map_by.empty()) {
        append(&words, {"--map-by", is_cyclic(part.map_by) ? "node" : part.map_by == "block" ? "slot" : part.map_by});
    }
    if (!part.bind_to.empty()) {
        append(&words, {"--bind-to", part.bind_to});
    }
    if (part.reports_bindings) {
        append(&words, {"--report-bindings"});
    }
    return words;
}

Words layout_of_srun(const LauncherWords& part) {
    Words words;
    if (!part.map_by.empty()) {
        append(&words, {"-m", is_cyclic(part.map_by) ? "cyclic" : "block"});
    }
    Words binding;
    if (part.reports_bindings) {
        binding.emplace_back("verbose");
    }
    if (!part.bind_to.empty()) {
        binding.push_back(part.bind_to == "none" ? "none" : part.bind_to + "s");
    }
    if (!binding.empty()) {
        append(&words, {fmt::format("--cpu-bind={}", fmt::join(binding, ","))});
    }
    return words;
}

// As mpirun takes the programs.
Words words_of_mpirun(const std::vector<LauncherWords>& parts) {
    Words words;
    for (size_t i = 0; i < parts.size(); i++) {
        append(&words, i == 0 ? Words() : Words{":"});
        append(&words, {"-np", parts[i].pes});
        append(&words, parts[i].hosts);
        append(&words, parts[i].placement);
        append(&words, layout_of_mpirun(parts[i]));
        for (const std::string& name : i == 0 ? names_to_pass(parts[0].variables) : std::set<std::string>()) {
            append(&words, {"-x", name});
        }
        for (const std::string& variable : i == 0 ? Words() : parts[i].variables) {
            append(&words, {"-x", variable});
        }
        append(&words, parts[i].program);
    }
    return words;
}

[[noreturn]] void start_on_machines(const std::vector<LauncherWords>& parts) {
    const LauncherWords& first = parts[0];
    if (first.hosts[0] == "--hostfile" && ::access(first.hosts[1].c_str(), R_OK) != 0) {
        refuse_words("the hostfile '{}' cannot be read", first.hosts[1]);
    }
    for (const LauncherWords& part : parts) {
        if (!part.local.empty()) {
            refuse_words("{} is for one machine; leave it out, or --hostfile and --host", part.local[0]);
        }
        check_layout(part);
    }
    export_variables(first.variables);
    if (std::getenv("SLURM_JOB_ID") != nullptr && parts.size() == 1) {
        Words words = {"srun", "--mpi=pmix", "-K",
                       "-n",   first.pes,    fmt::format("--nodelist={}", fmt::join(machines_of(first.hosts), ","))};
        append(&words, layout_of_srun(first));
        append(&words, {"--"});
        append(&words, first.program);
        become(words);
    }
    for (const char* const launcher : {"mpirun", "prterun"}) {
        Words words = {launcher};
        append(&words, words_of_mpirun(parts));
        become(words);
    }
    refuse_words("several machines need Slurm's srun inside an allocation, or mpirun or prterun (Debian: openmpi-bin)");
}

}  // namespace

std::optional<Words> words_of_oshrun(const CLI::App& run, const Words& words) {
    std::vector<LauncherWords> parts;
    for (const Words& part : programs_of(words)) {
        parts.push_back(read_launcher_words(run, part));
    }
    const LauncherWords& first = parts[0];
    if (ask_for_help(first.options)) {
        fmt::print("{}", usage);
        return std::nullopt;
    }
    if (first.version) {
        fmt::print("syncline {}\n", version());
        return std::nullopt;
    }
    for (const LauncherWords& part : parts) {
        if (part.program.empty()) {
            refuse_words("no program is named{}", parts.size() == 1 ? "; `oshrun --help` shows how"
                                                  : &part == &first ? " in front of ':'"
                                                                    : " behind ':'");
        }
    }
    if (!first.hosts.empty()) {
        start_on_machines(parts);
    }
    Words all = {"--end-on-crash"};
    append(&all, words);
    return all;
}

}  // namespace syncline::tools
