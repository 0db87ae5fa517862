// SPDX-License-Identifier: BSD-3-Clause
// How a process finds its job, by its environment:
//
//   local   `syncline run` started it, made the job, and says where (SYNCLINE_SOCKET)
//   pmix    a launcher that speaks PMIx started it (Slurm's srun --mpi=pmix, Open MPI's mpirun, PRRTE): the processes
//           make the job together (gathering.h), at the daemons that serve their nodes
//   pmi2    one that speaks PMI-2 started it (Slurm's srun --mpi=pmi2): likewise
//   alone   none has: a job of one PE, within this process
//
// SYNCLINE_BOOTSTRAP=local|pmix|pmi2|alone overrides.
#pragma once

#include <string>

namespace syncline {

enum class Bootstrap { kAlone, kLocal, kPmix, kPmi2 };

struct BootstrapChoice {
    Bootstrap kind;
    std::string why;  // as in "SYNCLINE_SOCKET is set"
};

// Throws Failure if the environment asks for one that there is not.
BootstrapChoice choose_bootstrap();

const char* name_of(Bootstrap kind);

// Where a resident daemon listens unless it is told.
inline constexpr const char* service_socket = "/run/syncline/synclined.sock";

// Where the daemon that serves this node listens: SYNCLINE_DAEMON, or service_socket.
std::string address_of_service();

}  // namespace syncline
