// SPDX-License-Identifier: BSD-3-Clause
// gathered <transport> <PEs of a node> <namespace>=<daemon's socket>... -- <program> [<argument>...]
//
// A launcher for machines that have nothing but a network namespace and a resident daemon: the job is gathered as one
// of a PMIx launcher is, by threads of this process. Prints which way it goes, and ends as its PEs do. GATHERED_MS: how
// long the threads wait for each other, 20000 unless set.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "base/failure.h"
#include "job/launchers/gathering.h"
#include "launch/child.h"
#include "testbed/netns.h"
#include "tests/daemon/room.h"

namespace {

using namespace syncline;

struct Machine {
    std::string name;
    std::string socket;
};

struct Part {
    Gathered gathered;
    std::string sentence;
};

std::vector<uint32_t> ranks_of(uint32_t machine, uint32_t pes) {
    std::vector<uint32_t> ranks;
    for (uint32_t i = 0; i < pes; i++) {
        ranks.push_back(machine * pes + i);
    }
    return ranks;
}

uint32_t patience_ms() {
    const char* const set = std::getenv("GATHERED_MS");
    return set != nullptr ? static_cast<uint32_t>(std::atoi(set)) : 20000;
}

std::vector<Part> gather_all(const std::vector<Machine>& machines, uint32_t pes, const std::string& transport) {
    const auto all = static_cast<uint32_t>(machines.size()) * pes;
    testing_daemon::Room room(all);
    std::vector<Part> parts(all);
    std::vector<std::thread> threads;
    for (uint32_t rank = 0; rank < all; rank++) {
        threads.emplace_back([&, rank] {
            const Machine& machine = machines[rank / pes];
            testing_daemon::Guest guest(&room, rank, all, ranks_of(rank / pes, pes));
            try {
                parts[rank].gathered = gather(&guest, {machine.socket, 32 << 20, transport, patience_ms()});
            } catch (const Failure& failure) {
                parts[rank].sentence = failure.what();
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    return parts;
}

// The daemon's word on this job.
std::string way_of(Channel* channel, uint32_t job) {
    Message stat;
    stat.type = MessageType::kStat;
    const std::string text = channel->call(stat).text();
    const size_t at = text.find(fmt::format("\"{:08x}\"", job));
    const size_t executor = text.find("\"executor\":\"", at);
    return text.substr(executor + 12, text.find('"', executor + 12) - executor - 12);
}

int run(int argc, char** argv) {
    const std::string transport = argv[1];
    const auto pes = static_cast<uint32_t>(std::atoi(argv[2]));
    std::vector<Machine> machines;
    int at = 3;
    for (; at < argc && std::string(argv[at]) != "--"; at++) {
        const std::string machine = argv[at];
        const size_t middle = machine.find('=');
        machines.push_back({machine.substr(0, middle), machine.substr(middle + 1)});
    }
    std::vector<Part> parts = gather_all(machines, pes, transport);
    for (const Part& part : parts) {
        if (part.sentence != parts[0].sentence) {
            fmt::print("not all say the same: {}\n", part.sentence);
        }
    }
    if (!parts[0].sentence.empty()) {
        fmt::print("gathered: {}\n", parts[0].sentence);
        return 1;
    }
    for (uint32_t machine = 0; machine < machines.size(); machine++) {
        Gathered& first = parts[machine * pes].gathered;
        fmt::print("machine {}: {}\n", machine, way_of(&first.channel, first.job));
    }
    std::fflush(stdout);
    std::vector<pid_t> children;
    for (uint32_t rank = 0; rank < parts.size(); rank++) {
        const UniqueFd netns = testbed::open_named_netns(machines[rank / pes].name);
        ChildSpec child;
        child.argv.assign(argv + at + 1, argv + argc);
        child.netns = netns.get();
        child.environment = {"SYNCLINE_SOCKET=" + machines[rank / pes].socket, fmt::format("SYNCLINE_RANK={}", rank),
                             fmt::format("SYNCLINE_JOB={:x}", parts[rank].gathered.job),
                             fmt::format("SYNCLINE_TOKEN={:x}", parts[rank].gathered.token)};
        children.push_back(start_child(child));
    }
    int code = 0;
    for (const pid_t child : children) {
        int status = 0;
        ::waitpid(child, &status, 0);
        code = status != 0 ? 1 : code;
    }
    return code;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& exception) {
        std::fprintf(stderr, "gathered: %s\n", exception.what());
        return 2;
    }
}
