// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/shmem_library.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <filesystem>
#include <thread>

#include "base/failure.h"
#include "bench/measure/bed.h"
#include "bench/report/result_files.h"

namespace syncline::bench {
namespace {

class OwnLibrary : public ShmemLibrary {
  public:
    explicit OwnLibrary(const ShmemLayout& layout) : layout_(layout) {}

    std::string name() const override {
        return layout_.nodes == 1
                   ? "syncline"
                   : fmt::format("syncline {}{}", layout_.transport, layout_.authenticate ? "" : " no-auth");
    }
    std::string compiler() const override { return installed_program("oshcc"); }
    ChildSpec start(const std::vector<std::string>& program) const override {
        ChildSpec spec;
        spec.argv = {installed_program("oshrun"), "-np", std::to_string(layout_.pes)};
        if (layout_.nodes > 1) {
            spec.argv.insert(spec.argv.end(), {"-N", std::to_string(layout_.nodes), "-t", layout_.transport});
            if (!layout_.authenticate) {
                spec.argv.emplace_back("--no-auth");
            }
        }
        spec.argv.insert(spec.argv.end(), program.begin(), program.end());
        return spec;
    }

  private:
    const ShmemLayout layout_;
};

// Without this component in memory to the end, Debian's build crashes in shmem_finalize.
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

// One of Open MPI's two libraries: its programs, and what its launcher is told about the way between PEs.
struct OpenMpiFlavour {
    std::string name, compiler, launcher;
    std::vector<std::string> options;
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
    ChildSpec start(const std::vector<std::string>& program) const override;

  private:
    void write_agent() const;
    std::string agent() const { return folder_ + "/enter-node"; }

    const OpenMpiFlavour flavour_;
    const uint32_t pes_;
    const std::string prefix_, folder_;
    std::unique_ptr<Bed> bed_;  // links only: Open MPI starts its PEs by itself. NULL: one node
};

// Open MPI starts its daemons with this script in place of ssh: `enter-node <address> <command>...`. Each node has a
// name and a /dev/shm of its own, or PEs would take each other for neighbours.
void OpenMpi::write_agent() const {
    std::string text = "#!/bin/sh\ncase $1 in\n";
    for (const testbed::Node& node : bed_->nodes()) {
        text += fmt::format("{0}) net=/proc/{1}/fd/{2} ;;\n", node.address4, ::getpid(), node.netns.get());
    }
    text +=
        "*) echo \"there is no node $1\" >&2; exit 1 ;;\n"
        "esac\n"
        "name=node-${1##*.}\n"
        "shift\n"
        "exec nsenter --net=$net unshare --uts --mount sh -c "
        "\"hostname $name && ip link set lo up && mount -t tmpfs tmpfs /dev/shm && $*\"\n";
    write_file(agent(), text);
    ::chmod(agent().c_str(), 0700);
}

ChildSpec OpenMpi::start(const std::vector<std::string>& program) const {
    ChildSpec spec;
    // A PE that waits lets others have its CPU, which Open MPI does by itself only where it knows that CPUs are shared.
    spec.environment = {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"};
    std::vector<std::string> command = {
        prefix_ + "/bin/" + flavour_.launcher, "-np", std::to_string(pes_), "--oversubscribe", "--bind-to", "none"};
    command.insert(command.end(), flavour_.options.begin(), flavour_.options.end());
    if (pes_ > std::thread::hardware_concurrency()) {
        command.insert(command.end(), {"--mca", "mpi_yield_when_idle", "1"});
    }
    if (bed_ != nullptr) {
        std::string hosts;
        for (const testbed::Node& node : bed_->nodes()) {
            hosts += fmt::format("{}{}:{}", hosts.empty() ? "" : ",", node.address4, pes_ / bed_->nodes().size());
        }
        command.insert(command.end(),
                       {"--host", hosts, "--mca", "plm_rsh_agent", agent(), "--mca", "oob_tcp_if_include", "eth0",
                        "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "eth0"});
        spec.argv = {agent(), bed_->nodes().front().address4};
    }
    command.insert(command.end(), program.begin(), program.end());
    spec.argv.insert(spec.argv.end(), command.begin(), command.end());
    return spec;
}

BedOptions links_of(uint32_t nodes, int mtu, const OpenMpiOptions& options) {
    return {.nodes = nodes, .pes_of_node = 0, .switch_kind = options.switch_kind, .mtu = mtu};
}

}  // namespace

std::unique_ptr<ShmemLibrary> make_own_library(const ShmemLayout& layout) {
    return std::make_unique<OwnLibrary>(layout);
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
    return std::make_unique<OpenMpi>(std::move(flavour), links_of(layout.nodes, BedOptions().mtu, options), layout.pes,
                                     options, folder);
}

std::unique_ptr<ShmemLibrary> make_open_mpi_ranks(int mtu, const OpenMpiOptions& options, const std::string& folder) {
    if (!std::filesystem::exists(options.prefix + "/bin/mpicc")) {
        fail(SYNCLINE_ERR_UNSUPPORTED, "there is no Open MPI below {} (Debian: openmpi-bin, libopenmpi-dev)",
             options.prefix);
    }
    // UCX would be taken for windows whatever `pml` says, and goes its own way through the network.
    return std::make_unique<OpenMpi>(
        OpenMpiFlavour{"openmpi tcp", "mpicc", "mpirun", {"--mca", "pml", "ob1", "--mca", "osc", "^ucx"}},
        links_of(2, mtu, options), 2, options, folder);
}

void OpenMpiOptions::add_to(CLI::App* command) {
    command->add_option("--peer-prefix", prefix, "where Open MPI is installed (/usr)");
    command->add_option("--peer-switch", switch_kind, "of its test bed: xdp or bridge (xdp)")
        ->transform(
            CLI::CheckedTransformer(std::map<std::string, testbed::SwitchKind>{{"bridge", testbed::SwitchKind::kBridge},
                                                                               {"xdp", testbed::SwitchKind::kXdp}},
                                    CLI::ignore_case));
}

}  // namespace syncline::bench
