// SPDX-License-Identifier: BSD-3-Clause
#include "launch/pmix_library.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <ranges>
#include <thread>

#include "base/clock.h"
#include "base/failure.h"
#include "base/leading_number.h"
#include "base/loaded_library.h"

namespace syncline {
namespace {

constexpr uint64_t finalize_patience_ns = 300 * ns_per_ms;

// A newer library copies a longer module: there are NULLs behind this one.
struct LongModule {
    pmix_server_module_t module;
    void* newer[64];
};

pmix_proc_t process(const PmixJob& job, uint32_t rank) {
    pmix_proc_t process = {};
    std::strncpy(process.nspace, job.name.c_str(), sizeof(process.nspace) - 1);
    process.rank = rank;
    return process;
}

// All PEs of a job are on this machine, whatever network namespaces they are in.
std::string list_of(uint32_t ranks) {
    return fmt::format("{}", fmt::join(std::views::iota(uint32_t{0}, ranks), ","));
}

PmixFacts facts_of(const PmixJob& job, uint32_t rank, const std::string& directory) {
    PmixFacts facts;
    facts.add_rank(PMIX_RANK, rank);  // the first: the library demands it
    const auto next = std::upper_bound(job.programs.begin(), job.programs.end(), rank);
    const uint32_t first = *std::prev(next);
    facts.add_number(PMIX_APPNUM, static_cast<uint32_t>(next - job.programs.begin()) - 1);
    facts.add_rank(PMIX_APPLDR, first);
    facts.add_rank(PMIX_GLOBAL_RANK, rank);
    facts.add_rank(PMIX_APP_RANK, rank - first);
    facts.add_small_number(PMIX_LOCAL_RANK, static_cast<uint16_t>(rank));
    facts.add_small_number(PMIX_NODE_RANK, static_cast<uint16_t>(rank));
    facts.add_number(PMIX_NODEID, 0);
    facts.add_text(PMIX_HOSTNAME, job.machine);
    facts.add_text(PMIX_PROCDIR, directory);
    return facts;
}

}  // namespace

PmixLibrary::Functions PmixLibrary::load() {
    const LoadedLibrary library("libpmix.so.2", RTLD_GLOBAL, "PMIx", "libpmix2");
    if (!library.why_not().empty()) {
        fail(SYNCLINE_ERR_UNSUPPORTED, "{}", library.why_not());
    }
    Functions found = {};
    library.find("PMIx_server_init", &found.init);
    library.find("PMIx_server_register_nspace", &found.register_nspace);
    library.find("PMIx_server_deregister_nspace", &found.deregister_nspace);
    library.find("PMIx_server_register_client", &found.register_client);
    library.find("PMIx_server_deregister_client", &found.deregister_client);
    library.find("PMIx_server_finalize", &found.finalize);
    library.find("PMIx_server_setup_fork", &found.setup_fork);
    library.find("PMIx_generate_regex", &found.generate_regex);
    library.find("PMIx_generate_ppn", &found.generate_ppn);
    library.find("PMIx_Register_event_handler", &found.register_event_handler);
    library.find("PMIx_Error_string", &found.error_string);
    return found;
}

// The library says PMIX_OPERATION_SUCCEEDED where it is asked to wait for the end.
void PmixLibrary::check(pmix_status_t status, const char* what) const {
    if (status != PMIX_SUCCESS && status != PMIX_OPERATION_SUCCEEDED) {
        fail(SYNCLINE_ERR_SYSTEM, "{}: {}", what, functions_.error_string(status));
    }
}

PmixLibrary::PmixLibrary(const PmixJob& job, const std::string& directory, const pmix_server_module_t& module)
    : functions_(load()) {
    PmixFacts facts;
    facts.add_text(PMIX_SERVER_NSPACE, job.server);
    facts.add_rank(PMIX_SERVER_RANK, 0);
    facts.add_text(PMIX_SERVER_TMPDIR, directory);
    facts.add_text(PMIX_SYSTEM_TMPDIR, directory);
    facts.add_text(PMIX_HOSTNAME, job.machine);
    facts.add_flag(PMIX_SERVER_TOOL_SUPPORT, false);
    static LongModule kept;  // the library may look into it later
    kept.module = module;
    check(functions_.init(&kept.module, facts.data(), facts.size()), "the PMIx library does not start a server");
}

char* PmixLibrary::pattern(decltype(&PMIx_generate_regex) generate, const std::string& list) const {
    char* found = nullptr;
    check(generate(list.c_str(), &found), "the PMIx library does not take a list");
    return found;
}

PmixFacts PmixLibrary::facts_of_job(const PmixJob& job, const std::vector<std::string>& directories) const {
    PmixFacts facts;
    facts.add_text(PMIX_JOBID, job.name);
    for (const char* const size : {PMIX_JOB_SIZE, PMIX_UNIV_SIZE, PMIX_MAX_PROCS, PMIX_LOCAL_SIZE, PMIX_NODE_SIZE}) {
        facts.add_number(size, job.ranks);
    }
    if (job.programs.size() == 1) {
        facts.add_number(PMIX_APP_SIZE, job.ranks);
    }
    facts.add_number(PMIX_NUM_NODES, 1);
    facts.add_number(PMIX_JOB_NUM_APPS, static_cast<uint32_t>(job.programs.size()));
    facts.add_number(PMIX_NPROC_OFFSET, 0);
    facts.add_number(PMIX_NODEID, 0);
    facts.add_rank(PMIX_LOCALLDR, 0);
    facts.add_text(PMIX_LOCAL_PEERS, list_of(job.ranks));
    facts.take_text(PMIX_NODE_MAP, pattern(functions_.generate_regex, job.machine));
    facts.take_text(PMIX_PROC_MAP, pattern(functions_.generate_ppn, list_of(job.ranks)));
    facts.add_text(PMIX_TMPDIR, directories[0]);
    facts.add_text(PMIX_NSDIR, directories[0]);
    facts.add_flag(PMIX_TDIR_RMCLEAN, true);
    for (uint32_t rank = 0; rank < job.ranks; rank++) {
        facts.add_group(PMIX_PROC_DATA, facts_of(job, rank, directories[1 + rank]));
    }
    return facts;
}

// Without a callback, each call of the library returns when all is done.
void PmixLibrary::add_job(const PmixJob& job, const std::vector<std::string>& directories) {
    PmixFacts facts = facts_of_job(job, directories);
    check(functions_.register_nspace(process(job, 0).nspace, static_cast<int>(job.ranks), facts.data(), facts.size(),
                                     nullptr, nullptr),
          "the PMIx library does not take the job");
    for (uint32_t rank = 0; rank < job.ranks; rank++) {
        const pmix_proc_t pe = process(job, rank);
        check(functions_.register_client(&pe, ::geteuid(), ::getegid(), nullptr, nullptr, nullptr),
              "the PMIx library does not take a PE");
    }
}

void PmixLibrary::watch(pmix_notification_fn_t handler) {
    pmix_status_t lost = PMIX_ERR_LOST_CONNECTION;
    const pmix_status_t reference = functions_.register_event_handler(&lost, 1, nullptr, 0, handler, nullptr, nullptr);
    if (reference < 0) {
        check(reference, "the PMIx library does not watch its connections");
    }
}

// The library tells it to the processes that it helps to start, as in PMIX_SERVER_URI4=name.0;tcp4://127.0.0.1:4711.
uint16_t PmixLibrary::port(const PmixJob& job) {
    const pmix_proc_t pe = process(job, 0);
    char** variables = nullptr;
    check(functions_.setup_fork(&pe, &variables), "the PMIx library does not say where it listens");
    long port = 0;
    for (char** variable = variables; variable != nullptr && *variable != nullptr; variable++) {
        const char* const address = std::strstr(*variable, "tcp4://127.0.0.1:");
        if (std::strncmp(*variable, "PMIX_SERVER_URI", std::strlen("PMIX_SERVER_URI")) == 0 && address != nullptr) {
            port = leading_number(address + std::strlen("tcp4://127.0.0.1:"));
        }
        std::free(*variable);
    }
    std::free(variables);
    if (port <= 0 || port > UINT16_MAX) {
        fail(SYNCLINE_ERR_UNSUPPORTED, "the PMIx library does not listen on 127.0.0.1");
    }
    return static_cast<uint16_t>(port);
}

// A PE may have run several programs by turns. PMIx 5 removes the files of all but the first at the beginning of
// PMIx_server_finalize(), which may wait for threads of the library without an end then: a thread calls it, and is
// left.
void PmixLibrary::end(const PmixJob& job, uint64_t patience_ns) {
    static std::atomic<uint32_t> done;
    const pmix_op_cbfunc_t count = [](pmix_status_t, void*) { done++; };
    for (uint32_t rank = 0; rank < job.ranks; rank++) {
        const pmix_proc_t pe = process(job, rank);
        functions_.deregister_client(&pe, count, nullptr);
    }
    functions_.deregister_nspace(process(job, 0).nspace, count, nullptr);
    static std::atomic<bool> finalized;
    const auto wait = [](const auto& is_done, uint64_t longest_ns) {
        for (const uint64_t start = now_ns(); !is_done() && now_ns() - start < longest_ns;) {
            ::usleep(1000);
        }
    };
    wait([&] { return done > job.ranks; }, patience_ns);
    std::thread([finalize = functions_.finalize] {
        finalize();
        finalized = true;
    }).detach();
    wait([&] { return finalized.load(); }, finalize_patience_ns);
}

}  // namespace syncline
