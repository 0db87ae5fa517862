// SPDX-License-Identifier: BSD-3-Clause
// systemd, where it has started this daemon: it hears how far the daemon is, and its journal takes the log. Elsewhere
// these do nothing.
#pragma once

#include <spdlog/fwd.h>

#include <memory>
#include <string>

namespace syncline {

// A line as sd_notify(3) lists them, to the socket that NOTIFY_SOCKET names; also several, separated by '\n'. A manager
// that does not take it is no failure.
void notify_manager(const std::string& line);

// Standard error is the journal's: systemd says so in JOURNAL_STREAM.
bool logs_to_journal();

// To standard error: for a journal each line begins with its priority, as sd-daemon(3) says.
std::shared_ptr<spdlog::logger> make_logger();

}  // namespace syncline
