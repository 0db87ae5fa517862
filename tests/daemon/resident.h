// SPDX-License-Identifier: BSD-3-Clause
// A synclined at a path of the test's own, started by hand, and jobs created over the protocol as the launcher creates
// them.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "base/failure.h"
#include "tests/daemon/daemon_client.h"
#include "tests/daemon/job_run.h"

namespace syncline::testing_daemon {

class Resident : public testing::Test {
  protected:
    Resident() : path("/tmp/syncline-test-" + std::to_string(::getpid()) + ".sock") {}
    ~Resident() override { ::unlink(path.c_str()); }

    std::unique_ptr<Program> start_daemon(const Strings& options = {}, const Strings& environment = {}) const {
        return start_daemon_at(path, options, environment);
    }
    static std::unique_ptr<Program> start_daemon_at(const std::string& path, const Strings& options = {},
                                                    const Strings& environment = {}) {
        Strings command = {tools_folder() + "/synclined", "--socket", path};
        command.insert(command.end(), options.begin(), options.end());
        return std::make_unique<Program>(command, environment);
    }

    // Returns a connection, once the daemon answers.
    Channel connect() const { return connect_to(path); }
    static Channel connect_to(const std::string& path) {
        for (int attempt = 0;; attempt++) {
            try {
                Channel channel = Channel::connect(path);
                channel.call(hello());
                return channel;
            } catch (const Failure&) {
                if (attempt == 200) {
                    throw;
                }
                ::usleep(20000);
            }
        }
    }

    std::unique_ptr<Program> start_pe(const JobSpec& spec, int rank, const char* what,
                                      const char* wait = "poll") const {
        return start_pe_at(path, spec, rank, {what}, wait);
    }
    static std::unique_ptr<Program> start_pe_at(const std::string& path, const JobSpec& spec, int rank,
                                                const Strings& what, const char* wait) {
        Strings command = {node_pe_program()};
        command.insert(command.end(), what.begin(), what.end());
        return std::make_unique<Program>(
            command, Strings{"SYNCLINE_SOCKET=" + path, "SYNCLINE_RANK=" + std::to_string(rank),
                             fmt::format("SYNCLINE_JOB={:x}", spec.config.job),
                             fmt::format("SYNCLINE_TOKEN={:x}", spec.token), std::string("SYNCLINE_WAIT=") + wait});
    }

    const std::string path;
};

}  // namespace syncline::testing_daemon
