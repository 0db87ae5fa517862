// SPDX-License-Identifier: BSD-3-Clause
// synclined: one per node, and the only privileged part. One thread serves all clients; a client that talks nonsense is
// dropped, and what it held is given back. Jobs live as long as the connection that created them.
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
        // No client of a resident daemon owes it a descriptor, and Linux 6.16 lets none send any then. False in tests:
        // as with an older kernel.
        bool refuses_descriptors = true;
        bool prepares_for_xdp = false;  // loads the NIC program that its jobs will use
        AdmissionLimits admission = {};
        Settings settings = {};
        std::function<void(Daemon* daemon)> reload = {};  // after ask_to_reload(), in the daemon's thread
    };

    // Throws Failure, also when another daemon listens there.
    explicit Daemon(const Options& options);
    ~Daemon();

    // Serves until stop(), until the job of a private daemon has ended, or until it throws. Then it says to all that
    // have a job here that the daemon was stopped, or why it ends, and ends the jobs.
    void run();
    // These two may be called from a signal handler.
    void stop();
    void ask_to_reload();

    // Jobs that run keep what they have.
    void change(const Settings& settings);

    // One turn: waits at most `timeout_ms` and serves what has come. Returns the number of events. For tests too.
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
        uint64_t last_ns = 0;                              // when it last said something
        bool greeted = false;
        bool may_say_much = false;         // it could create jobs when it greeted
        bool takes = true;                 // its answers
        bool paused = false;               // not read from
        bool building = false;             // its CreateJob is answered when the job is built
        std::optional<uint32_t> released;  // the segment that must be released before its Deregister is answered
        std::shared_ptr<NodeJob> created;  // launcher: its job
        std::shared_ptr<NodeJob> made;     // PE: a job that its PEs hold, and this connection until it attaches or ends
        std::shared_ptr<NodeJob> attached;  // PE: its job
        uint32_t port = 0;
        bool detached = false;
        bool resting = false;

        // The job that its requests count for; NULL while it is idle.
        const NodeJob* job() const { return attached ? attached.get() : created ? created.get() : made.get(); }
    };

    // daemon_clients.cpp: which clients the daemon listens to, and how much.
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

    // daemon_users.cpp: who may have which job. The checks throw Failure.
    void complete(JobSpec* spec) const;
    static bool is_trusted(uid_t user);
    static bool is_trusted(const Client& client) { return is_trusted(client.credentials.uid); }
    bool may_create_jobs(const Client& client) const;
    bool is_of_a_group(const Client& client) const;
    void check_user(const Client& client) const;
    void check_job_of_user(const Client& client, const Job& job) const;
    void append_offer(Message* reply) const;

    // Throws Failure for a request that is understood but cannot be met; false: hang up.
    bool answer(Client* client, Message request);
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
    NicPrograms programs_;  // likewise
    std::map<int, std::unique_ptr<Client>> clients_;
    std::map<uint32_t, std::shared_ptr<NodeJob>> jobs_;
    JobBuilder builder_;
    std::map<uint32_t, RateLimit> job_requests_;
    Admission admission_;
    RateLimit connections_;
    LimitedLog log_;
    Undertaker undertaker_;
    UniqueFd spare_;  // given up to turn clients away where there are no descriptors left
    std::vector<int> paused_, releasing_;
    bool listening_ = true;
    uint64_t tick_ns_ = 0;   // how often the timer fires, 0: not
    uint64_t requests_ = 0;  // that have been read
    uint64_t jobs_worked_ns_ = 0;
    uint64_t looked_for_silent_ns_ = 0;
    bool had_job_ = false;
    bool stopping_ = false;
};

}  // namespace syncline
