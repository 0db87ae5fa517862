// SPDX-License-Identifier: BSD-3-Clause
// A process between the launcher and a PE, which ends everything that the PE has started.
//
// A PE may be a wrapper (`sh -c './program; true'`), and the kernel's PR_SET_PDEATHSIG reaches the wrapper alone. The
// keeper is a PR_SET_CHILD_SUBREAPER: processes that lose their parent become its children, whatever group or session
// they have moved to. So it finds them all by asking again and again for its children, with no privilege.
//
// It ends what it keeps when the program has ended, when end_signal comes, and when the launcher has died, which sends
// end_signal too. Then it ends itself as the program did. Every other signal it passes on to the program's group.
#pragma once

#include <sys/types.h>

#include <csignal>

namespace syncline {

constexpr int end_signal = SIGPWR;  // a standard signal, which cannot fail to be queued; terminals send none of these

// In a child of `launcher` that is to become a program: forks, and returns in the child of that, with the keeper's
// process id. The calling process is the keeper from then on, and never returns.
pid_t become_kept(pid_t launcher);

// To the keeper of a program, and through it to the program's group; SIGKILL ends everything that is kept.
void signal_kept(pid_t keeper, int signal);

}  // namespace syncline
