// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/shmem_library.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <filesystem>
#include <thread>

#include "base/failure.h"
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

class OpenMpi : public ShmemLibrary {
  public:
    OpenMpi(const ShmemLayout& layout, const OpenMpiOptions& options, const std::string& folder)
        : layout_(layout), prefix_(options.prefix), folder_(folder), spml_(find_spml(options.prefix)) {
        if (layout.nodes > 1) {
            testbed::Options wanted;
            wanted.nodes = static_cast<int>(layout.nodes);
            wanted.kind = options.switch_kind;
            testbed_ = std::make_unique<testbed::Testbed>(testbed::Testbed::create(wanted));
            write_agent();
        }
    }

    std::string name() const override { return layout_.nodes == 1 ? "openmpi shm" : "openmpi tcp"; }
    std::string compiler() const override { return prefix_ + "/bin/oshcc"; }
    ChildSpec start(const std::vector<std::string>& program) const override;

  private:
    void write_agent() const;
    std::string agent() const { return folder_ + "/enter-node"; }

    const ShmemLayout layout_;
    const std::string prefix_, folder_, spml_;
    std::unique_ptr<testbed::Testbed> testbed_;
};

// What Open MPI starts its daemons with, in place of ssh: `enter-node <address> <command>...`. Each node has a name and
// a /dev/shm of its own, or PEs would take each other for neighbours.
void OpenMpi::write_agent() const {
    std::string text = "#!/bin/sh\ncase $1 in\n";
    for (const testbed::Node& node : testbed_->nodes()) {
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
    const bool shared = layout_.pes > std::thread::hardware_concurrency();
    const std::string transports = layout_.nodes > 1 ? "tcp,self" : "posix,sysv,cma,self";
    std::vector<std::string> command = {
        prefix_ + "/bin/oshrun", "-np", std::to_string(layout_.pes), "--oversubscribe", "--bind-to", "none", "-x",
        "LD_PRELOAD=" + spml_,   "-x",  "UCX_TLS=" + transports};
    if (shared) {
        command.insert(command.end(), {"--mca", "mpi_yield_when_idle", "1"});
    }
    if (layout_.nodes > 1) {
        std::string hosts;
        for (const testbed::Node& node : testbed_->nodes()) {
            hosts += fmt::format("{}{}:{}", hosts.empty() ? "" : ",", node.address4, layout_.pes / layout_.nodes);
        }
        command.insert(command.end(), {"--host", hosts, "--mca", "plm_rsh_agent", agent(), "--mca",
                                       "oob_tcp_if_include", "eth0", "--mca", "btl", "tcp,self", "--mca",
                                       "btl_tcp_if_include", "eth0", "-x", "UCX_NET_DEVICES=eth0"});
    }
    command.insert(command.end(), program.begin(), program.end());
    if (layout_.nodes > 1) {
        spec.argv = {agent(), testbed_->nodes().front().address4};
    }
    spec.argv.insert(spec.argv.end(), command.begin(), command.end());
    return spec;
}

}  // namespace

std::unique_ptr<ShmemLibrary> make_own_library(const ShmemLayout& layout) {
    return std::make_unique<OwnLibrary>(layout);
}

std::unique_ptr<ShmemLibrary> make_open_mpi(const ShmemLayout& layout, const OpenMpiOptions& options,
                                            const std::string& folder) {
    return std::make_unique<OpenMpi>(layout, options, folder);
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
