// SPDX-License-Identifier: BSD-3-Clause
// Method: an in-process daemon whose administrator has decided who may have jobs and how much memory, and a user in a
// child process that asks for more than that, or for a job of another user.
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/daemon/daemon_client.h"
#include "tests/daemon/other_user.h"

namespace syncline::testing_daemon {
namespace {

constexpr gid_t computing = 64001;
constexpr uint64_t mib = 1 << 20;

JobSpec job_of(uid_t owner, uint32_t id, uint64_t heap_bytes = mib) {
    JobSpec spec = small_job(id, 1);
    spec.held_by_pes = 1;
    spec.owner_uid = owner;
    spec.heap_bytes = heap_bytes;
    spec.config.udp_port = service_port_first + 7;
    return spec;
}

class Quotas : public testing::Test {
  protected:
    Quotas() {
        spdlog::set_level(spdlog::level::off);
        settings.interfaces = {"lo"};
    }
    void SetUp() override {
        if (::geteuid() != 0) {
            GTEST_SKIP() << "acting as another user needs root";
        }
        std::ofstream(said).close();
        ::chmod(said.c_str(), 0666);
        server = std::make_unique<InProcess>(Daemon::Options{
            .address = "@syncline-test/" + std::to_string(::getpid()) + "/quota", .settings = settings});
    }

    // The status of a request: 0, or positive; the sentence is in `said`.
    int try_to(const std::function<void(Channel* channel)>& act) {
        try {
            Channel channel = Channel::greet(server->address);
            act(&channel);
            return 0;
        } catch (const Failure& failure) {
            std::ofstream(said) << failure.what();
            return -failure.status();
        }
    }
    int create_as_user(const JobSpec& spec, const std::vector<gid_t>& groups = {}) {
        return as_other_user(
            &server->daemon, [&] { return try_to([&](Channel* channel) { channel->call(create_message(spec)); }); },
            groups);
    }
    std::string sentence() const {
        std::string text;
        std::getline(std::ifstream(said), text);
        return text;
    }
    ~Quotas() override { ::unlink(said.c_str()); }

    const std::string said = "/tmp/syncline-quota-" + std::to_string(::getpid());
    Settings settings;
    std::unique_ptr<InProcess> server;
};

class Groups : public Quotas {
  protected:
    Groups() { settings.groups = {{64000, "physics"}, {computing, "computing"}}; }
};

TEST_F(Groups, OfTheProcessDecide) {
    EXPECT_EQ(create_as_user(job_of(other_user, 0x301)), -SYNCLINE_ERR_PERMISSION);
    EXPECT_EQ(sentence(),
              "user 65534 may not create jobs at this daemon, which serves members of physics or computing; "
              "its administrator allows it by users.all or users.groups in synclined.toml, and a reload");
    EXPECT_EQ(create_as_user(job_of(other_user, 0x302), {64002}), -SYNCLINE_ERR_PERMISSION) << "another group";
    EXPECT_EQ(create_as_user(job_of(other_user, 0x303), {12, computing, 64002}), 0);
    // More of them than the first answer of the kernel has room for.
    std::vector<gid_t> many(3000, 64002);
    EXPECT_EQ(create_as_user(job_of(other_user, 0x304), many), -SYNCLINE_ERR_PERMISSION);
    many.back() = computing;
    EXPECT_EQ(create_as_user(job_of(other_user, 0x305), many), 0);
}

TEST_F(Groups, ChangeWhileTheDaemonRuns) {
    EXPECT_EQ(create_as_user(job_of(other_user, 0x306), {computing}), 0);
    settings.groups.clear();
    server->daemon.change(settings);
    EXPECT_EQ(create_as_user(job_of(other_user, 0x307), {computing}), -SYNCLINE_ERR_PERMISSION);
    settings.serves_users = true;
    server->daemon.change(settings);
    EXPECT_EQ(create_as_user(job_of(other_user, 0x308)), 0);
}

class MemoryOfAUser : public Quotas {
  protected:
    MemoryOfAUser() {
        settings.serves_users = true;
        settings.memory_of_user = 32 * mib;
    }
};

TEST_F(MemoryOfAUser, IsThatOfAllHisJobs) {
    const int made = as_other_user(&server->daemon, [&] {
        std::vector<Channel> makers;
        for (uint32_t i = 0;; i++) {
            makers.push_back(Channel::greet(server->address));
            if (const int status = try_to(
                    [&](Channel*) { makers.back().call(create_message(job_of(other_user, 0x310 + i, 10 * mib))); });
                status != 0) {
                return status == -SYNCLINE_ERR_NO_MEMORY ? static_cast<int>(i) : 102;
            }
        }
    });
    EXPECT_EQ(made, 3);
    EXPECT_NE(sentence().find("more than user 65534's limit of 32.0 MiB"), std::string::npos) << sentence();
    EXPECT_EQ(create_as_user(job_of(other_user, 0x320, 31 * mib)), 0) << "ended jobs have given theirs back";
    EXPECT_EQ(create_as_user(job_of(other_user, 0x321, 33 * mib)), -SYNCLINE_ERR_NO_MEMORY);
    Channel of_root = server->greeted();
    EXPECT_EQ(server->ask(&of_root, create_message(job_of(0, 0x322, 64 * mib))).status, SYNCLINE_OK);
}

TEST_F(MemoryOfAUser, CountsRegistrationsAndTables) {
    const int refused = as_other_user(&server->daemon, [&] {
        return try_to([&](Channel* channel) {
            JobSpec spec = job_of(other_user, 0x330, 16 * mib);
            spec.transport = TransportKind::kUdp;  // which has tables for packets
            channel->call(create_message(spec));
            channel->call(attach_message(spec, 0));
            channel->call(message_of(MessageType::kRegister, RegisterRequest{8 * mib}));
            channel->call(message_of(MessageType::kRegister, RegisterRequest{8 * mib}));
        });
    });
    EXPECT_EQ(refused, -SYNCLINE_ERR_NO_MEMORY) << "16 + 8 + 8 MiB fit, but the tables do not";
    EXPECT_NE(sentence().find("the registration: 8.0 MiB beside the 24."), std::string::npos) << sentence();
}

class OthersJobs : public Quotas {
  protected:
    OthersJobs() { settings.serves_users = true; }
};

TEST_F(OthersJobs, AreNeitherJoinedNorSeen) {
    const JobSpec spec = job_of(0, 0x340);
    Channel maker = server->greeted();
    ASSERT_EQ(server->ask(&maker, create_message(spec)).status, SYNCLINE_OK);
    EXPECT_EQ(as_other_user(&server->daemon,
                            [&] { return try_to([&](Channel* channel) { channel->call(attach_message(spec, 0)); }); }),
              -SYNCLINE_ERR_PERMISSION)
        << "with its number and token";
    EXPECT_EQ(sentence(), "job 00000340 belongs to another user");
    EXPECT_EQ(as_other_user(&server->daemon,
                            [&] {
                                Channel channel = Channel::greet(server->address);
                                return channel.call(message_of(MessageType::kStat)).text() == "[]" ? 0 : 1;
                            }),
              0);
}

TEST_F(OthersJobs, AreNotDisplacedByOneOfTheSameNumber) {
    Channel maker = server->greeted();
    ASSERT_EQ(server->ask(&maker, create_message(job_of(0, 0x341))).status, SYNCLINE_OK);
    EXPECT_EQ(create_as_user(job_of(other_user, 0x341)), -SYNCLINE_ERR_BUSY);
}

// The daemon says how much memory a job may take that no launcher of ours has planned.
TEST(ShareOfAJob, BoundsWhatItsPesMayTakeTogether) {
    spdlog::set_level(spdlog::level::off);
    Settings settings;
    settings.interfaces = {"lo"};
    settings.memory_of_job = 1e-9;  // less than a MiB of any machine's memory, which is the least
    InProcess small(
        Daemon::Options{.address = "@syncline-test/" + std::to_string(::getpid()) + "/share", .settings = settings});
    Channel maker = small.greeted();
    const Message answer = small.ask(&maker, create_message(job_of(::geteuid(), 0x350, 2 * mib)));
    EXPECT_EQ(answer.status, SYNCLINE_ERR_NO_MEMORY);
    EXPECT_NE(answer.text().find("this job's limit of 1.0 MiB"), std::string::npos) << answer.text();
    JobSpec immodest = job_of(::geteuid(), 0x351, 2 * mib);
    immodest.memory_mib = 1 << 20;
    EXPECT_EQ(small.ask(&maker, create_message(immodest)).status, SYNCLINE_ERR_NO_MEMORY) << "it asks for more";
    settings.memory_of_job = 0.5;
    small.daemon.change(settings);
    EXPECT_EQ(small.ask(&maker, create_message(job_of(::geteuid(), 0x350, 2 * mib))).status, SYNCLINE_OK);
}

}  // namespace
}  // namespace syncline::testing_daemon
