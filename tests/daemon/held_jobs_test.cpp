// SPDX-License-Identifier: BSD-3-Clause
// Method: jobs that Syncline's launcher does not make; the test sends each message to an in-process daemon itself: what
// the daemon offers, how long such a job lives, and which of them an unprivileged user may have. That user is a child
// process.
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <sstream>

#include "daemon/addresses.h"
#include "tests/daemon/daemon_client.h"
#include "tests/daemon/other_user.h"

namespace syncline::testing_daemon {
namespace {

Daemon::Options serving_users(const std::string& address) {
    Daemon::Options options;
    options.address = address;
    options.settings.serves_users = true;
    options.settings.interfaces = {"lo"};
    return options;
}

JobSpec held(uint32_t id, uint32_t ports, uid_t owner = ::geteuid()) {
    JobSpec spec = small_job(id, ports);
    spec.held_by_pes = 1;
    spec.owner_uid = owner;
    spec.config.udp_port = service_port_first + 7;
    spec.agent_mode = AgentMode::kBlock;
    return spec;
}

class HeldJobs : public testing::Test {
  protected:
    HeldJobs() { spdlog::set_level(spdlog::level::off); }

    // The connection that has made the job.
    Channel create(const JobSpec& spec) {
        Channel creator = server.greeted();
        const Message made = server.ask(&creator, create_message(spec));
        EXPECT_EQ(made.status, SYNCLINE_OK) << made.text();
        return creator;
    }
    // A PE that has attached, or whose channel is closed.
    Channel attach(const JobSpec& spec, uint32_t rank) {
        Channel channel = server.greeted();
        if (server.ask(&channel, attach_message(spec, rank)).status != SYNCLINE_OK) {
            channel.close();
        }
        return channel;
    }
    bool runs(const JobSpec& spec) {
        Channel asker = server.greeted();
        return server.ask(&asker, message_of(MessageType::kStat)).text().find(fmt::format("{:08x}", spec.config.job)) !=
               std::string::npos;
    }
    InProcess server{serving_users("@syncline-test/" + std::to_string(::getpid()) + "/held")};
};

TEST_F(HeldJobs, LiveWithTheirPesAndNotWithTheirMaker) {
    const JobSpec spec = held(0xb1, 2);
    Channel creator = create(spec);
    Channel first = attach(spec, 0);
    Channel second = attach(spec, 1);
    ASSERT_TRUE(first.valid() && second.valid());
    creator.close();
    server.pump();
    EXPECT_TRUE(runs(spec));
    EXPECT_EQ(server.ask(&first, message_of(MessageType::kDetach)).status, SYNCLINE_OK);
    EXPECT_TRUE(runs(spec)) << "one PE is still there";
    second.close();  // as if it were killed
    server.pump();
    EXPECT_FALSE(runs(spec)) << "the connection of a PE that has left holds nothing";
}

TEST_F(HeldJobs, EndWithTheirMakerIfNobodyCame) {
    const JobSpec spec = held(0xb2, 2);
    Channel creator = create(spec);
    EXPECT_EQ(server.ask(&creator, create_message(held(0xbf, 1))).status, SYNCLINE_ERR_PROTOCOL) << "its second";
    EXPECT_TRUE(runs(spec));
    creator.close();
    server.pump();
    EXPECT_FALSE(runs(spec));
}

TEST_F(HeldJobs, EndWithAMakerThatWasTheirOnlyPe) {
    const JobSpec spec = held(0xb3, 2);
    Channel creator = create(spec);
    ASSERT_EQ(server.ask(&creator, attach_message(spec, 0)).status, SYNCLINE_OK);
    EXPECT_TRUE(runs(spec));
    creator.close();
    server.pump();
    EXPECT_FALSE(runs(spec));
}

TEST_F(HeldJobs, AreOfferedAnAddressTransportsAndFreePorts) {
    const UniqueFd taken = make_udp_socket(NodeAddress::parse("127.0.0.1"), service_port_first + 9);
    Channel channel = server.greeted();
    const Message answer = server.ask(&channel, message_of(MessageType::kOffer));
    NodeOffer offer = {};
    ASSERT_EQ(answer.status, SYNCLINE_OK) << answer.text();
    ASSERT_TRUE(answer.read(&offer));
    EXPECT_EQ(offer.transports, 3u) << "shm and udp; loopback has no NIC";
    const auto behind = std::span(answer.body).subspan(sizeof(offer));
    ASSERT_GT(behind.size(), offer.address_length);
    EXPECT_EQ(NodeAddress(offer.address_kind, behind.first(offer.address_length)).text(), "127.0.0.1");
    const auto why = behind.subspan(offer.address_length);
    EXPECT_NE(std::string(why.begin(), why.end()).find("lo"), std::string::npos) << "why it does not offer xdp";
    EXPECT_EQ(offer.free_ports[1] >> 1 & 1, 0) << "port 9 is taken";
    EXPECT_EQ(offer.free_ports[1] >> 2 & 1, 1);
}

// The status of a CreateJob, as the sender sees it.
int status_of(const std::string& address, const JobSpec& spec) {
    try {
        Channel channel = Channel::connect(address);
        channel.call(hello());
        channel.call(create_message(spec));
        return SYNCLINE_OK;
    } catch (const Failure& failure) {
        return failure.status();
    }
}

// The words of a daemon with -v while `act` runs.
std::string words_while(const std::function<void()>& act) {
    std::ostringstream words;
    const std::shared_ptr<spdlog::logger> before = spdlog::default_logger();
    spdlog::set_default_logger(
        std::make_shared<spdlog::logger>("captured", std::make_shared<spdlog::sinks::ostream_sink_mt>(words)));
    spdlog::set_level(spdlog::level::info);
    act();
    spdlog::set_default_logger(before);
    spdlog::set_level(spdlog::level::off);
    return words.str();
}

TEST_F(HeldJobs, AVerboseDaemonNamesThem) {
    const std::string words = words_while([&] {
        Channel creator = create(held(0xb7, 2));
        Channel other = server.greeted();
        EXPECT_EQ(server.ask(&other, create_message(held(0xb7, 2))).status, SYNCLINE_ERR_BUSY);
        creator.close();
        while (runs(held(0xb7, 2))) {
        }
    });
    const std::string user = std::to_string(::geteuid());
    for (const std::string& line :
         {"job 000000b7 of user " + user + " begins: 2 PEs here, 2 in all on 1 node, over shm",
          "process " + std::to_string(::getpid()) + " of user " + user + " is refused: job 000000b7 runs here already",
          "job 000000b7 of user " + user + " has ended"}) {
        EXPECT_NE(words.find(line), std::string::npos) << line << "\n" << words;
    }
}

TEST_F(HeldJobs, OfAUserAreHisOwnAndOverWhatIsOffered) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "acting as another user needs root";
    }
    std::vector<std::pair<const char*, JobSpec>> wrong;
    const auto add = [&](const char* what) -> JobSpec& {
        wrong.emplace_back(what, held(0xc0 + static_cast<uint32_t>(wrong.size()), 1, other_user));
        return wrong.back().second;
    };
    add("another user's").owner_uid = 0;
    add("held by its maker").held_by_pes = 0;
    std::strcpy(add("over an interface").interface, "eth0");
    add("with a CPU for its agent").agent_cpu = 0;
    add("with an agent that polls").agent_mode = AgentMode::kPoll;
    add("with faults").faults.loss = 0.5;
    add("with a port below").config.udp_port = service_port_first - 1;
    add("with a port above").config.udp_port = service_port_first + service_ports;
    for (const auto& [what, spec] : wrong) {
        EXPECT_EQ(as_other_user(&server.daemon, [&] { return -status_of(server.address, spec); }),
                  -SYNCLINE_ERR_PERMISSION)
            << what;
        EXPECT_FALSE(runs(spec)) << what;
    }
    Description elsewhere(held(0xd0, 1, other_user));
    elsewhere.addresses[0] = {127, 0, 0, 2};
    EXPECT_EQ(as_other_user(&server.daemon,
                            [&] {
                                Channel channel = Channel::connect(server.address);
                                channel.call(hello());
                                try {
                                    channel.call(elsewhere.message());
                                    return 0;
                                } catch (const Failure& failure) {
                                    return -failure.status();
                                }
                            }),
              -SYNCLINE_ERR_PERMISSION)
        << "at an address that is not offered";
}

TEST_F(HeldJobs, OfAUserAreSoMany) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "acting as another user needs root";
    }
    const int made = as_other_user(&server.daemon, [&] {
        std::vector<Channel> makers;
        for (int id = 0; id < 50; id++) {
            makers.push_back(Channel::greet(server.address));
            try {
                makers.back().call(create_message(held(0x100 + static_cast<uint32_t>(id), 1, other_user)));
            } catch (const Failure& failure) {
                return failure.status() == SYNCLINE_ERR_BUSY ? id : 102;
            }
        }
        return 50;
    });
    EXPECT_EQ(made, 16);
    EXPECT_TRUE(create(held(0x200, 1)).valid()) << "others have theirs";
}

TEST_F(HeldJobs, NeedADaemonThatServesUsers) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "acting as another user needs root";
    }
    Daemon::Options options = serving_users(server.address + "3");
    options.settings.serves_users = false;
    InProcess closed(options);
    EXPECT_EQ(as_other_user(&closed.daemon, [&] { return -status_of(closed.address, held(0xe0, 1, other_user)); }),
              -SYNCLINE_ERR_PERMISSION);
}

}  // namespace
}  // namespace syncline::testing_daemon
