// SPDX-License-Identifier: BSD-3-Clause
// synclined: one for each node, and the only privileged part. One thread serves all clients; a client that sends
// nonsense is dropped, and everything it held is given back. A job lives as long as the connection that created it.
#pragma once

#include <sys/socket.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/admission.h"
#include "daemon/executors/nic_programs.h"
#include "daemon/job_builder.h"
#include "daemon/last_words.h"
#include "daemon/limited_log.h"
#include "daemon/node_job.h"
#include "daemon/settings.h"
#include "daemon/undertaker.h"
#include "job/channel.h"

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
    struct Client {
        explicit Client(UniqueFd fd) : channel(std::move(fd)), hearer(std::make_unique<Hearer>(channel.fd())) {}

        Channel channel;
        std::unique_ptr<Hearer> hearer;  // ends before the channel closes
        ucred credentials = {};
        Admission::Place place = Admission::Place::kNone;  // while it is idle
        uint64_t last_ns = 0;                              // when it last sent a message
        bool greeted = false;
        bool may_say_much = false;          // it was allowed to create jobs when it sent Hello
        bool takes = true;                  // it receives its answers
        bool paused = false;                // the daemon does not read from it
        bool building = false;              // its CreateJob is answered when the job is built
        std::optional<uint32_t> released;   // segment to release before its Deregister is answered
        std::shared_ptr<NodeJob> created;   // of a launcher: its job
        std::shared_ptr<NodeJob> made;      // of a PE: a job that its PEs hold, and this one until it attaches or ends
        std::shared_ptr<NodeJob> attached;  // of a PE: its job
        uint32_t port = 0;
        bool detached = false;
        bool resting = false;

        // Returns the job for which its requests count; NULL while it is idle.
        const NodeJob* job() const { return attached ? attached.get() : created ? created.get() : made.get(); }
    };

    // daemon_clients.cpp: to which clients the daemon listens, and how much.
    void accept_clients();
    void admit(UniqueFd fd, uint64_t now);
    void turn_away_one();
    void turn_away_all();
    void hang_up(const ucred& who, UniqueFd connection);
    void hang_up(Client* client);
    Channel::Rights rights_of(const Client& client) const;
    void serve(Client* client, bool ended);
    bool may_ask(const Client& client, uint64_t now);
    void pause(Client* client);
    void resume(Client* client);
    void resume_all();
    void release_segments();
    void drop_silent(uint64_t now);
    void plan_ticks();
    void listen_to(int fd, bool listen) const;
    void give_up_place(Client* client);
    uint32_t expected(uid_t user) const;

    // daemon_users.cpp: which users may have which jobs. The checks throw Failure.
    void complete(JobSpec* spec) const;
    static bool is_trusted(uid_t user);
    static bool is_trusted(const Client& client) { return is_trusted(client.credentials.uid); }
    bool may_create_jobs(const Client& client) const;
    bool is_of_a_group(const Client& client) const;
    void check_user(const Client& client) const;
    void check_job_of_user(const Client& client, const Job& job) const;
    void append_offer(Message* reply) const;

    // Throws Failure for a request that is understood but cannot be met; returns false to hang up.
    bool answer(Client* client, Message request);
    // Returns false to hang up: the client does not receive. One that is gone takes no answer, but may have said more,
    // which is read before its end is: a thread of a PE asks while another aborts the job.
    static bool send_answer(Client* client, const Message& reply, const std::vector<int>& fds = {});
    bool answer_process(Client* client, const Message& request, Message* reply, std::vector<int>* fds);
    void prepare_for_xdp(const std::vector<std::string>& interfaces);
    void create_job(Client* client, const Message& request);
    void take_built();
    void own(Client* client, const std::shared_ptr<NodeJob>& made);
    bool lend_program(Message* reply, std::vector<int>* fds) const;
    bool use_program(Message* request);
    bool is_deserted(const NodeJob& job) const;
    void end_deserted();
    void tell_of_end(const NodeJob& job);
    void attach(Client* client, const Message& request, Message* reply, std::vector<int>* fds);
    void tell_launcher(const std::shared_ptr<NodeJob>& job, const Message& message);
    static uint32_t rank_of(const Client& client);
    void tell_member(const Client& client, MemberState state);
    std::string statistics(const Client& client);
    void drop(int fd);
    void run_timers();
    void watch(int fd) const;
    void take_signal();
    void say_goodbye(const std::string& end);

    const Options options_;
    Settings settings_;
    UniqueFd listener_, epoll_, signal_event_, timer_;
    std::atomic<bool> stop_asked_ = false;
    std::atomic<bool> reload_asked_ = false;
    NodeMemory memory_;     // outlives the jobs
    NicPrograms programs_;  // outlives the jobs
    std::map<int, std::unique_ptr<Client>> clients_;
    std::map<uint32_t, std::shared_ptr<NodeJob>> jobs_;
    JobBuilder builder_;
    std::map<uint32_t, RateLimit> job_requests_;
    Admission admission_;
    RateLimit connections_;
    LimitedLog log_;
    Undertaker undertaker_;
    UniqueFd spare_;  // freed in order to turn clients away when no descriptors are left
    std::vector<int> paused_, releasing_;
    bool listening_ = true;
    uint64_t tick_ns_ = 0;   // interval of the timer, 0: the timer is off
    uint64_t requests_ = 0;  // number of requests read
    uint64_t jobs_worked_ns_ = 0;
    uint64_t looked_for_silent_ns_ = 0;
    bool had_job_ = false;
    bool stopping_ = false;
};

}  // namespace syncline
