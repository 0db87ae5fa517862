// SPDX-License-Identifier: BSD-3-Clause
// Method: an in-process daemon of one thread makes jobs over xdp on loopback in a network namespace of the test's own.
// Meanwhile another client asks it again and again. Checked: the loop takes less than a tenth of the CPU that the job
// takes, and answers the other client all the time; a client that leaves leaves no job, begun or not; a job that cannot
// be built is refused with its error message; the same number is refused at once. Jobs with packets of one length have
// one NIC program, which one with shorter packets does not have, and which the daemon loads ahead; the memory of a job
// that ends is the machine's again, and its place is the next job's, more often than there are places.
#include <bpf/bpf.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <thread>

#include "base/clock.h"
#include "tests/daemon/daemon_client.h"
#include "tests/daemon/programs_of.h"

namespace syncline::testing_daemon {
namespace {

JobSpec xdp_job(uint32_t id) {
    JobSpec spec = small_job(id, 1);
    spec.transport = TransportKind::kXdp;
    spec.config.udp_port = 7600 + id % 100;
    std::strcpy(spec.interface, "lo");
    return spec;
}

uint64_t cpu_ns(clockid_t clock) {
    timespec now = {};
    ::clock_gettime(clock, &now);
    return static_cast<uint64_t>(now.tv_sec) * ns_per_s + static_cast<uint64_t>(now.tv_nsec);
}

class JobsBesideTheLoop : public testing::Test {
  protected:
    // Network namespaces are those of threads.
    void in_own_network(const std::function<void(InProcess*)>& work) {
        in_own_network({}, Daemon::Options{.address = ""}, work);
    }
    // With the interfaces that a command makes.
    void in_own_network(const std::string& command, Daemon::Options options,
                        const std::function<void(InProcess*)>& work) {
        if (::geteuid() != 0) {
            GTEST_SKIP() << "xdp and namespaces need root";
        }
        spdlog::set_level(spdlog::level::off);
        std::thread thread([&] {
            ASSERT_EQ(::unshare(CLONE_NEWNET), 0) << std::strerror(errno);
            const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
            ifreq up = {};
            std::strcpy(up.ifr_name, "lo");
            up.ifr_flags = IFF_UP;
            ASSERT_EQ(::ioctl(socket.get(), SIOCSIFFLAGS, &up), 0);
            ASSERT_EQ(command.empty() ? 0 : std::system(command.c_str()), 0);
            options.address = "@syncline-test/" + std::to_string(::getpid()) + "/builder";
            InProcess server(options);
            work(&server);
        });
        thread.join();
    }

    // The answer, once it is there.
    static Message await(InProcess* server, Channel* channel) {
        Message answer = message_of(MessageType::kAbort);
        for (int turn = 0; turn < 1000; turn++) {
            (void)server->daemon.do_work(10);
            if (server->receive(channel, &answer) == Channel::Received::kMessage) {
                break;
            }
        }
        return answer;
    }
    static Message create(InProcess* server, Channel* channel, const JobSpec& spec) {
        EXPECT_TRUE(channel->send(create_message(spec)));
        return await(server, channel);
    }
    static bool runs(InProcess* server, const JobSpec& spec) {
        Channel asker = server->greeted();
        return server->ask(&asker, message_of(MessageType::kStat))
                   .text()
                   .find(fmt::format("{:08x}", spec.config.job)) != std::string::npos;
    }
};

// The loop answers another client in each turn, job or not: an ordinary turn is measured before there is a job, and
// what the turns take beyond it is the job's.
TEST_F(JobsBesideTheLoop, KeepItForLessThanATenth) {
    in_own_network([](InProcess* server) {
        Channel other = server->greeted();
        Channel launcher = server->greeted();
        const auto turn_ns = [&] {
            const uint64_t before = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
            (void)server->daemon.do_work(5);
            EXPECT_EQ(server->ask(&other, message_of(MessageType::kStat)).status, SYNCLINE_OK);
            return cpu_ns(CLOCK_THREAD_CPUTIME_ID) - before;
        };
        constexpr int ordinary_turns = 50;
        uint64_t ordinary_ns = 0;
        for (int turn = 0; turn < ordinary_turns; turn++) {
            ordinary_ns += turn_ns();
        }
        const uint64_t cpu_before = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
        const uint64_t thread_before = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
        ASSERT_TRUE(launcher.send(create_message(xdp_job(0xc1))));
        int turns = 0;
        uint64_t loop_ns = 0;
        Message created;
        while (server->receive(&launcher, &created) == Channel::Received::kNothing) {
            loop_ns += turn_ns();
            turns++;
            ::usleep(5000);
            ASSERT_LT(turns, 10'000);
        }
        const uint64_t thread_ns = cpu_ns(CLOCK_THREAD_CPUTIME_ID) - thread_before;
        const uint64_t beside_ns = cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_before - thread_ns;
        const uint64_t answers_ns = std::min(loop_ns, ordinary_ns / ordinary_turns * turns);
        const uint64_t of_the_loop = loop_ns - answers_ns;
        EXPECT_EQ(created.status, SYNCLINE_OK) << created.text();
        EXPECT_GE(turns, 5);
        EXPECT_LT(of_the_loop * 10, of_the_loop + beside_ns) << "beside " << turns << " answers to another client";
        EXPECT_TRUE(runs(server, xdp_job(0xc1)));
        std::printf("a job takes %lu us of the loop's CPU and %lu us beside it; %d answers meanwhile took %lu us\n",
                    of_the_loop / 1000, beside_ns / 1000, turns, answers_ns / 1000);
    });
}

size_t programs() {
    return programs_of(::getpid()).size();
}

// Maps of the whole machine with so many entries of a block: a heap's.
size_t heaps_of(uint32_t blocks) {
    size_t found = 0;
    for (uint32_t id = 0; bpf_map_get_next_id(id, &id) == 0;) {
        const UniqueFd map(bpf_map_get_fd_by_id(id));
        bpf_map_info info = {};
        uint32_t length = sizeof(info);
        found += map && bpf_obj_get_info_by_fd(map.get(), &info, &length) == 0 && info.max_entries == blocks &&
                 info.value_size == SLW_BLOCK_BYTES;
    }
    return found;
}

constexpr size_t of_a_program = 3;  // the NIC program, the one for clones, and the dispatcher of all

TEST_F(JobsBesideTheLoop, ShareAProgram) {
    in_own_network([](InProcess* server) {
        Channel one = server->greeted();
        Channel two = server->greeted();
        Channel shorter = server->greeted();
        ASSERT_EQ(create(server, &one, xdp_job(0xd1)).status, SYNCLINE_OK);
        EXPECT_EQ(programs(), of_a_program);
        ASSERT_EQ(create(server, &two, xdp_job(0xd2)).status, SYNCLINE_OK);
        EXPECT_EQ(programs(), of_a_program);
        JobSpec brief = xdp_job(0xd3);
        brief.config.packet_max = SLW_PACKET_LEAST;
        ASSERT_EQ(create(server, &shorter, brief).status, SYNCLINE_OK);
        EXPECT_EQ(programs(), of_a_program + 2);
        shorter.close();
        server->pump();
        EXPECT_EQ(programs(), of_a_program) << "it ends with its job";
    });
}

TEST_F(JobsBesideTheLoop, FindTheProgramThatTheDaemonHasLoaded) {
    Daemon::Options options = {.address = "", .prepares_for_xdp = true};
    options.settings.interfaces = {"job0"};
    const char* const links =
        "ip link add job0 type veth peer job1 && ip addr add 10.9.9.1/24 dev job0 && ip link set job0 up && ip link "
        "set job1 up";
    in_own_network(links, options, [](InProcess* server) {
        for (int turn = 0; turn < 1000 && programs() < 2; turn++) {
            (void)server->daemon.do_work(10);
        }
        EXPECT_EQ(programs(), 2u) << "before there is a job";
        Channel launcher = server->greeted();
        JobSpec spec = xdp_job(0xd5);
        std::strcpy(spec.interface, "job0");
        ASSERT_EQ(create(server, &launcher, spec).status, SYNCLINE_OK);
        EXPECT_EQ(programs(), of_a_program);
    });
}

TEST_F(JobsBesideTheLoop, LeaveTheirPlaces) {
    in_own_network([](InProcess* server) {
        JobSpec spec = xdp_job(0xd4);
        const uint32_t blocks = 37 + static_cast<uint32_t>(::getpid()) % 61;
        spec.heap_bytes = uint64_t{blocks} * SLW_BLOCK_BYTES;
        for (int turn = 0; turn < 40; turn++) {
            Channel launcher = server->greeted();
            ASSERT_EQ(create(server, &launcher, spec).status, SYNCLINE_OK) << "job " << turn;
            EXPECT_EQ(programs(), of_a_program);
            EXPECT_GE(heaps_of(blocks), 1u);
            launcher.close();
            server->pump();
        }
        for (int wait = 0; heaps_of(blocks) != 0 && wait < 200; wait++) {
            ::usleep(20'000);
        }
        EXPECT_EQ(heaps_of(blocks), 0u);
        EXPECT_EQ(programs(), 2u) << "of the program that stays";
    });
}

// As many as there are places, and two more, which have a program of their own.
TEST_F(JobsBesideTheLoop, AreMoreThanAProgramHasPlaces) {
    in_own_network([](InProcess* server) {
        std::vector<Channel> launchers;
        for (uint32_t i = 0; i < 34; i++) {
            launchers.push_back(server->greeted());
            ASSERT_EQ(create(server, &launchers.back(), xdp_job(0x100 + i)).status, SYNCLINE_OK) << "job " << i;
        }
        EXPECT_EQ(programs(), of_a_program + 2 * 2);
        launchers[5].close();
        server->pump();
        ::usleep(500'000);  // to sweep the place
        Channel next = server->greeted();
        EXPECT_EQ(create(server, &next, xdp_job(0x200)).status, SYNCLINE_OK);
        EXPECT_EQ(programs(), of_a_program + 2 * 2) << "in the place that has become free";
    });
}

TEST_F(JobsBesideTheLoop, EndWithAClientThatLeaves) {
    in_own_network([](InProcess* server) {
        Channel begun = server->greeted();
        Channel waiting = server->greeted();
        ASSERT_TRUE(begun.send(create_message(xdp_job(0xc2))));
        ASSERT_TRUE(waiting.send(create_message(xdp_job(0xc3))));
        server->pump();
        begun.close();
        waiting.close();
        Channel next = server->greeted();
        EXPECT_EQ(create(server, &next, xdp_job(0xc4)).status, SYNCLINE_OK);
        EXPECT_FALSE(runs(server, xdp_job(0xc2)));
        EXPECT_FALSE(runs(server, xdp_job(0xc3)));
        Channel again = server->greeted();
        EXPECT_EQ(create(server, &again, xdp_job(0xc2)).status, SYNCLINE_OK) << "number and port are free";
    });
}

TEST_F(JobsBesideTheLoop, AreRefusedWithTheirSentence) {
    in_own_network([](InProcess* server) {
        Channel first = server->greeted();
        Channel twin = server->greeted();
        Channel wrong = server->greeted();
        ASSERT_TRUE(first.send(create_message(xdp_job(0xc5))));
        server->pump();
        const Message busy = server->ask(&twin, create_message(xdp_job(0xc5)));
        EXPECT_EQ(busy.status, SYNCLINE_ERR_BUSY) << "at once";
        JobSpec elsewhere = xdp_job(0xc6);
        std::strcpy(elsewhere.interface, "none");
        const Message refused = create(server, &wrong, elsewhere);
        EXPECT_EQ(refused.status, SYNCLINE_ERR_NOT_FOUND);
        EXPECT_NE(refused.text().find("'none'"), std::string::npos) << refused.text();
        EXPECT_EQ(await(server, &first).status, SYNCLINE_OK);
        EXPECT_EQ(create(server, &wrong, xdp_job(0xc7)).status, SYNCLINE_OK) << "after a refusal";
    });
}

}  // namespace
}  // namespace syncline::testing_daemon
