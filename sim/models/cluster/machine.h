// SPDX-License-Identifier: BSD-3-Clause
// The machine carries the messages of a cluster.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/kernel/kernel.h"
#include "sim/models/cluster/model.h"

namespace syncline::sim::cluster {

// The part of a node that sends or receives a message.
enum class Place : uint8_t { kProcess, kServer, kNic };

struct Message {
    uint32_t from, to;  // nodes
    uint16_t kind = 0;  // the workload defines this and the next two
    uint16_t phase = 0;
    uint32_t value = 0;
    uint32_t bytes = 0;  // in addition to the bytes of a small packet
};

class Client {
  public:
    // `place` of the message's node has received the message.
    virtual void receive(Place place, const Message& message) = 0;

  protected:
    ~Client() = default;
};

class Machine final : public Component {
  public:
    Machine(const Parameters& parameters, Client* client);

    const Parameters& parameters() const { return p_; }
    uint32_t nodes() const { return static_cast<uint32_t>(p_.workload.nodes); }
    Time now() const { return kernel_.now(); }
    uint64_t events() const { return kernel_.events(); }
    uint64_t messages() const { return messages_; }
    // The part of a node that executes requests of other nodes.
    Place executed_by() const { return p_.workload.executed_by == ExecutedBy::kNic ? Place::kNic : Place::kServer; }
    void run() { kernel_.run(); }
    void check(bool complete) const { kernel_.check(complete); }

    // Sends a message over the network, or within the node if from equals to.
    void send(Place from, Place to, const Message& message);
    // The process gives its own NIC a task without data; the NIC tells the process that the task is done. Both calls
    // use message.to, which is the node.
    void start_nic(const Message& message);
    void tell_process(const Message& message);
    // The process of message.to works for this time, and then has the message.
    void work(double ns, const Message& message);
    // The process waits for a word of its memory, which has just changed.
    void notice(const Message& message);

    // Returns when the process has done all that it has to do now.
    Time process_free(uint32_t node) { return std::max(*process(node), kernel_.now()); }

    void handle(uint64_t what) override;

  private:
    enum class Stage : uint8_t { kFetch, kSend, kArrive, kToken, kTake, kTurn, kTaken };
    struct InFlight {
        Message message;
        Stage stage;
        Place to;
    };

    // Serves one message after the other, in the order of arrival. Returns when it is free again.
    using Server = Time;
    Time serve(Server* server, double ns) {
        *server = std::max(*server, kernel_.now()) + from_ns(ns);
        return *server;
    }
    Server* process(uint32_t node) { return &processes_[p_.machine.cpus != 0 ? node % p_.machine.cpus : node]; }
    Server* nic(uint32_t node) { return p_.machine.cpus != 0 ? process(node) : &nics_[node]; }
    Server* server(uint32_t node) { return p_.machine.cpus != 0 || !p_.server.apart ? process(node) : &servers_[node]; }

    // Transfers between a NIC and its host, one at a time, the first of them at `when`.
    Time over_bus(uint32_t node, Time when, uint64_t transfers = 1);
    void schedule(Time when, Stage stage, Place to, const Message& message);
    void cross(Time when, Place to, const Message& message);
    double server_cost(uint32_t node);
    void turn(const Message& message);
    uint64_t waiting(uint32_t node) const;

    const Parameters p_;
    Client* const client_;
    const uint64_t processes_each_;  // number of processes on a shared CPU
    const double receive_ns_;
    Kernel kernel_;
    std::vector<Server> processes_, servers_, nics_, buses_, links_;
    std::vector<uint64_t> ready_;  // for each shared CPU: number of processes that have something to do
    std::vector<Time> served_;     // for each node: when its server last had something to do
    std::vector<InFlight> flights_;
    std::vector<uint32_t> free_;
    uint64_t messages_ = 0;
};

}  // namespace syncline::sim::cluster
