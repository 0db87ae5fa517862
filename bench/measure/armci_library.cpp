// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/armci_library.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/failure.h"
#include "bench/measure/open_mpi.h"
#include "bench/measure/resident_daemons.h"

namespace syncline::bench {
namespace {

// Debian has a library for each MPI; ARMCI-MPI's own build has one name.
std::string find_armci_mpi(const std::string& prefix) {
    for (const char* const place : {"lib/x86_64-linux-gnu/libarmci-openmpi.a",
                                    "lib/aarch64-linux-gnu/libarmci-openmpi.a", "lib/libarmci.a", "lib64/libarmci.a"}) {
        std::string file = fmt::format("{}/{}", prefix, place);
        if (std::filesystem::exists(file) && std::filesystem::exists(prefix + "/include/armci.h")) {
            return file;
        }
    }
    fail(SYNCLINE_ERR_UNSUPPORTED, "there is no ARMCI-MPI below {} (Debian: libarmci-mpi-dev, openmpi-bin)", prefix);
}

// Makes links to the peer's headers, in a folder of their own. The compiler looks into /usr/local/include before
// /usr/include, whatever -I says about these two, and an installed Syncline has headers of the same names in
// /usr/local/include.
std::string own_headers_of(const std::string& prefix, const std::string& folder) {
    const std::string headers = folder + "/armci-mpi-headers";
    std::filesystem::create_directory(headers);
    for (const char* const name : {"armci.h", "armciconf.h", "armcix.h", "message.h", "mp3.h", "parmci.h"}) {
        const std::string header = fmt::format("{}/include/{}", prefix, name);
        if (std::filesystem::exists(header)) {
            std::filesystem::create_symlink(header, fmt::format("{}/{}", headers, name));
        }
    }
    return headers;
}

// Debian's plain names may belong to another MPI.
std::string program_of(const std::string& prefix, const std::string& name) {
    std::string with_suffix = name + ".openmpi";
    if (std::filesystem::exists(fmt::format("{}/bin/{}", prefix, with_suffix))) {
        return with_suffix;
    }
    if (!std::filesystem::exists(fmt::format("{}/bin/{}", prefix, name))) {
        fail(SYNCLINE_ERR_UNSUPPORTED, "there is no Open MPI below {} (Debian: openmpi-bin, libopenmpi-dev)", prefix);
    }
    return name;
}

// Open MPI would take UCX whatever `pml` says, and UCX goes its own way through the network.
OpenMpiFlavour flavour_of(const std::string& name, const OpenMpiOptions& options) {
    return {name,
            program_of(options.prefix, "mpicc"),
            program_of(options.prefix, "mpirun"),
            {"--mca", "pml", "ob1", "--mca", "osc", "^ucx"}};
}

std::unique_ptr<OpenMpi> make_mpi(OpenMpiFlavour flavour, const ShmemLayout& layout, const OpenMpiOptions& options,
                                  const std::string& folder) {
    return std::make_unique<OpenMpi>(std::move(flavour), open_mpi_links(layout.nodes, layout.mtu, options), layout.pes,
                                     options, folder);
}

std::vector<std::string> variables_of(const ShmemLayout& layout) {
    if (layout.nodes == 1) {
        return {};
    }
    return {"SYNCLINE_TRANSPORT=" + layout.transport,
            fmt::format("SYNCLINE_AUTHENTICATE={}", layout.authenticate ? "yes" : "no")};
}

class OwnBesideMpi : public ShmemLibrary {
  public:
    OwnBesideMpi(const ShmemLayout& layout, const OpenMpiOptions& options, const std::string& folder)
        : variables_(variables_of(layout)),
          mpi_(make_mpi(flavour_of(make_own_library(layout)->name(), options), layout, options, folder)),
          daemons_(mpi_->nodes()) {}

    std::string name() const override { return mpi_->name(); }
    std::string compiler() const override { return mpi_->compiler(); }
    // Open MPI passes the launcher's own environment on to its own machine only.
    ChildSpec start(const std::vector<std::string>& program) const override {
        std::vector<std::string> command = {"-x", "SYNCLINE_DAEMON=" + daemons_.socket()};
        for (const std::string& variable : variables_) {
            command.insert(command.end(), {"-x", variable});
        }
        command.insert(command.end(), program.begin(), program.end());
        return mpi_->start(command);
    }

  private:
    const std::vector<std::string> variables_;
    const std::unique_ptr<OpenMpi> mpi_;
    const ResidentDaemons daemons_;  // declared after the links, so the daemons end first
};

}  // namespace

std::unique_ptr<ShmemLibrary> make_own_armci(const ShmemLayout& layout) {
    return make_own_library(layout, {"-larmci"});
}

std::unique_ptr<ShmemLibrary> make_armci_mpi(const ShmemLayout& layout, const OpenMpiOptions& options,
                                             const std::string& folder) {
    const std::string library = find_armci_mpi(options.prefix);
    OpenMpiFlavour flavour = flavour_of(layout.nodes == 1 ? "armci-mpi shm" : "armci-mpi tcp", options);
    flavour.linked = {"-I" + own_headers_of(options.prefix, folder), library};
    return make_mpi(std::move(flavour), layout, options, folder);
}

std::unique_ptr<ShmemLibrary> make_own_beside_mpi(const ShmemLayout& layout, const OpenMpiOptions& options,
                                                  const std::string& folder) {
    return std::make_unique<OwnBesideMpi>(layout, options, folder);
}

}  // namespace syncline::bench
