// SPDX-License-Identifier: BSD-3-Clause
#include "job.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <syncline/dsm.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "arrays.h"
#include "dsm.h"

namespace syncline_python {
namespace {

Group* all = nullptr;                    // from init() to finalize()
const uint64_t* resting_word = nullptr;  // of the heap; it stays 0
bool blocks = false;

// While a call cannot let Python's handlers run, Ctrl-C ends the process: there is no job yet that it could leave
// behind.
class CtrlCEnds {
  public:
    CtrlCEnds() : before_(is_main_thread() ? PyOS_getsig(SIGINT) : SIG_IGN) {
        if (before_ != SIG_IGN) {
            PyOS_setsig(SIGINT, SIG_DFL);
        }
    }
    ~CtrlCEnds() {
        if (before_ != SIG_IGN) {
            PyOS_setsig(SIGINT, before_);
        }
    }
    CtrlCEnds(const CtrlCEnds&) = delete;
    CtrlCEnds& operator=(const CtrlCEnds&) = delete;

  private:
    const PyOS_sighandler_t before_;
};

int leave() {
    forget_job();
    const int closed = all->close_handle();
    delete std::exchange(all, nullptr);
    const int status = syncline_finalize();
    return closed != SYNCLINE_OK ? closed : status;
}

// A program that ends in good order has finalized. The library takes any other end for a failure and ends the job, and
// so does this handler where the exit code says that the program has failed: others may wait for what it has not done.
void finalize_at_exit(int code, void*) {
    if (code != 0 || all == nullptr || syncline_rank() < 0 || all->is_interrupted() || is_dsm_interrupted()) {
        return;
    }
    int status = is_dsm_open() ? syncline_dsm_finalize() : SYNCLINE_OK;
    status = status == SYNCLINE_OK ? leave() : status;
    if (status != SYNCLINE_OK && status != SYNCLINE_ERR_PEER) {  // the launcher names a PE that is gone
        std::fprintf(stderr, "syncline: %s\n", syncline_last_error());
        std::fflush(nullptr);
        std::_Exit(1);
    }
}

syncline_options_t read_options(const std::optional<std::vector<int>>& members, const std::optional<std::string>& wait,
                                std::optional<double> peer_timeout) {
    syncline_options_t options = {};
    options.struct_size = sizeof(options);
    if (wait && *wait != "poll" && *wait != "block") {
        throw nb::value_error("wait is \"poll\" or \"block\"");
    }
    const char* const environment = std::getenv("SYNCLINE_WAIT");
    options.wait_mode = wait == "block" ? SYNCLINE_WAIT_BLOCK : SYNCLINE_WAIT_POLL;
    blocks = environment != nullptr ? std::string(environment) == "block" : wait == "block";
    if (peer_timeout && !(*peer_timeout >= 0.001 && *peer_timeout <= 4e6)) {
        throw nb::value_error("peer_timeout is a number of seconds from 0.001 on");
    }
    options.peer_timeout_ms = static_cast<uint32_t>(peer_timeout.value_or(0) * 1000);
    options.members = members ? members->data() : nullptr;
    options.member_count = members ? static_cast<int>(members->size()) : 0;
    return options;
}

void init(std::optional<std::vector<int>> members, std::optional<std::string> wait,
          std::optional<double> peer_timeout) {
    const syncline_options_t options = read_options(members, wait, peer_timeout);
    const CtrlCEnds ctrl_c;
    check(without_gil([&] { return syncline_init(&options); }));
    syncline_address_t word = 0;
    check(without_gil([&] { return syncline_alloc(sizeof(uint64_t), 0, &word); }));
    remember_pes(word);
    resting_word = static_cast<const uint64_t*>(syncline_local(word));
    all = new Group(0, {});
    static const int registered = ::on_exit(finalize_at_exit, nullptr);
    (void)registered;
}

void finalize() {
    const int met = world().try_meet("finalize");
    const std::string why = syncline_last_error();
    if (met == SYNCLINE_OK && is_dsm_open()) {
        check(without_gil(syncline_dsm_finalize));
    }
    check(without_gil(leave));
    if (met != SYNCLINE_OK) {
        fail(met, why);
    }
}

}  // namespace

Group& world() {
    if (all == nullptr || syncline_rank() < 0) {
        (void)check_count(syncline_rank());
        fail(SYNCLINE_ERR_NOT_INITIALIZED, "call syncline.init() first");
    }
    return *all;
}

int nap(int turn) {
    return syncline_wait_until64(resting_word, SYNCLINE_NE, 0, blocks ? std::min(turn, 1000) : 0);
}

void bind_job(nb::module_& module) {
    using namespace nb::literals;
    module.def(
        "init", &init, "members"_a = nb::none(), "wait"_a = nb::none(), "peer_timeout"_a = nb::none(),
        R"(Joins the job that the launcher has described (`syncline run`, mpirun, srun); a process without a launcher is
a job of one. Returns when all PEs have called it. Ctrl-C meanwhile ends the process.

members: ranks of a PMIx launcher (of an MPI communicator) that make up the job; None: all.
wait: how waits pass their time, "poll" or "block"; SYNCLINE_WAIT of the environment is stronger.
peer_timeout: seconds of silence after which a PE counts as gone; None: the job's (5).

A program that ends with exit code 0 needs no finalize(). Raises Error, also where it is called twice.)");
    module.def(
        "finalize", &finalize,
        R"(Collective. Completes this PE's operations, waits for all PEs and leaves the job. Symmetric memory is gone:
an access to an array in it is a crash. The end of a program with exit code 0 does this by itself; any
other end ends the whole job. Raises PeerError if a PE is gone; this PE has left all the same.)");
    module.def(
        "abort", [](int code) { syncline_abort(code); }, "code"_a = 1,
        nb::sig("def abort(code: int = 1) -> typing.NoReturn"),
        "Ends every process of the job at once; the launcher exits with `code`, 1 to 255.");
    module.def("rank", [] { return check_count(syncline_rank()); }, "This PE's number, from 0.");
    module.def("size", [] { return check_count(syncline_size()); }, "How many PEs the job has.");
    module.def("nodes", [] { return check_count(syncline_nodes()); }, "How many nodes the PEs are on.");
    module.def(
        "node_of", [](int pe) { return check_count(syncline_node_of(pe)); }, "pe"_a, "The node of a PE, from 0.");
    module.def(
        "transport", [] { return std::string(syncline_transport()); },
        "How nodes reach each other: \"shm\", \"udp\" or \"xdp\"; \"\" outside of a job.");
    module.def("_world", &world, nb::rv_policy::reference);
}

}  // namespace syncline_python
