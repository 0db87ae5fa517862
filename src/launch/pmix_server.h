// SPDX-License-Identifier: BSD-3-Clause
// The process that is a PMIx server for the PEs of a job (pmix_service.h). It has its own process for the threads that
// the library starts, for the user that it serves, and for what the library leaves behind.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace syncline {

struct PmixJob {
    std::string name;    // of the PEs' namespace in PMIx's sense
    std::string server;  // of the server's
    std::string machine;
    uint32_t ranks = 0;
    std::vector<uint32_t> programs = {0};  // the first rank of each
    std::optional<uid_t> user;             // nothing: the launcher's
};

// A packet from the server to the launcher.
struct PmixReport {
    enum Event : uint32_t {
        kBegun,     // the PE has a connection: it is in MPI_Init
        kFinished,  // the PE is in MPI_Finalize
        kLost,      // its connection is gone before that
        kAborted,   // it asks for the end of the job, with `code`
        kFailed,    // there is no server, and `text` says why
    };
    Event event;
    uint32_t rank;
    int32_t code;
    char text[500];
};

// In a child of the launcher. Serves the connections that come to `listeners` until `launcher` hangs up and they have
// ended; then nothing of it is left.
[[noreturn]] void be_pmix_server(const PmixJob& job, UniqueFd launcher, const std::vector<int>& listeners);

}  // namespace syncline
