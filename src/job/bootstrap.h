// SPDX-License-Identifier: BSD-3-Clause
// How a process finds its job, by its environment:
//
//   local   `syncline run` has started it, has made the job, and says where (SYNCLINE_SOCKET)
//   pmix    a launcher that speaks PMIx has started it (Slurm's srun --mpi=pmix, Open MPI's mpirun, PRRTE): the
//           processes make the job together (launchers/gathering.h), at the daemons that serve their nodes
//   pmi2    a launcher that speaks PMI-2 has started it (Slurm's srun --mpi=pmi2): the same
//   alone   no launcher has started it: a job of one PE, within this process
//
// SYNCLINE_BOOTSTRAP=local|pmix|pmi2|alone overrides.
#pragma once

#include <string>

namespace syncline {

enum class Bootstrap { kAlone, kLocal, kPmix, kPmi2 };

struct BootstrapChoice {
    Bootstrap kind;
    std::string why;  // for example "SYNCLINE_SOCKET is set"
};

// Throws Failure if the environment asks for one that does not exist.
BootstrapChoice choose_bootstrap();

const char* name_of(Bootstrap kind);

// Where a resident daemon listens by default.
inline constexpr const char* service_socket = "/run/syncline/synclined.sock";

// Returns where the daemon that serves this node listens: SYNCLINE_DAEMON, or service_socket.
std::string address_of_service();

}  // namespace syncline
