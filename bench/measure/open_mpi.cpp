// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/open_mpi.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "bench/report/result_files.h"

namespace syncline::bench {

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

const std::vector<testbed::Node>& OpenMpi::nodes() const {
    static const std::vector<testbed::Node> none;
    return bed_ != nullptr ? bed_->nodes() : none;
}

ChildSpec OpenMpi::start(const std::vector<std::string>& program) const {
    ChildSpec spec;
    // A waiting PE yields its CPU to others; Open MPI does this by itself only where it knows that CPUs are shared.
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

BedOptions open_mpi_links(uint32_t nodes, int mtu, const OpenMpiOptions& options) {
    return {.nodes = nodes, .pes_of_node = 0, .switch_kind = options.switch_kind, .mtu = mtu};
}

}  // namespace syncline::bench
