// SPDX-License-Identifier: BSD-3-Clause
// systemd, if it has started this daemon: the daemon tells it how far it is, and sends the log to its journal.
// Otherwise these functions do nothing.
#pragma once

#include <spdlog/fwd.h>

#include <memory>
#include <string>

namespace syncline {

// Sends a line as sd_notify(3) lists them, to the socket that NOTIFY_SOCKET names; also several lines, separated by
// '\n'. A manager that does not take it is no failure.
void notify_manager(const std::string& line);

// Returns whether standard error is the journal's, which systemd says in JOURNAL_STREAM.
bool logs_to_journal();

// Logs to standard error: for a journal each line begins with its priority, as sd-daemon(3) says.
std::shared_ptr<spdlog::logger> make_logger();

}  // namespace syncline
