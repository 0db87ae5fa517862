// SPDX-License-Identifier: BSD-3-Clause
// A 3-D torus of wormhole routers, as table II of Underwood 2008 states them, a packet at a time.
//
// Each router has six links and one to its node. Packets go along x, then y, then z, the shorter way round. Each input
// has two classes of virtual channels, for requests and for replies, of two channels each. A packet starts in the first
// channel and changes to the second where its ring wraps round, so that no cycle of full channels can arise. An output
// serves the inputs that want it in turns; it sends a packet if the next router's channel has room for the whole
// packet. The head of a packet is at the next router after the router's latency; the packet occupies a link for as long
// as its bytes need.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/kernel/kernel.h"
#include "sim/models/atomic_unit/operation.h"

namespace syncline::sim::atomic_unit {

struct NetworkParameters {
    double link_gbps = 4;         // Underwood 2008, table II: 8 bytes at 500 MHz
    double link_overhead = 0.15;  // share of the link that its protocol takes
    double router_latency_ns = 50;
    uint64_t buffer_packets = 8;    // of each virtual channel
    double packet_bytes = 48;       // of an atomic operation, a put of 8 bytes, or a result
    bool overhead_included = true;  // packet_bytes include the overhead
};

enum class MessageKind : uint8_t { kAtomic, kPut, kResult };

struct Packet {
    uint32_t source = 0, target = 0;  // nodes
    MessageKind kind = MessageKind::kAtomic;
    Request request;
    uint32_t receiver = 0;  // the PE that gets a put or a result
    Time sent = 0;
};

class TorusClient {
  public:
    virtual bool reserve(uint32_t node) = 0;  // reserves a place for a packet; false: there is none until ready()
    virtual void take(uint32_t node, const Packet& packet) = 0;
    virtual void can_inject(uint32_t node) = 0;  // the node may inject packets again

  protected:
    ~TorusClient() = default;
};

struct Dimensions {
    uint32_t x, y, z;
};
// Returns the dimensions of a torus of this many nodes that are nearest to a cube.
Dimensions dimensions_of(uint32_t nodes);

class Torus final : public Component {
  public:
    Torus(Kernel* kernel, const NetworkParameters& parameters, Dimensions dimensions, TorusClient* client);

    uint32_t nodes() const { return static_cast<uint32_t>(routers_.size()); }
    bool room(uint32_t node) const;
    void inject(uint32_t node, const Packet& packet);
    // The node can take a packet again.
    void ready(uint32_t node) { serve(node, local); }

    uint32_t hops(uint32_t from, uint32_t to) const;
    Time packet_time() const { return packet_time_; }
    Time latency(uint32_t from, uint32_t to) const { return hops(from, to) * router_latency_ + packet_time_; }

    void handle(uint64_t what) override;

    uint64_t in_flight() const { return packets_.size() - free_.size(); }

  private:
    static constexpr uint32_t ports = 7, local = 6;  // +x -x +y -y +z -z, the node
    static constexpr uint32_t channels = 4;
    static constexpr uint32_t inputs = ports * channels;

    struct Flight {
        Packet packet;
        uint8_t wrapped = 0;  // a bit for each dimension in which the packet has passed the end of the ring
    };
    struct Router {
        std::array<std::deque<uint32_t>, inputs> queues;  // packets that are here, by port and channel
        std::array<uint32_t, ports> wanting{};            // by output: bit of each input whose first packet wants it
        std::array<uint8_t, inputs> reserved{};           // places of packets that are here or on their way here
        std::array<uint8_t, ports> busy{};
        std::array<uint8_t, ports> turn{};  // by output: the input that is served first
    };
    struct Hop {
        uint32_t port;
        bool wraps;
    };
    enum class What : uint64_t { kArrive, kFree, kPlace };

    static uint64_t event(What what, uint64_t node, uint64_t index, uint64_t packet) {
        return static_cast<uint64_t>(what) << 62 | node << 40 | index << 32 | packet;
    }

    Hop route(uint32_t node, uint32_t target) const;
    uint32_t neighbour(uint32_t node, uint32_t port) const;
    uint32_t coordinate(uint32_t node, uint32_t dimension) const;
    uint32_t channel_after(const Flight& flight, uint32_t dimension, bool wraps) const;
    void arrive(uint32_t node, uint32_t input, uint32_t packet);
    void want(uint32_t node, uint32_t input);
    void serve(uint32_t node, uint32_t port);
    bool send(uint32_t node, uint32_t port, uint32_t input);
    void leave(uint32_t node, uint32_t port, uint32_t input);
    uint32_t allocate(const Packet& packet);

    Kernel* const kernel_;
    const Dimensions dimensions_;
    TorusClient* const client_;
    const Time router_latency_;
    const Time packet_time_;
    const uint64_t buffer_packets_;
    std::vector<Router> routers_;
    std::vector<Flight> packets_;
    std::vector<uint32_t> free_;
};

}  // namespace syncline::sim::atomic_unit
