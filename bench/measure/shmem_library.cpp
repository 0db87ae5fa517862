// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/shmem_library.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "base/failure.h"
#include "bench/measure/open_mpi.h"

namespace syncline::bench {
namespace {

class OwnLibrary : public ShmemLibrary {
  public:
    OwnLibrary(const ShmemLayout& layout, std::vector<std::string> linked)
        : layout_(layout), linked_(std::move(linked)) {}

    std::string name() const override {
        return layout_.nodes == 1
                   ? "syncline"
                   : fmt::format("syncline {}{}", layout_.transport, layout_.authenticate ? "" : " no-auth");
    }
    std::string compiler() const override { return installed_program("oshcc"); }
    std::vector<std::string> linked() const override { return linked_; }
    ChildSpec start(const std::vector<std::string>& program) const override {
        ChildSpec spec;
        // As Open MPI's are started.
        spec.argv = {installed_program("oshrun"), "-np", std::to_string(layout_.pes), "--bind-to", "none"};
        if (layout_.nodes > 1) {
            spec.argv.insert(spec.argv.end(), {"-N", std::to_string(layout_.nodes), "-t", layout_.transport});
            if (!layout_.authenticate) {
                spec.argv.emplace_back("--no-auth");
            }
            if (layout_.mtu != ShmemLayout().mtu) {
                spec.argv.insert(spec.argv.end(), {"--mtu", std::to_string(layout_.mtu)});
            }
        }
        spec.argv.insert(spec.argv.end(), program.begin(), program.end());
        return spec;
    }

  private:
    const ShmemLayout layout_;
    const std::vector<std::string> linked_;
};

// Unless this component stays in memory to the end, Debian's build crashes in shmem_finalize.
std::string find_spml(const std::string& prefix) {
    for (const char* const place : {"lib/x86_64-linux-gnu/openmpi/lib/openmpi3",
                                    "lib/aarch64-linux-gnu/openmpi/lib/openmpi3", "lib/openmpi", "lib64/openmpi"}) {
        std::string file = fmt::format("{}/{}/mca_spml_ucx.so", prefix, place);
        if (std::filesystem::exists(file)) {
            return file;
        }
    }
    fail(SYNCLINE_ERR_UNSUPPORTED,
         "there is no Open MPI with OSHMEM over UCX below {} (Debian: openmpi-bin, libopenmpi-dev)", prefix);
}

}  // namespace

std::unique_ptr<ShmemLibrary> make_own_library(const ShmemLayout& layout, std::vector<std::string> linked) {
    return std::make_unique<OwnLibrary>(layout, std::move(linked));
}

std::unique_ptr<ShmemLibrary> make_open_mpi(const ShmemLayout& layout, const OpenMpiOptions& options,
                                            const std::string& folder) {
    const bool alone = layout.nodes == 1;
    OpenMpiFlavour flavour = {alone ? "openmpi shm" : "openmpi tcp", "oshcc", "oshrun", {}};
    flavour.options = {"-x", "LD_PRELOAD=" + find_spml(options.prefix), "-x",
                       alone ? "UCX_TLS=posix,sysv,cma,self" : "UCX_TLS=tcp,self"};
    if (!alone) {
        flavour.options.insert(flavour.options.end(), {"-x", "UCX_NET_DEVICES=eth0"});
    }
    return std::make_unique<OpenMpi>(std::move(flavour), open_mpi_links(layout.nodes, layout.mtu, options), layout.pes,
                                     options, folder);
}

std::unique_ptr<ShmemLibrary> make_open_mpi_ranks(int mtu, const OpenMpiOptions& options, const std::string& folder) {
    if (!std::filesystem::exists(options.prefix + "/bin/mpicc")) {
        fail(SYNCLINE_ERR_UNSUPPORTED, "there is no Open MPI below {} (Debian: openmpi-bin, libopenmpi-dev)",
             options.prefix);
    }
    // Open MPI would take UCX for windows whatever `pml` says, and UCX goes its own way through the network.
    return std::make_unique<OpenMpi>(
        OpenMpiFlavour{"openmpi tcp", "mpicc", "mpirun", {"--mca", "pml", "ob1", "--mca", "osc", "^ucx"}},
        open_mpi_links(2, mtu, options), 2, options, folder);
}

void OpenMpiOptions::add_to(CLI::App* command) {
    command->add_option("--peer-prefix", prefix, "where Open MPI is installed (/usr)");
    command
        ->add_option_function<std::string>(
            "--peer-switch", [this](const std::string& name) { switch_kind = testbed::parse_switch_kind(name); },
            "switch of the peer's test bed: xdp or bridge (xdp)")
        ->check(CLI::IsMember({"xdp", "bridge"}));
}

}  // namespace syncline::bench
