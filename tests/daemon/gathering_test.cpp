// SPDX-License-Identifier: BSD-3-Clause
// Method: threads play the processes that a launcher has started, and a table in this process is the launcher. The
// daemons are real. All processes come to the same job, or to the same error message.
#include "job/launchers/gathering.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <thread>

#include "base/failure.h"
#include "job/protocol/job_description.h"
#include "tests/daemon/job_run.h"
#include "tests/daemon/program.h"
#include "tests/daemon/room.h"

namespace syncline {
namespace {

using testing_daemon::Guest;
using testing_daemon::Room;

struct Outcome {
    std::string sentence;  // of a failure
    Gathered gathered;
};

class Gathering : public testing::Test {
  protected:
    // A daemon on loopback, and where it listens.
    std::string start_daemon(const Strings& options = {}) {
        const std::string address = fmt::format("@syncline-test/{}/gathering-{}", ::getpid(), daemons_.size());
        Strings command = {tools_folder() + "/synclined", "--socket", address, "--users", "--interface", "lo"};
        command.insert(command.end(), options.begin(), options.end());
        daemons_.push_back(std::make_unique<Program>(command));
        for (int attempt = 0; attempt < 200; attempt++) {
            try {
                Channel::greet(address);
                return address;
            } catch (const Failure&) {
                ::usleep(20000);
            }
        }
        ADD_FAILURE() << "the daemon does not start";
        return address;
    }

    // Rank 0 has these, and the other processes have the ones that cannot be.
    GatheringOptions wishes = {.daemon = "", .heap_bytes = 2 * heap_reserved_bytes};

    // The processes of `nodes`, each with its daemon and its ranks, gather; those of `absent` do not come.
    std::vector<Outcome> gather_all(const std::vector<std::pair<std::string, std::vector<uint32_t>>>& nodes,
                                    const std::string& transport = "auto", const std::set<uint32_t>& absent = {}) {
        uint32_t ranks = 0;
        for (const auto& [daemon, here] : nodes) {
            ranks += static_cast<uint32_t>(here.size());
        }
        Room room(ranks);
        std::vector<Outcome> outcomes(ranks);
        std::vector<std::thread> processes;
        for (const auto& node : nodes) {
            for (const uint32_t rank : node.second) {
                if (absent.contains(rank)) {
                    continue;
                }
                processes.emplace_back([&, rank] {
                    Guest guest(&room, rank, ranks, node.second);
                    try {
                        GatheringOptions options = rank == 0 ? wishes : GatheringOptions{.daemon = "", .heap_bytes = 1};
                        options.daemon = node.first;
                        options.transport = transport;
                        options.timeout_ms = absent.empty() ? 20000 : 500;
                        outcomes[rank].gathered = gather(&guest, options);
                    } catch (const Failure& failure) {
                        outcomes[rank].sentence = failure.what();
                    }
                });
            }
        }
        for (std::thread& process : processes) {
            process.join();
        }
        return outcomes;
    }

    static void expect_sentence(const std::vector<Outcome>& outcomes, const std::string& part) {
        for (const Outcome& outcome : outcomes) {
            EXPECT_NE(outcome.sentence.find(part), std::string::npos) << outcome.sentence;
            EXPECT_EQ(outcome.sentence, outcomes[0].sentence);
        }
    }

    // A configuration with this range of UDP ports, for a daemon that starts while the file is there.
    static std::string configured(const std::string& name, const std::string& ports) {
        std::string file = testing::TempDir() + "/syncline-" + std::to_string(::getpid()) + name;
        std::ofstream(file) << "[network]\nudp_ports = " << ports << "\n";
        return file;
    }

    // The description of the job, which the process attaches to.
    static JobSpec spec_of(Gathered* found) {
        Message attach;
        attach.type = MessageType::kAttach;
        attach.append(AttachRequest{found->token, found->job, found->rank});
        return read_job(found->channel.call(attach), sizeof(AttachAnswer)).spec;
    }

    // The daemon's answer to Stat.
    static std::string jobs_of(const std::string& address) {
        Channel channel = Channel::greet(address);
        Message stat;
        stat.type = MessageType::kStat;
        return channel.call(stat).text();
    }

    std::vector<std::unique_ptr<Program>> daemons_;
};

TEST_F(Gathering, OneNodeAgrees) {
    const std::string daemon = start_daemon();
    std::vector<Outcome> outcomes = gather_all({{daemon, {0, 1, 2}}});
    for (uint32_t rank = 0; rank < 3; rank++) {
        EXPECT_EQ(outcomes[rank].sentence, "");
        EXPECT_EQ(outcomes[rank].gathered.rank, rank);
        EXPECT_EQ(outcomes[rank].gathered.job, outcomes[0].gathered.job);
        EXPECT_EQ(outcomes[rank].gathered.token, outcomes[0].gathered.token);
    }
    EXPECT_NE(jobs_of(daemon).find(R"("ranks":[0,1,2])"), std::string::npos) << jobs_of(daemon);
    EXPECT_NE(jobs_of(daemon).find(R"("transport":"shm")"), std::string::npos) << jobs_of(daemon);
    outcomes.clear();
    EXPECT_EQ(jobs_of(daemon), "[]") << "no process has attached, and the maker is gone";
}

TEST_F(Gathering, TheWishesOfRank0Hold) {
    const std::string daemon = start_daemon();
    wishes.window = 5;
    wishes.authenticate = false;
    wishes.peer_timeout_ms = 1234;
    std::vector<Outcome> outcomes = gather_all({{daemon, {0, 1}}});
    const JobSpec spec = spec_of(&outcomes[1].gathered);
    EXPECT_EQ(spec.config.window, 5u);
    EXPECT_EQ(spec.config.authenticate, 0u);
    EXPECT_EQ(spec.peer_timeout_ms, 1234u);
    EXPECT_EQ(spec.heap_bytes, wishes.heap_bytes);
}

TEST_F(Gathering, ANodeWithoutADaemonIsToldByAll) {
    const std::string daemon = start_daemon();
    expect_sentence(gather_all({{daemon, {0, 2}}, {"@syncline-test/none", {1, 3}}}),
                    "the node of PE 1: no daemon answers at '@syncline-test/none'");
    EXPECT_EQ(jobs_of(daemon), "[]");
}

// Two daemons of one machine offer the same address, and one UDP port there cannot be both nodes'.
TEST_F(Gathering, APartThatCannotBeMadeIsToldByAll) {
    const std::string one = start_daemon();
    const std::string other = start_daemon();
    expect_sentence(gather_all({{one, {0, 1}}, {other, {2}}}), "is taken by another program");
    EXPECT_EQ(jobs_of(one) + jobs_of(other), "[][]");
}

// The ranges of the two have one port in common. That is chosen, and the second daemon finds it taken, as above.
TEST_F(Gathering, APortIsOneThatAllDaemonsOffer) {
    const std::string files[3] = {configured("low", "[30000, 30100]"), configured("high", "[30100, 30200]"),
                                  configured("above", "[30101, 30200]")};
    const std::string low = start_daemon({"--config", files[0]});
    const std::string high = start_daemon({"--config", files[1]});
    const std::string above = start_daemon({"--config", files[2]});
    expect_sentence(gather_all({{low, {0, 1}}, {high, {2}}}), "UDP port 30100 of 127.0.0.1 is taken");
    for (int i = 0; i < 100 && jobs_of(low) + jobs_of(high) != "[][]"; i++) {
        ::usleep(20000);  // the port is taken until the parts have ended
    }
    expect_sentence(gather_all({{high, {0, 1}}, {low, {2}}}), "UDP port 30100 of 127.0.0.1 is taken");
    expect_sentence(gather_all({{low, {0, 1}}, {above, {2}}}), "no UDP port is free on all 2 nodes");
    for (const std::string& file : files) {
        ::unlink(file.c_str());
    }
}

// Another program takes the port after the node has offered it. The job goes to the next one.
TEST_F(Gathering, APortThatIsTakenMeanwhileIsNoReasonToFail) {
    constexpr uint16_t first = 30300;
    const std::string file = configured("two-ports", fmt::format("[{}, {}]", first, first + 1));
    const std::string daemon = start_daemon({"--config", file});
    ::unlink(file.c_str());
    UniqueFd rival(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    Room room(1);
    Guest guest(&room, 0, 1, {0});
    guest.after_first_exchange = [&] {
        sockaddr_in address = {};
        address.sin_family = AF_INET;
        address.sin_port = htons(first);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        ASSERT_EQ(::bind(rival.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    };
    wishes.daemon = daemon;
    wishes.transport = "udp";
    wishes.timeout_ms = 20000;
    Gathered found = gather(&guest, wishes);
    EXPECT_EQ(spec_of(&found).config.udp_port, first + 1U);
}

TEST_F(Gathering, TransportsThatANodeLacksAreRefusedByAll) {
    const std::string one = start_daemon();
    const std::string other = start_daemon();
    expect_sentence(gather_all({{one, {0}}, {other, {1}}}, "xdp"), "not every node's daemon offers xdp");
    expect_sentence(gather_all({{one, {0}}, {other, {1}}}, "shm"), "works within one node");
    expect_sentence(gather_all({{one, {0, 1}}}, "pigeon"), "SYNCLINE_TRANSPORT is 'pigeon'");
    EXPECT_EQ(jobs_of(one) + jobs_of(other), "[][]");
}

TEST_F(Gathering, OneThatNeverComesIsWaitedForInVain) {
    const std::string daemon = start_daemon();
    const std::vector<Outcome> outcomes = gather_all({{daemon, {0, 1, 2}}}, "auto", {1});
    EXPECT_EQ(outcomes[0].sentence, "not all have come");
    EXPECT_EQ(outcomes[2].sentence, "not all have come");
    EXPECT_EQ(jobs_of(daemon), "[]");
}

TEST_F(Gathering, RanksThatAreOnTwoNodesAreRefused) {
    const std::string one = start_daemon();
    const std::string other = start_daemon();
    Room room(2);
    std::vector<std::string> sentences(2);
    std::vector<std::thread> processes;
    for (uint32_t rank = 0; rank < 2; rank++) {
        processes.emplace_back([&, rank] {
            Guest guest(&room, rank, 2, rank == 0 ? std::vector<uint32_t>{0} : std::vector<uint32_t>{1, 0});
            try {
                gather(&guest,
                       {.daemon = rank == 0 ? one : other, .heap_bytes = 2 * heap_reserved_bytes, .timeout_ms = 1000});
            } catch (const Failure& failure) {
                sentences[rank] = failure.what();
            }
        });
    }
    for (std::thread& process : processes) {
        process.join();
    }
    EXPECT_NE(sentences[0], "");
    EXPECT_NE(sentences[1], "");
}

}  // namespace
}  // namespace syncline
