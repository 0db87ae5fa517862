// SPDX-License-Identifier: BSD-3-Clause
// The PMIx library as a server: its functions, and one job of which it knows everything that MPI asks.
#pragma once

#include <pmix.h>
#include <pmix_server.h>

#include <cstdint>
#include <string>
#include <vector>

#include "launch/pmix_facts.h"
#include "launch/pmix_server.h"

namespace syncline {

class PmixLibrary {
  public:
    // Loads the library and has it listen, with its files in `directory`. `module` has the functions that it calls, in
    // threads of its own. Throws Failure.
    PmixLibrary(const PmixJob& job, const std::string& directory, const pmix_server_module_t& module);

    // The processes of the job may connect from now on. `directories`: one for all of them, then one for each. Throws.
    void add_job(const PmixJob& job, const std::vector<std::string>& directories);
    // `handler` hears of connections that end too early. Throws.
    void watch(pmix_notification_fn_t handler);
    // The TCP port of 127.0.0.1 where it listens. Throws.
    uint16_t port(const PmixJob& job);
    // The library removes files of processes that have not done so, if it can within `patience_ns`.
    void end(const PmixJob& job, uint64_t patience_ns);

  private:
    struct Functions {
        decltype(&PMIx_server_init) init;
        decltype(&PMIx_server_register_nspace) register_nspace;
        decltype(&PMIx_server_deregister_nspace) deregister_nspace;
        decltype(&PMIx_server_finalize) finalize;
        decltype(&PMIx_server_register_client) register_client;
        decltype(&PMIx_server_deregister_client) deregister_client;
        decltype(&PMIx_server_setup_fork) setup_fork;
        decltype(&PMIx_generate_regex) generate_regex;
        decltype(&PMIx_generate_ppn) generate_ppn;
        decltype(&PMIx_Register_event_handler) register_event_handler;
        decltype(&PMIx_Error_string) error_string;
    };

    static Functions load();
    void check(pmix_status_t status, const char* what) const;
    PmixFacts facts_of_job(const PmixJob& job, const std::vector<std::string>& directories) const;
    char* pattern(decltype(&PMIx_generate_regex) generate, const std::string& list) const;

    const Functions functions_;
};

}  // namespace syncline
