// SPDX-License-Identifier: BSD-3-Clause
// The state of all processes of a launch, as the PMIx server knows it. Servers of Open MPI and PRRTE know it; Slurm's
// answers with an error, or never.
#pragma once

#include <pmix.h>

#include <memory>
#include <optional>

#include <cstdint>
#include <utility>
#include <vector>

#include "job/launchers/launcher.h"

namespace syncline {

class PmixProcessTable {
  public:
    // The table reports `members`, by PMIx's ranks; empty: all processes.
    PmixProcessTable(decltype(&PMIx_Query_info_nb) query, const pmix_proc_t& self, std::vector<uint32_t> members)
        : query_(query), self_(self), members_(std::move(members)) {}

    // Returns a process that had ended when the server last answered. Asks anew unless an answer is still to come.
    std::optional<Launcher::Ended> ended();

  private:
    struct Question;
    static void on_answer(pmix_status_t status, pmix_info_t* answers, size_t count, void* context,
                          pmix_release_cbfunc_t release, void* release_context);

    const decltype(&PMIx_Query_info_nb) query_;
    const pmix_proc_t self_;
    const std::vector<uint32_t> members_;
    std::shared_ptr<Question> question_;
};

}  // namespace syncline
