// SPDX-License-Identifier: BSD-3-Clause
// Method: PEs that compute and call nothing, under wrappers that hide them from their parent's death: a shell that
// stays, one that ends first, a session of their own. The launcher is killed, interrupted, or a PE's wrapper ends:
// nothing of the job stays. The wrapper's exit status and signal are still the job's.
#include <gtest/gtest.h>

#include <csignal>

#include "tests/daemon/job_run.h"

namespace syncline {
namespace {

struct Wrapped {
    const char* name;
    const char* transport;
    const char* user;  // "" is who runs the test
    Strings wrapper;
};

const Strings shell = {"sh", "-c", "\"$0\" \"$@\"; true"};
const Strings shell_that_ends = {"sh", "-c", "\"$0\" \"$@\" & while :; do sleep 1; done"};
const Strings session = {"sh", "-c", "setsid \"$0\" \"$@\" & wait"};
// Its parent has ended, its group and session are its own: only who adopts orphans finds it.
const Strings orphan = {"sh", "-c", "(setsid \"$0\" \"$@\" &); while :; do sleep 1; done"};
const Strings pinned = {"taskset", "-c", "0", "sh", "-c", "\"$0\" \"$@\"; true"};

class Wrapper : public testing::TestWithParam<Wrapped> {
  protected:
    void SetUp() override {
        const Wrapped& wanted = GetParam();
        const bool xdp = std::string(wanted.transport) == "xdp";
        if ((xdp || *wanted.user != '\0') && ::geteuid() != 0) {
            GTEST_SKIP() << "needs root";
        }
        if (*wanted.user != '\0' && !everybody_can_run(node_pe_program())) {
            GTEST_SKIP() << "other users cannot reach the build folder";
        }
        Strings before;
        if (*wanted.user != '\0') {
            before = {"setpriv", "--reuid", wanted.user, "--regid", "nogroup", "--clear-groups"};
        }
        const char* const nodes = std::string(wanted.transport) == "shm" ? "1" : "2";
        job = std::make_unique<JobRun>(
            Strings{"-N", nodes, "-t", wanted.transport, "--udp-port", std::to_string(free_port())}, 4,
            Strings{"sleep"}, before, wanted.wrapper);
        ASSERT_TRUE(job->ready()) << job->launcher().output();
        ASSERT_FALSE(job->leftovers(0).empty()) << "what is to go is found while it is here";
    }

    void expect_end(int code) {
        EXPECT_EQ(job->launcher().wait(patience_ms), code) << job->launcher().output();
        const Strings left = job->leftovers(5000);
        EXPECT_TRUE(left.empty()) << testing::PrintToString(left);
    }

    std::unique_ptr<JobRun> job;
};

TEST_P(Wrapper, LauncherKilled) {
    ::kill(job->launcher().pid(), SIGKILL);
    expect_end(128 + SIGKILL);
}

TEST_P(Wrapper, Interrupted) {
    ::kill(job->launcher().pid(), SIGINT);
    ::kill(job->launcher().pid(), SIGINT);  // the orphans' session has not heard the first one
    expect_end(128 + SIGINT);
}

INSTANTIATE_TEST_SUITE_P(Programs, Wrapper,
                         testing::Values(Wrapped{"shm", "shm", "", shell}, Wrapped{"udp", "udp", "", shell},
                                         Wrapped{"xdp", "xdp", "", shell},
                                         Wrapped{"that_ends", "shm", "", shell_that_ends},
                                         Wrapped{"session", "udp", "", session}, Wrapped{"orphan", "shm", "", orphan},
                                         Wrapped{"pinned", "shm", "", pinned},
                                         Wrapped{"unprivileged_shm", "shm", "nobody", shell},
                                         Wrapped{"unprivileged_udp", "udp", "nobody", session},
                                         Wrapped{"unprivileged_orphan", "shm", "nobody", orphan}),
                         [](const auto& wrapped) { return std::string(wrapped.param.name); });

Strings run_shell(const std::string& script) {
    return {tools_folder() + "/syncline", "run", "-n", "2", "-t", "shm", "--", "sh", "-c", script};
}

TEST(WrapperStatus, ExitCodeAndSignalAreTheProgramsOwn) {
    Program code(run_shell("exit 7"));
    EXPECT_EQ(code.wait(patience_ms), 7) << code.output();
    Program killed(run_shell("kill -SEGV $$"));
    EXPECT_EQ(killed.wait(patience_ms), 128 + SIGSEGV) << killed.output();
    EXPECT_NE(killed.output().find("was killed by signal 11"), std::string::npos) << killed.output();
}

TEST(WrapperStatus, AParentThatIgnoresItsChildren) {
    Strings ignoring = {"perl", "-e", "$SIG{CHLD} = 'IGNORE'; exec @ARGV"};
    const Strings run = run_shell("exit 7");
    ignoring.insert(ignoring.end(), run.begin(), run.end());
    Program code(ignoring);
    EXPECT_EQ(code.wait(patience_ms), 7) << code.output();
}

// All signals that ask for something else than an end: the launcher, which they would end, lives on.
TEST(WrapperStatus, SignalsToTheLauncherReachThePes) {
    Program run(
        run_shell("trap 'echo got USR1' USR1; trap 'echo got USR2' USR2; trap 'echo got CONT' CONT; "
                  "trap 'echo got HUP; exit 5' HUP; echo ready; while :; do sleep 0.01; done"));
    ASSERT_TRUE(run.wait_for("ready", 2, patience_ms)) << run.output();
    for (const auto& [signal, name] :
         {std::pair(SIGUSR1, "USR1"), {SIGUSR2, "USR2"}, {SIGCONT, "CONT"}, {SIGHUP, "HUP"}}) {
        ::kill(run.pid(), signal);
        EXPECT_TRUE(run.wait_for(std::string("got ") + name, 2, patience_ms)) << name << ": " << run.output();
    }
    EXPECT_EQ(run.wait(patience_ms), 128 + SIGHUP) << run.output();
}

TEST(WrapperStatus, AProgramThatIsMissingIsNamed) {
    Program missing({tools_folder() + "/syncline", "run", "-t", "shm", "--", "/no/such/program"});
    EXPECT_EQ(missing.wait(patience_ms), 1);
    EXPECT_NE(missing.output().find("cannot start '/no/such/program'"), std::string::npos) << missing.output();
}

}  // namespace
}  // namespace syncline
