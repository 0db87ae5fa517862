// SPDX-License-Identifier: BSD-3-Clause
// The functions of PMIx's library that a process of a launcher uses. The library is loaded when it is needed.
#pragma once

#include <pmix.h>

#include <string>

namespace syncline {

struct PmixFunctions {
    decltype(&PMIx_Init) init;
    decltype(&PMIx_Finalize) finalize;
    decltype(&PMIx_Put) put;
    decltype(&PMIx_Commit) commit;
    decltype(&PMIx_Fence_nb) fence;
    decltype(&PMIx_Get) get;
    decltype(&PMIx_Get_nb) ask;
    decltype(&PMIx_Query_info_nb) query;
    decltype(&PMIx_Abort) abort;
    decltype(&PMIx_Error_string) error_string;
    decltype(&PMIx_Get_version) version;
};

// Throws Failure if there is no library, or if it lacks these functions.
PmixFunctions load_pmix();

// Returns the version without the parenthesis, from "OpenPMIx 4.2.2 (PMIx Standard: 4.2, ...".
std::string version_of(const PmixFunctions& library);

}  // namespace syncline
