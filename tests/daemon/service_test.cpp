// SPDX-License-Identifier: BSD-3-Clause
// Method: synclined as an administrator runs it: with a configuration that changes under it, with a socket that plays
// the service manager, with a standard error that it takes for the journal's; stopped while it has jobs, and started
// again.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/daemon/resident.h"

namespace syncline::testing_daemon {
namespace {

class Service : public Resident {
  protected:
    ~Service() override { ::unlink(file.c_str()); }

    void write(const std::string& content) const { std::ofstream(file) << content; }
    std::unique_ptr<Program> start(const std::string& content, const Strings& environment = {}) const {
        write(content);
        return start_daemon({"--config", file, "--interface", "lo"}, environment);
    }
    // Until the daemon has read what is there.
    void reload(Program* daemon, const std::string& content, const std::string& said) {
        write(content);
        const size_t before = daemon->output().size();
        ::kill(daemon->pid(), SIGHUP);
        for (int i = 0; i < 400 && daemon->output().find(said, before) == std::string::npos; i++) {
            (void)daemon->wait(10);
        }
        EXPECT_NE(daemon->output().find(said, before), std::string::npos) << daemon->output();
    }
    NodeOffer offer() const {
        NodeOffer offer = {};
        EXPECT_TRUE(connect().call(message_of(MessageType::kOffer)).read(&offer));
        return offer;
    }

    const std::string file = path + ".toml";
};

TEST_F(Service, ReadsItsFileAgain) {
    const auto daemon = start("verbose = true\n[network]\nudp_ports = [30000, 30009]\n");
    connect();
    EXPECT_EQ(offer().port_first, 30000);
    EXPECT_EQ(offer().free_ports[1] & ~3, 0) << "ten ports, and no more";
    reload(daemon.get(), "verbose = true\n[network]\nudp_ports = [31000, 31009]\n", "has been read again");
    EXPECT_EQ(offer().port_first, 31000);
}

TEST_F(Service, KeepsWhatItHasIfTheFileIsBroken) {
    const auto daemon = start("[network]\nudp_ports = [30000, 30009]\n");
    connect();
    reload(daemon.get(), "[network]\nudp_ports = [31009, 31000]\n",
           file +
               ":2: network.udp_ports goes from 31009 down to 31000: the first port is the lower one; the old "
               "configuration stays");
    ::unlink(file.c_str());
    ::kill(daemon->pid(), SIGHUP);
    EXPECT_EQ(offer().port_first, 30000);
    EXPECT_EQ(daemon->wait(0), -1) << daemon->output();
}

TEST_F(Service, DoesNotStartWithABrokenFile) {
    const auto daemon = start("[users]\njobs = \"many\"\n");
    EXPECT_EQ(daemon->wait(patience_ms), 1);
    EXPECT_EQ(daemon->output(), "synclined: " + file + ":2: users.jobs needs a whole number from 1 to 65535\n");
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(Service, ChecksAFileWithoutServing) {
    write("[users]\njobs = 4\n");
    Program good({tools_folder() + "/synclined", "--check-config", "--config", file});
    EXPECT_EQ(good.wait(patience_ms), 0);
    EXPECT_EQ(good.output(), file + " is in order\n");
    write("[users]\njobs = -4\n");
    Program bad({tools_folder() + "/synclined", "--check-config", "--config", file});
    EXPECT_EQ(bad.wait(patience_ms), 1);
}

// The command line has the last word, also when the file is read again.
TEST_F(Service, OptionsOverrideTheFile) {
    write("socket = \"@syncline-test/elsewhere\"\nverbose = true\n[memory]\nlimit = \"4MiB\"\n");
    const auto daemon = start_daemon({"--config", file, "--memory-limit", "1MiB"});
    Channel launcher = connect();
    JobSpec spec = small_job(0x91, 1);
    spec.heap_bytes = 2 << 20;
    for (const bool again : {false, true}) {
        try {
            launcher.call(create_message(spec));
            ADD_FAILURE() << "the job was made, " << again;
        } catch (const Failure& failure) {
            EXPECT_NE(std::string(failure.what()).find("the daemon's limit of 1.0 MiB"), std::string::npos);
        }
        reload(daemon.get(), "socket = \"@other\"\nverbose = true\n", "has been read again");
    }
}

TEST_F(Service, AFileThatIsInTheWayIsKept) {
    std::ofstream(path) << "another's";
    const auto daemon = start_daemon();
    EXPECT_EQ(daemon->wait(patience_ms), 1);
    EXPECT_NE(daemon->output().find("exists and is no socket"), std::string::npos) << daemon->output();
    EXPECT_TRUE(std::filesystem::is_regular_file(path));
}

// Both kinds of names that systemd gives its socket.
class Managed : public Service, public testing::WithParamInterface<bool> {
  protected:
    Managed() : name((GetParam() ? "@" : "") + path + ".notify") {
        sockaddr_un address = {};
        address.sun_family = AF_UNIX;
        name.copy(address.sun_path, sizeof(address.sun_path));
        if (name[0] == '@') {
            address.sun_path[0] = '\0';
        }
        manager.reset(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
        EXPECT_EQ(::bind(manager.get(), reinterpret_cast<sockaddr*>(&address),
                         static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size())),
                  0);
        const timeval patience = {patience_ms / 1000, 0};
        ::setsockopt(manager.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    }
    ~Managed() override { ::unlink(name.c_str()); }

    std::string heard() const {
        char text[512];
        const ssize_t length = ::recv(manager.get(), text, sizeof(text), 0);
        return length < 0 ? "nothing" : std::string(text, static_cast<size_t>(length));
    }

    const std::string name;
    UniqueFd manager;
};

TEST_P(Managed, TellsHowFarItIs) {
    const auto daemon = start("", {"NOTIFY_SOCKET=" + name});
    EXPECT_EQ(heard(), "READY=1\nSTATUS=Serving jobs at " + path);
    EXPECT_NO_THROW(connect()) << "it listens when it says so";
    ::kill(daemon->pid(), SIGHUP);
    EXPECT_EQ(heard(), "RELOADING=1");
    EXPECT_EQ(heard(), "READY=1");
    ::kill(daemon->pid(), SIGTERM);
    EXPECT_EQ(heard(), "STOPPING=1");
    EXPECT_EQ(daemon->wait(patience_ms), 0);
}

INSTANTIATE_TEST_SUITE_P(Names, Managed, testing::Bool());

TEST_F(Service, WritesPrioritiesForTheJournal) {
    write("verbose = true\n");
    const std::string command = "export JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2); exec " + tools_folder() +
                                "/synclined --socket " + path + " --config " + file;
    Program daemon({"sh", "-c", command});
    EXPECT_TRUE(daemon.wait_for("<6>serving jobs at '" + path + "'", 1, patience_ms)) << daemon.output();
    write("nonsense");
    ::kill(daemon.pid(), SIGHUP);
    EXPECT_TRUE(daemon.wait_for("<3>" + file + ":1: ", 1, patience_ms)) << daemon.output();
    Program second({"sh", "-c", command});
    EXPECT_EQ(second.wait(patience_ms), 1);
    EXPECT_TRUE(second.output().starts_with("<3>synclined: ")) << second.output();
}

class Stopped : public Service, public testing::WithParamInterface<const char*> {};

TEST_P(Stopped, TellsItsPesAndIsServedAgain) {
    auto daemon = start("");
    for (const uint32_t job : {0x92u, 0x93u}) {  // the second one is a new daemon's
        Channel launcher = connect();
        const JobSpec spec = small_job(job, 1);
        launcher.call(create_message(spec));
        const auto pe = start_pe(spec, 0, "wait", GetParam());
        ASSERT_TRUE(pe->wait_for("ready ", 1, patience_ms)) << pe->output();
        ::kill(daemon->pid(), SIGTERM);
        EXPECT_EQ(daemon->wait(patience_ms), 0) << daemon->output();
        EXPECT_EQ(pe->wait(patience_ms), 0) << pe->output();
        EXPECT_EQ(pe->values("waited")[0], -10) << pe->output();
        const Strings because = pe->lines("because 0 ");
        ASSERT_EQ(because.size(), 1u) << pe->output();
        EXPECT_NE(because[0].find("the daemon of node 0 was stopped"), std::string::npos) << because[0];
        Message last;
        do {
            ASSERT_EQ(launcher.receive(&last, true), Channel::Received::kMessage);
        } while (last.type == MessageType::kMember);
        EXPECT_EQ(last.type, MessageType::kStop);
        daemon = start("");
    }
}

INSTANTIATE_TEST_SUITE_P(Waiting, Stopped, testing::Values("poll", "block"));

struct End {
    int signal;
    const char* sentence;
};

class Ended : public Service, public testing::WithParamInterface<End> {};

// Also the process that asks, in the midst of a call or afterwards.
TEST_P(Ended, SaysWhichSignal) {
    const auto daemon = start("", {"ASAN_OPTIONS=handle_segv=0"});  // a sanitizer takes the signal otherwise
    Channel launcher = connect();
    const JobSpec spec = small_job(0x95, 1);
    launcher.call(create_message(spec));
    Channel asking = connect();
    const auto pe = start_pe(spec, 0, "wait");
    ASSERT_TRUE(pe->wait_for("ready ", 1, patience_ms)) << pe->output();
    ::kill(daemon->pid(), SIGSTOP);
    asking.ask(message_of(MessageType::kOffer));
    ::kill(daemon->pid(), GetParam().signal);
    ::kill(daemon->pid(), SIGCONT);
    EXPECT_EQ(daemon->wait(patience_ms), 128 + GetParam().signal) << "the signal ends it as before";
    EXPECT_EQ(pe->wait(patience_ms), 0) << pe->output();
    const Strings because = pe->lines("because 0 ");
    ASSERT_EQ(because.size(), 1u) << pe->output();
    EXPECT_NE(because[0].find(GetParam().sentence), std::string::npos) << because[0];
    for (Channel* const channel : {&launcher, &asking}) {
        try {
            channel->call(message_of(MessageType::kStat));
            ADD_FAILURE();
        } catch (const Failure& failure) {
            EXPECT_EQ(failure.status(), SYNCLINE_ERR_NODE);
            EXPECT_NE(std::string(failure.what()).find(fmt::format("signal {} (", GetParam().signal)),
                      std::string::npos)
                << failure.what();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Signals, Ended,
    testing::Values(End{SIGSEGV, "the daemon of node 0 was ended by signal 11 (Segmentation fault)"},
                    End{SIGABRT, "the daemon of node 0 was ended by signal 6 (Aborted)"},
                    End{SIGUSR1, "the daemon of node 0 was ended by signal 10 (User defined signal 1)"},
                    End{SIGKILL, "the daemon of this node ended without a message, as after signal 9 (Killed)"}),
    [](const auto& tested) { return "signal_" + std::to_string(tested.param.signal); });

// A process that asks the daemon something is told as well.
TEST_F(Service, AnswersACallWithItsGoodbye) {
    const auto daemon = start("");
    Channel launcher = connect();
    launcher.call(create_message(small_job(0x94, 1)));
    ::kill(daemon->pid(), SIGTERM);
    EXPECT_EQ(daemon->wait(patience_ms), 0);
    for (int i = 0; i < 2; i++) {
        try {
            launcher.call(message_of(MessageType::kStat));
            ADD_FAILURE();
        } catch (const Failure& failure) {
            EXPECT_EQ(failure.status(), SYNCLINE_ERR_NODE);
            EXPECT_STREQ(failure.what(), "the daemon of node 0 was stopped");
        }
    }
}

// The CPUs of the agents' threads of a process.
Strings agent_cpus(pid_t pid) {
    Strings found;
    for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
        std::string name;
        std::getline(std::ifstream(task.path() / "comm"), name);
        std::ifstream status(task.path() / "status");
        for (std::string line; name == "syncline-agent" && std::getline(status, line);) {
            if (line.starts_with("Cpus_allowed_list:")) {
                found.push_back(line.substr(line.find_first_not_of(" \t", 18)));
            }
        }
    }
    return found;
}

TEST_F(Service, PinsItsAgents) {
    if (::sysconf(_SC_NPROCESSORS_ONLN) < 2) {
        GTEST_SKIP() << "there is one CPU to run on";
    }
    const auto daemon = start("[agent]\ncpu = 1\n");
    Channel launchers[2] = {connect(), connect()};
    JobSpec spec = small_job(0x95, 1);
    spec.transport = TransportKind::kUdp;
    spec.config.udp_port = free_port();
    launchers[0].call(create_message(spec));
    EXPECT_EQ(agent_cpus(daemon->pid()), Strings{"1"});
    reload(daemon.get(), "verbose = true\n", "has been read again");
    spec.config.job++;
    spec.config.udp_port++;
    launchers[1].call(create_message(spec));
    EXPECT_EQ(agent_cpus(daemon->pid()).size(), 2u);
    EXPECT_NE(agent_cpus(daemon->pid()), (Strings{"1", "1"})) << "the new one runs where it likes";
}

}  // namespace
}  // namespace syncline::testing_daemon
