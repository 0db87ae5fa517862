// SPDX-License-Identifier: BSD-3-Clause
// Builds jobs beside the daemon's loop, one after the other, each in a thread of its own. The kernel verifies a NIC
// program for a quarter of a second, and other clients must not wait for that.
//
// The loop makes a NodeJob and hands it in, with the connection that waits for it. The thread calls NodeJob::build()
// and makes fd() readable; the loop then takes the outcome. Between these two events the job belongs to the thread. The
// loop makes all calls here. If a connection ends, its job is taken out: at once if the build has not begun, else as
// soon as it is over.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/os.h"
#include "base/unique_fd.h"
#include "daemon/node_job.h"

namespace syncline {

class JobBuilder {
  public:
    struct Outcome {
        int connection = -1;  // -1: it has ended
        std::shared_ptr<NodeJob> job;
        int status = 0;        // negative: the job could not be built
        std::string sentence;  // the reason
    };

    JobBuilder();
    // Waits for the job that is being built.
    ~JobBuilder() = default;

    void add(int connection, std::shared_ptr<NodeJob> job);
    // Adds a preparation that the jobs to come need; the thread runs it before them. It must throw nothing.
    void add_first(std::function<void()> preparation);
    // Called when the connection has ended.
    void forget(int connection);
    // Readable when a job has been built.
    int fd() const { return built_.get(); }
    // Returns a job that has been built, if there is one.
    std::optional<Outcome> take();

    // These two are about jobs that have not been taken.
    bool is_idle() const { return orders_.empty(); }
    bool has(uint32_t job) const;
    uint32_t count_of(uid_t user) const;

  private:
    struct Order {
        Outcome outcome;
        std::function<void()> preparation;   // runs instead of a job
        std::atomic<bool> is_built = false;  // the thread writes it last (release), the loop reads it (acquire)
        std::unique_ptr<Background> thread;
    };
    void begin_next();
    static void build(Outcome* outcome);

    UniqueFd built_;
    std::deque<std::unique_ptr<Order>> orders_;  // the first one has been begun
};

}  // namespace syncline
