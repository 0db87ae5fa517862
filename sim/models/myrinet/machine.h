// SPDX-License-Identifier: BSD-3-Clause
// The steps that packets take through a Myrinet machine, and the cost of each. A client, which is a workload, starts
// the steps, and the machine tells it what has happened.
//
// The NIC or its host executes requests and the messages of barriers; on a host, the server executes requests and the
// main thread executes messages of barriers. A reply always goes to the main thread that asked. The NIC fetches a word
// before its operation and writes it back at once, before anything else uses the bus, while the reply is already on its
// way.
#pragma once

#include <memory>
#include <vector>

#include "sim/models/myrinet/node.h"

namespace syncline::sim::myrinet {

class Machine {
  public:
    using Bytes = Node::Bytes;
    using Then = std::function<void()>;

    class Client {
      public:
        // The firmware has executed a packet at `node`, whose answer is not out yet.
        virtual void executed(uint32_t node) = 0;
        // The main thread of `node` has taken the reply to its access.
        virtual void replied(uint32_t /*node*/) {}
        // The main thread of `node` looks at memory that others write, because another has written.
        virtual void changed(uint32_t /*node*/) {}

      protected:
        ~Client() = default;
    };

    Machine(const Parameters& parameters, Client* client);

    const Parameters& parameters() const { return p_; }
    const Kernel& kernel() const { return kernel_; }
    Node& node(uint32_t index) { return *nodes_[index]; }
    uint32_t nodes() const { return static_cast<uint32_t>(nodes_.size()); }
    bool nic() const { return p_.workload.executed_by == ExecutedBy::kNic; }
    Time cycles(uint64_t count) const { return from_ns(static_cast<double>(count) * 1000 / p_.lanai.clock_mhz); }
    uint64_t messages() const { return messages_; }

    // The main thread of `from` starts an access.
    void request(uint32_t from, const Node::Access& access);
    // Sends the messages of the firmware of `node`, outside of a server's work.
    void send_all(uint32_t node, const std::vector<Node::Outgoing>& outgoing);
    // Calls `then` after a while that keeps no part busy.
    void after(double ns, Then then);

    void run() { kernel_.run(); }
    // Returns the results of a workload whose repeats, one after the other, ended at `end`.
    Results results(Time end, bool right) const;

  private:
    void send_from_host(uint32_t node, uint32_t to, const Bytes& packet);
    void send_through_nic(uint32_t node, uint32_t to, const Bytes& packet);
    void send_from_nic(uint32_t node, uint32_t to, const Bytes& packet);
    void cross(uint32_t node, uint32_t to, const Bytes& packet);
    void arrive(uint32_t from, uint32_t node, const Bytes& packet);
    void execute_at_nic(uint32_t from, uint32_t node, const Bytes& packet);
    void bring_to_host(uint32_t from, uint32_t node, const Bytes& packet);
    void execute_by_main(uint32_t from, uint32_t node, const Bytes& packet);
    void execute_by_server(uint32_t from, uint32_t node, const Bytes& packet);
    std::vector<Node::Outgoing> execute(uint32_t from, uint32_t node, const Bytes& packet);
    void notice(uint32_t node);

    const Parameters p_;
    Client* const client_;
    Kernel kernel_;
    std::vector<std::unique_ptr<Node>> nodes_;
    uint64_t messages_ = 0;
};

}  // namespace syncline::sim::myrinet
