// SPDX-License-Identifier: BSD-3-Clause
// The installations of OpenSHMEM, MPI and ARMCI that benchmarks compare: how each compiles a program and starts it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "launch/child.h"
#include "testbed/testbed.h"

namespace CLI {
class App;
}

namespace syncline::bench {

struct ShmemLayout {
    uint32_t pes = 2;
    uint32_t nodes = 1;  // number of nodes: of a test bed, if more than one
    std::string transport = "xdp";
    bool authenticate = true;  // whether Syncline's packets are authenticated; TCP's are not
    int mtu = 1500;            // MTU of the links
};

class ShmemLibrary {
  public:
    virtual ~ShmemLibrary() = default;

    virtual std::string name() const = 0;
    virtual std::string compiler() const = 0;
    // Returns further arguments of the compiler, which follow the source.
    virtual std::vector<std::string> linked() const { return {}; }
    // Returns the child process that starts the program with these arguments; it ends when all PEs have ended.
    virtual ChildSpec start(const std::vector<std::string>& program) const = 0;
};

// Returns Syncline's library, whose programs are also linked to these libraries.
std::unique_ptr<ShmemLibrary> make_own_library(const ShmemLayout& layout, std::vector<std::string> linked = {});

struct OpenMpiOptions {
    std::string prefix = "/usr";
    testbed::SwitchKind switch_kind =
        testbed::SwitchKind::kXdp;  // as Syncline's; a bridge passes TCP's long segments whole

    void add_to(CLI::App* command);
};

// Returns Open MPI's MPI over its own TCP transport, one rank on each of two nodes of a test bed of its own, whose
// links have this MTU. Makes files in the folder. Throws Failure if Open MPI is not installed.
std::unique_ptr<ShmemLibrary> make_open_mpi_ranks(int mtu, const OpenMpiOptions& options, const std::string& folder);

// Returns Open MPI's OSHMEM over UCX: with shared memory on one node, with TCP over a test bed of its own. Makes files
// in the folder. Throws Failure if OSHMEM is not installed.
std::unique_ptr<ShmemLibrary> make_open_mpi(const ShmemLayout& layout, const OpenMpiOptions& options,
                                            const std::string& folder);

}  // namespace syncline::bench
