// SPDX-License-Identifier: BSD-3-Clause
#include "base/process_state.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>

#include "base/leading_number.h"
#include "base/read_whole.h"

namespace syncline {

// Reads PID (NAME) STATE PPID; the name may hold any characters.
ProcessState process_state(pid_t process) {
    const std::string text = read_whole(fmt::format("/proc/{}/stat", process)).value_or("");
    const size_t name_end = text.rfind(") ");
    ProcessState state;
    if (name_end != std::string::npos && text.size() > name_end + 4) {
        state.letter = text[name_end + 2];
        state.parent = static_cast<pid_t>(leading_number(text.c_str() + name_end + 4));
    }
    return state;
}

bool proc_is_ours() {
    char number[16] = {};
    return ::readlink("/proc/self", number, sizeof(number) - 1) > 0 && leading_number(number) == ::getpid();
}

// kill() works without /proc, but does not recognise a zombie.
bool process_has_ended(pid_t process) {
    if (::kill(process, 0) != 0 && errno == ESRCH) {
        return true;
    }
    const char state = process_state(process).letter;
    return state == 'Z' || state == 'X';
}

}  // namespace syncline
