// SPDX-License-Identifier: BSD-3-Clause
// The steps that packets take through a Myrinet machine, and what each costs. A workload starts them and is told what
// has happened.
//
// Requests and the messages of barriers are executed by the NIC or by its host: requests by the host's server, messages
// of barriers by its main thread. A reply always goes to the main thread that asked. The NIC fetches a word before its
// operation and writes it back at once, before anything else uses the bus, while the reply is already on its way.
#pragma once

#include <memory>
#include <vector>

#include "sim/models/myrinet/node.h"

namespace syncline::sim {

class MyrinetMachine {
  public:
    using Bytes = MyrinetNode::Bytes;
    using Then = std::function<void()>;

    class Workload {
      public:
        // The firmware has executed a packet at `node`, whose answer is not out yet.
        virtual void executed(uint32_t node) = 0;
        // The main thread of `node` has taken the reply to its access.
        virtual void replied(uint32_t /*node*/) {}
        // It looks at memory that others write, because one has written.
        virtual void changed(uint32_t /*node*/) {}

      protected:
        ~Workload() = default;
    };

    MyrinetMachine(const MyrinetParameters& parameters, Workload* workload);

    const MyrinetParameters& parameters() const { return p_; }
    const Kernel& kernel() const { return kernel_; }
    MyrinetNode& node(uint32_t index) { return *nodes_[index]; }
    uint32_t nodes() const { return static_cast<uint32_t>(nodes_.size()); }
    bool nic() const { return p_.executor == Executor::kNic; }
    Time cycles(uint64_t count) const { return from_ns(static_cast<double>(count) * 1000 / p_.clock_mhz); }
    uint64_t messages() const { return messages_; }

    // The main thread of `from` asks for an access.
    void request(uint32_t from, const MyrinetNode::Access& access);
    // What the firmware of `node` wants to send, outside of a server's work.
    void send_all(uint32_t node, const std::vector<MyrinetNode::Outgoing>& outgoing);
    // After a while that keeps nobody busy.
    void after(double ns, Then then);

    void run() { kernel_.run(); }
    // Of what has been repeated, one after the other, until `end`.
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
    std::vector<MyrinetNode::Outgoing> execute(uint32_t from, uint32_t node, const Bytes& packet);
    void notice(uint32_t node);

    const MyrinetParameters p_;
    Workload* const workload_;
    Kernel kernel_;
    std::vector<std::unique_ptr<MyrinetNode>> nodes_;
    uint64_t messages_ = 0;
};

}  // namespace syncline::sim
