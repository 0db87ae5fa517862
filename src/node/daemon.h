// SPDX-License-Identifier: BSD-3-Clause
// synclined: one per node, and the only privileged part. One thread serves all clients; a client that talks nonsense is
// dropped, and what it held is given back. Jobs live as long as the connection that created them.
#pragma once

#include <sys/socket.h>

#include <map>
#include <memory>
#include <string>

#include "job/channel.h"
#include "node/node_job.h"

namespace syncline {

class Daemon {
  public:
    struct Options {
        std::string address;         // where to listen: a path, or "@name"
        bool end_with_jobs = false;  // private daemon: exits when its first job has ended
    };

    // Throws Failure, also when another daemon listens there.
    explicit Daemon(const Options& options);
    ~Daemon();

    // Serves until stop(), or until the job of a private daemon has ended.
    void run();
    // May be called from a signal handler.
    void stop();

    // One turn: waits at most `timeout_ms` and serves what has come. Returns the number of events. For tests too.
    int do_work(int timeout_ms);

  private:
    struct Client {
        Channel channel;
        ucred credentials = {};
        bool greeted = false;
        std::shared_ptr<NodeJob> created;   // launcher: its job
        std::shared_ptr<NodeJob> attached;  // PE: its job
        uint32_t port = 0;
        bool detached = false;
        bool resting = false;
    };

    void accept_client();
    void serve(Client* client);
    // Throws Failure for a request that is understood but cannot be met; false: hang up.
    bool answer(Client* client, const Message& request);
    bool answer_process(Client* client, const Message& request, Message* reply, std::vector<int>* fds);
    void create_job(Client* client, const Message& request);
    void attach(Client* client, const Message& request, Message* reply, std::vector<int>* fds);
    void abort_job(const Client& client, const Message& request);
    std::string statistics(const Client& client);
    void drop(int fd);
    void run_timers();
    void watch(int fd) const;

    const Options options_;
    UniqueFd listener_, epoll_, stop_event_, timer_;
    std::map<int, std::unique_ptr<Client>> clients_;
    std::map<uint32_t, std::shared_ptr<NodeJob>> jobs_;
    bool had_job_ = false;
    bool stopping_ = false;
};

}  // namespace syncline
