// SPDX-License-Identifier: BSD-3-Clause
#include "tools/launcher_words.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>

namespace syncline::tools {
namespace {

enum class Meaning {
    kPes,
    kVariable,
    kHosts,
    kNothing,
    kBinding,
    kMapping,
    kRanking,
    kReport,
    kParameter,
    kDirectory,
    kTag,
    kVersion,
    kRefused
};

// An option of Open MPI's launchers, in every spelling that they accept.
struct Foreign {
    std::vector<const char*> names;
    unsigned values;
    Meaning meaning;
    const char* why = "";  // it is refused
};

const std::vector<Foreign>& foreign_options() {
    static const std::vector<Foreign> all = {
        {{"-np", "--np", "-n", "--n", "-c", "--pes"}, 1, Meaning::kPes},
        {{"-x"}, 1, Meaning::kVariable},
        {{"--hostfile", "-hostfile", "--machinefile", "-machinefile", "-H", "--host", "-host"}, 1, Meaning::kHosts},
        {{"--oversubscribe", "-oversubscribe", "--allow-run-as-root", "-allow-run-as-root"}, 0, Meaning::kNothing},
        {{"--bind-to", "-bind-to"}, 1, Meaning::kBinding},
        {{"--map-by", "-map-by", "-m", "--distribution"}, 1, Meaning::kMapping},
        {{"--rank-by", "-rank-by"}, 1, Meaning::kRanking},
        {{"--report-bindings", "-report-bindings"}, 0, Meaning::kReport},
        {{"--mca", "-mca", "--gmca", "-gmca", "--omca", "--prtemca", "--pmixmca"}, 2, Meaning::kParameter},
        {{"--wdir", "-wdir", "--wd", "-wd"}, 1, Meaning::kDirectory},
        {{"--tag-output", "-tag-output"}, 0, Meaning::kTag},
        {{"--version", "-V"}, 0, Meaning::kVersion},
        {{"--npernode", "-npernode", "--ppn", "-ppn"},
         1,
         Meaning::kRefused,
         "give the number of nodes instead, -N, over which the PEs are spread evenly"},
        {{"--rankfile", "-rankfile", "-rf"}, 1, Meaning::kRefused, "give each PE's node instead, as in -m 0,1,0,2"},
        {{"--nooversubscribe", "-nooversubscribe", "--no-oversubscribe"},
         0,
         Meaning::kRefused,
         "PEs may always outnumber the CPUs"},
        {{"--timeout", "-timeout"}, 1, Meaning::kRefused, "put `timeout SECONDS` in front of the command"},
        {{"--output-filename", "-output-filename"}, 1, Meaning::kRefused, "-p puts the rank in front of each line"},
    };
    return all;
}

const Foreign* find_foreign(const std::string& name) {
    for (const Foreign& option : foreign_options()) {
        if (std::find(option.names.begin(), option.names.end(), name) != option.names.end()) {
            return &option;
        }
    }
    return nullptr;
}

bool has(const Words& words, const Words& any) {
    return std::find_first_of(words.begin(), words.end(), any.begin(), any.end()) != words.end();
}

bool is_number(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// Reads the options in front of a program.
class Reader {
  public:
    Reader(const CLI::App& run, const Words& words) : run_(run), words_(words) {}

    LauncherWords read() {
        while (at_ < words_.size() && words_[at_].starts_with('-') && words_[at_] != "--") {
            read_option();
        }
        at_ += at_ < words_.size() && words_[at_] == "--" ? 1 : 0;
        read_.program.assign(words_.begin() + static_cast<std::ptrdiff_t>(at_), words_.end());
        return std::move(read_);
    }

  private:
    // Splits -n2 and --option=value into two words each.
    void read_option() {
        const std::string& word = words_[at_++];
        const size_t letters = word.starts_with("-np") ? 3 : 2;
        if (!word.starts_with("--") && word[1] == 'n' && is_number(word.substr(std::min(letters, word.size())))) {
            take(word.substr(0, letters), {word.substr(letters)});
            return;
        }
        const size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        if (find_foreign(name) != nullptr && equals != std::string::npos) {
            take(name, {word.substr(equals + 1)});
        } else if (equals != std::string::npos || run_.get_option_no_throw(name) == nullptr) {
            take(word, {});
        } else {
            take(name, {});
        }
    }

    void take(const std::string& name, Words values) {
        if (const Foreign* const option = find_foreign(name); option != nullptr) {
            take_values(name, option->values, &values);
            take_foreign(*option, name, values);
            return;
        }
        take_own(name);
    }

    void take_values(const std::string& name, size_t count, Words* values) {
        if (values->size() > count) {
            refuse_words("{} takes no value", name);
        }
        while (values->size() < count) {
            if (at_ == words_.size()) {
                refuse_words("{} needs {}", name, count == 1 ? "a value" : "two values");
            }
            values->push_back(words_[at_++]);
        }
    }

    void take_own(const std::string& word) {
        const std::string name = word.substr(0, word.find('='));
        const CLI::Option* option = run_.get_option_no_throw(name);
        const bool joined = option == nullptr && !name.starts_with("--") && name.size() > 2;  // -tudp, -qp
        if (joined) {
            option = run_.get_option_no_throw(name.substr(0, 2));
        }
        if (option == nullptr) {
            refuse_words("there is no option {}; `{} --help` lists the options", name, "syncline run");
        }
        Words values;
        if (word == name && !joined && option->get_items_expected_max() != 0) {
            take_values(name, 1, &values);
        }
        const std::string value =
            !values.empty() ? values[0] : word.substr(joined ? 2 : std::min(word.size(), name.size() + 1));
        const char* const variable = variable_of(*option);
        Words& meant = variable != nullptr ? read_.variables : read_.local;
        meant.push_back(variable != nullptr ? variable + (option->get_items_expected_max() == 0 ? "no" : value) : name);
        read_.options.push_back(word);
        read_.options.insert(read_.options.end(), values.begin(), values.end());
    }

    // Returns the variable that has the meaning of the option, with "="; for a flag its value is "no".
    static const char* variable_of(const CLI::Option& option) {
        static constexpr std::pair<const char*, const char*> variables[] = {
            {"--transport", "SYNCLINE_TRANSPORT="},
            {"--heap", "SYNCLINE_HEAP_SIZE="},
            {"--window", "SYNCLINE_WINDOW="},
            {"--no-auth", "SYNCLINE_AUTHENTICATE="},
            {"--peer-timeout", "SYNCLINE_PEER_TIMEOUT="},
        };
        for (const auto& [name, variable] : variables) {
            if (option.check_name(name)) {
                return variable;
            }
        }
        return nullptr;
    }

    void take_foreign(const Foreign& option, const std::string& name, const Words& values) {
        Words& options = read_.options;
        Words& placement = read_.placement;
        switch (option.meaning) {
            case Meaning::kPes:
                if (!is_number(values[0])) {
                    refuse_words("{} needs a number of PEs, and '{}' is none", name, values[0]);
                }
                read_.pes = values[0];
                options.insert(options.end(), {"-n", values[0]});
                return;
            case Meaning::kVariable:
                options.insert(options.end(), {"--env", values[0]});
                read_.variables.push_back(values[0]);
                return;
            case Meaning::kHosts:
                read_.hosts = {name.find("file") != std::string::npos ? "--hostfile" : "--host", values[0]};
                return;
            case Meaning::kNothing:
                placement.push_back(name);
                return;
            case Meaning::kBinding:
                read_.bind_to = values[0];
                options.insert(options.end(), {"--bind-to", values[0]});
                return;
            case Meaning::kMapping:
                read_.map_by = values[0];
                options.insert(options.end(), {"--map-by", without_oversubscribe(values[0])});
                return;
            case Meaning::kReport:
                read_.reports_bindings = true;
                options.emplace_back("--report-bindings");
                return;
            case Meaning::kRanking:
                read_.remarks.push_back(fmt::format(
                    "{} {} changes nothing: --map-by lays the PEs out in the order of their ranks", name, values[0]));
                break;
            case Meaning::kParameter:
                options.insert(options.end(), {"--env", parameter_of(name, values)});
                break;
            case Meaning::kDirectory:
                options.insert(options.end(), {"--wdir", values[0]});
                break;
            case Meaning::kTag:
                options.emplace_back("-p");
                break;
            case Meaning::kVersion:
                read_.version = true;
                return;
            case Meaning::kRefused:
                refuse_words("there is no {} here: {}", name, option.why);
        }
        placement.push_back(name);
        placement.insert(placement.end(), values.begin(), values.end());
    }

    // PEs may always outnumber the CPUs. Open MPI's modifier that says so may stand alone.
    static std::string without_oversubscribe(const std::string& map_by) {
        const size_t colon = map_by.find(':');
        std::string modifier = map_by.substr(std::min(colon, map_by.size()));
        std::transform(modifier.begin(), modifier.end(), modifier.begin(),
                       [](unsigned char letter) { return std::tolower(letter); });
        if (modifier != ":oversubscribe") {
            return map_by;
        }
        return colon == 0 ? "slot" : map_by.substr(0, colon);
    }

    // Open MPI's libraries and PMIx read their parameters in the environment, too.
    static std::string parameter_of(const std::string& name, const Words& values) {
        const char* const prefix = name.ends_with("prtemca")   ? "PRTE_MCA_"
                                   : name.ends_with("pmixmca") ? "PMIX_MCA_"
                                                               : "OMPI_MCA_";
        return prefix + values[0] + "=" + values[1];
    }

    const CLI::App& run_;
    const Words& words_;
    size_t at_ = 0;
    LauncherWords read_;
};

}  // namespace

std::vector<Words> programs_of(const Words& words) {
    std::vector<Words> parts(1);
    for (const std::string& word : words) {
        if (word == ":") {
            parts.emplace_back();
        } else {
            parts.back().push_back(word);
        }
    }
    return parts;
}

bool ask_for_help(const Words& options) {
    return has(options, {"-h", "--help"});
}

LauncherWords read_launcher_words(const CLI::App& run, const Words& words) {
    return Reader(run, words).read();
}

Words words_for_run(const CLI::App& run, const Words& words) {
    const Words first(words.begin(), std::find(words.begin(), words.end(), ":"));
    LauncherWords read = read_launcher_words(run, first);
    if (!read.hosts.empty()) {
        refuse_words(
            "{} is for several machines, and this command starts a job on one: `oshrun {} {}` starts it there by "
            "mpirun or srun (docs/CLUSTER.md)",
            read.hosts[0], read.hosts[0], read.hosts[1]);
    }
    if (read.version) {
        refuse_words("there is no option --version of `syncline run`; `syncline --version` says it");
    }
    if (read.program.empty() && !ask_for_help(read.options)) {
        refuse_words("no program is named{}", words.size() == first.size() ? "" : " in front of ':'");
    }
    for (const std::string& remark : has(read.options, {"-q", "--quiet"}) ? Words() : read.remarks) {
        fmt::print(stderr, "syncline: {}\n", remark);
    }
    Words all = std::move(read.options);
    if (!read.program.empty()) {
        all.emplace_back("--");
        all.insert(all.end(), read.program.begin(), read.program.end());
    }
    all.insert(all.end(), words.begin() + static_cast<std::ptrdiff_t>(first.size()), words.end());
    return all;
}

}  // namespace syncline::tools
