// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report/machine.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <ctime>
#include <fstream>

namespace syncline::bench {
namespace {

std::string cpu_model() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const size_t colon = line.find(':');
        if (line.starts_with("model name") && colon != std::string::npos) {
            return line.substr(line.find_first_not_of(' ', colon + 1));
        }
    }
    utsname name;
    return ::uname(&name) == 0 ? name.machine : "unknown";
}

std::string kernel() {
    utsname name;
    return ::uname(&name) == 0 ? fmt::format("{} {}", name.sysname, name.release) : "unknown";
}

std::string date() {
    const std::time_t now = std::time(nullptr);
    std::tm parts;
    char text[32];
    std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", ::gmtime_r(&now, &parts));
    return text;
}

}  // namespace

Machine describe_machine() {
#if defined(__clang__)
    const char* const compiler = "clang " __clang_version__;
#else
    const char* const compiler = "gcc " __VERSION__;
#endif
    return {cpu_model(), static_cast<unsigned>(::sysconf(_SC_NPROCESSORS_ONLN)), kernel(), compiler, date()};
}

std::string Machine::line() const {
    return fmt::format("{}, {} cores, {}, {}, {}", cpu, cores, kernel, compiler, date);
}

}  // namespace syncline::bench
