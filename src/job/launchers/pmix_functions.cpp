// SPDX-License-Identifier: BSD-3-Clause
#include "job/launchers/pmix_functions.h"

#include "base/loaded_library.h"
#include "job/launchers/pmix_launcher.h"

namespace syncline {
namespace {

LoadedLibrary pmix_library() {
    return {"libpmix.so.2", RTLD_GLOBAL, "PMIx", "libpmix2"};
}

}  // namespace

PmixFunctions load_pmix() {
    const LoadedLibrary library = pmix_library();
    library.check();
    PmixFunctions found = {};
    library.find("PMIx_Init", &found.init);
    library.find("PMIx_Finalize", &found.finalize);
    library.find("PMIx_Put", &found.put);
    library.find("PMIx_Commit", &found.commit);
    library.find("PMIx_Fence_nb", &found.fence);
    library.find("PMIx_Get", &found.get);
    library.find("PMIx_Get_nb", &found.ask);
    library.find("PMIx_Query_info_nb", &found.query);
    library.find("PMIx_Abort", &found.abort);
    library.find("PMIx_Error_string", &found.error_string);
    library.find("PMIx_Get_version", &found.version);
    return found;
}

std::string version_of(const PmixFunctions& library) {
    const std::string all = library.version();
    return all.substr(0, all.find(" ("));
}

std::string why_no_pmix_library() {
    return pmix_library().why_not();
}

}  // namespace syncline
