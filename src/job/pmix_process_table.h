// SPDX-License-Identifier: BSD-3-Clause
// The state of all processes of a launch, as the PMIx server knows it. Servers of Open MPI and PRRTE do; Slurm's
// answers with an error, or never.
#pragma once

#include <pmix.h>

#include <memory>
#include <optional>

#include "job/launcher.h"

namespace syncline {

class PmixProcessTable {
  public:
    PmixProcessTable(decltype(&PMIx_Query_info_nb) query, const pmix_proc_t& self) : query_(query), self_(self) {}

    // A process that had ended when the server last answered. Asks anew unless an answer is still to come.
    std::optional<Launcher::Ended> ended();

  private:
    struct Question;
    static void on_answer(pmix_status_t status, pmix_info_t* answers, size_t count, void* context,
                          pmix_release_cbfunc_t release, void* release_context);

    const decltype(&PMIx_Query_info_nb) query_;
    const pmix_proc_t self_;
    std::shared_ptr<Question> question_;
};

}  // namespace syncline
