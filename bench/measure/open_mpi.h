// SPDX-License-Identifier: BSD-3-Clause
// Programs of Open MPI, and how its launcher starts them, on this node or on the nodes of a test bed of their own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/measure/bed.h"
#include "bench/measure/shmem_library.h"

namespace syncline::bench {

// One of Open MPI's two libraries: its programs, and the launcher's options for the transport between PEs.
struct OpenMpiFlavour {
    std::string name, compiler, launcher;
    std::vector<std::string> options;
    std::vector<std::string> linked = {};  // see ShmemLibrary
};

class OpenMpi : public ShmemLibrary {
  public:
    OpenMpi(OpenMpiFlavour flavour, const BedOptions& links, uint32_t pes, const OpenMpiOptions& options,
            const std::string& folder)
        : flavour_(std::move(flavour)), pes_(pes), prefix_(options.prefix), folder_(folder) {
        if (links.nodes > 1) {
            bed_ = std::make_unique<Bed>(links);
            write_agent();
        }
    }

    std::string name() const override { return flavour_.name; }
    std::string compiler() const override { return prefix_ + "/bin/" + flavour_.compiler; }
    std::vector<std::string> linked() const override { return flavour_.linked; }
    ChildSpec start(const std::vector<std::string>& program) const override;
    // There are none where there is one node.
    const std::vector<testbed::Node>& nodes() const;

  private:
    void write_agent() const;
    std::string agent() const { return folder_ + "/enter-node"; }

    const OpenMpiFlavour flavour_;
    const uint32_t pes_;
    const std::string prefix_, folder_;
    std::unique_ptr<Bed> bed_;  // links only, because Open MPI starts the PEs. NULL: one node
};

// Makes a test bed of this many nodes, with links and without PEs.
BedOptions open_mpi_links(uint32_t nodes, int mtu, const OpenMpiOptions& options);

}  // namespace syncline::bench
