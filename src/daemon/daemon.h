// SPDX-License-Identifier: BSD-3-Clause
// synclined: one for each node, and the only privileged part. One thread serves all clients; a client that sends
// nonsense is dropped, and everything it held is given back. A job lives as long as the connection that created it.
#pragma once

#include <sys/socket.h>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "daemon/admission.h"
#include "daemon/client.h"
#include "daemon/limited_log.h"
#include "daemon/node_jobs.h"
#include "daemon/request_handlers.h"
#include "daemon/settings.h"
#include "daemon/undertaker.h"
#include "job/protocol/channel.h"

namespace syncline {

class Daemon {
  public:
    struct Options {
        std::string address;         // where to listen: a path, or "@name"
        bool end_with_jobs = false;  // private daemon: exits when its first job has ended
        // The clients of a resident daemon need not send it descriptors, and since Linux 6.16 the daemon can refuse
        // them. False in tests, which then run as with an older kernel.
        bool refuses_descriptors = true;
        bool prepares_for_xdp = false;  // loads the NIC program that its jobs will use
        AdmissionLimits admission = {};
        Settings settings = {};
        std::function<void(Daemon* daemon)> reload = {};  // called after ask_to_reload(), in the daemon's thread
    };

    // Throws Failure, also when another daemon listens there.
    explicit Daemon(const Options& options);
    ~Daemon();

    // Serves until stop(), until the job of a private daemon has ended, or until it throws. Then it tells all clients
    // with a job here that the daemon was stopped, or why it ends, and ends the jobs.
    void run();
    // These two may be called from a signal handler.
    void stop();
    void ask_to_reload();

    // Running jobs keep their settings.
    void change(const Settings& settings);

    // One turn: waits at most `timeout_ms` and serves the events. Returns how many there were. Tests call it, too.
    int do_work(int timeout_ms);
    size_t clients() const { return clients_.size(); }
    uint64_t requests() const { return requests_; }

  private:
    // daemon_clients.cpp: to which clients the daemon listens, and how much.
    void accept_clients();
    void admit(UniqueFd fd, uint64_t now);
    void turn_away_one();
    Channel::Rights rights_of(const Client& client) const;
    void serve(Client* client, bool ended);
    bool may_ask(const Client& client, uint64_t now);
    void pause(Client* client);
    void resume(Client* client);
    void resume_all();
    void take_built();
    void release_segments();
    void plan_ticks();
    void listen_to(int fd, bool listen) const;
    void give_up_place(Client* client);

    // daemon_departures.cpp: clients that go, or that the daemon hangs up on.
    void hang_up(const ucred& who, UniqueFd connection);
    void hang_up(Client* client);
    void turn_away_all();
    void drop(int fd);
    void drop_processes_of(const NodeJob& job);
    bool is_deserted(const NodeJob& job) const;
    void drop_silent(uint64_t now);

    void run_timers();
    void watch(int fd) const;
    void take_signal();
    void say_goodbye(const std::string& end);

    const Options options_;
    Settings settings_;
    UniqueFd listener_, epoll_, signal_event_, timer_;
    std::atomic<bool> stop_asked_ = false;
    std::atomic<bool> reload_asked_ = false;
    LimitedLog log_;
    NodeJobs jobs_;
    Clients clients_;
    RequestHandlers handlers_;
    Admission admission_;
    RateLimit connections_;
    Undertaker undertaker_;
    UniqueFd spare_;  // freed in order to turn clients away when no descriptors are left
    std::vector<int> paused_, releasing_;
    bool listening_ = true;
    uint64_t tick_ns_ = 0;   // interval of the timer, 0: the timer is off
    uint64_t requests_ = 0;  // number of requests read
    uint64_t jobs_worked_ns_ = 0;
    uint64_t looked_for_silent_ns_ = 0;
    bool stopping_ = false;
};

}  // namespace syncline
