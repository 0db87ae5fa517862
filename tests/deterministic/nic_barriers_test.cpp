// SPDX-License-Identifier: BSD-3-Clause
// Method: a deterministic simulation of the NICs' barriers alone. The native firmware of 2 to 9 nodes in one process, a
// virtual clock, and a network that loses, repeats, delays and so reorders packets, all drawn from one seed; hosts
// start epochs after random pauses, compute while the NICs go on, pull what they miss, and run some barriers
// themselves. Some seeds let a member die, or a whole node fall silent; most close the barrier and open the next
// instance while late packets of the former one are still under way. Checked: no node leaves an epoch before all have
// started it; every result is right; every epoch is complete, or reported broken, within bounded virtual time.
//
// Which seeds are run, and how to replay one: tests/seeds.h.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "base/prng.h"
#include "firmware/native.h"
#include "firmware/schedule.h"
#include "tests/deterministic/coverage.h"
#include "tests/seeds.h"

namespace syncline {
namespace {

constexpr uint32_t barrier_number = 5;
constexpr uint64_t pull_interval =
    400;  // of virtual time, in which a packet takes 1 to 20, or up to 4000 if it is late
constexpr uint64_t time_limit = 4'000'000;

enum class Crash { kNone, kProcess, kNode };

using deterministic::Coverage;
using deterministic::Elements;
using deterministic::product;

class NicBarrierRun;

struct Node {
    NicBarrierRun* run = nullptr;
    uint32_t index = 0;
    fw_config config = {};
    uint16_t rank = 0;
    std::vector<fw_barrier> barriers{SLW_BARRIERS_MAX};
    std::vector<fw_port> ports{1};
    fw_counters counters = {};
    fw_target target = {};

    fw_barrier& barrier() { return barriers[barrier_number]; }
    const fw_barrier& barrier() const { return barriers[barrier_number]; }

    bool silent = false;  // the whole node is gone
    bool dead = false;    // its process is gone, its NIC and daemon are there
    uint32_t instance = 0;
    uint32_t epoch = 0;  // started
    bool running = false;
    bool finished = false;  // this instance's epochs, or broken
    uint64_t waiting_since = 0;
    uint64_t next_pull = 0;
};

class NicBarrierRun {
  public:
    explicit NicBarrierRun(uint64_t seed) : seed_(seed), prng_(seed) {}

    // The first mistake, or "".
    std::string run();
    // The victim's doing, and the barrier it was a member of.
    const Elements& struck() const { return struck_; }

  private:
    struct Packet {
        uint32_t from, to;
        std::vector<uint8_t> bytes;
    };

    void set_up();
    void strike();
    void open(Node* node);
    void look(Node* node);
    bool misses_somebody_gone(const Node& node) const;
    void leave(Node* node);
    void send(uint32_t from, uint32_t to, const uint8_t* packet, uint32_t length);
    void deliver(const Packet& packet);
    // Sums of small whole numbers are exact, so the order of the additions does not matter.
    uint64_t value_of(uint32_t node, uint32_t epoch) const {
        const uint64_t drawn = (seed_ ^ node * 0x9E3779B97F4A7C15u) * epoch;
        switch (combine_) {
            case FW_COMBINE_SUM_DOUBLE:
                return std::bit_cast<uint64_t>(static_cast<double>(drawn & 0xffff));
            case FW_COMBINE_SUM_FLOAT:
                return std::bit_cast<uint32_t>(static_cast<float>(drawn & 0xffff));
            default:
                return drawn;
        }
    }
    uint64_t expected(uint32_t epoch) const;
    void wrong(std::string what) {
        if (wrong_.empty()) {
            wrong_ = fmt::format("at {}: {}", now_, what);
        }
    }

    const uint64_t seed_;
    Prng prng_;
    uint64_t now_ = 0;
    std::string wrong_;
    std::vector<std::unique_ptr<Node>> nodes_;
    std::vector<uint16_t> members_;  // node indices, in the barrier's order
    uint32_t epochs_ = 0;            // of each instance
    uint32_t instances_ = 0;
    uint32_t dimension_ = 0;  // 0: exchange
    fw_combine combine_ = FW_COMBINE_NONE;
    double loss_ = 0, repeat_ = 0, late_ = 0, by_host_ = 0;
    Crash crash_ = Crash::kNone;
    uint32_t victim_ = 0;
    uint64_t crash_at_ = 0;
    bool crashed_ = false;
    Elements struck_;
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> started_;  // instance, epoch -> by how many
    std::multimap<uint64_t, Packet> network_;
    std::multimap<uint64_t, uint32_t> hosts_;  // when a host looks
};

void NicBarrierRun::set_up() {
    const auto count = static_cast<uint32_t>(2 + prng_.below(8));
    const std::vector<fw_combine> ways = {FW_COMBINE_NONE, FW_COMBINE_SUM,        FW_COMBINE_MIN,
                                          FW_COMBINE_MAX,  FW_COMBINE_AND,        FW_COMBINE_OR,
                                          FW_COMBINE_XOR,  FW_COMBINE_SUM_DOUBLE, FW_COMBINE_SUM_FLOAT};
    combine_ = ways[prng_.below(ways.size())];
    dimension_ = static_cast<uint32_t>(prng_.below(count));
    if (dimension_ == 0 && !can_exchange(count, combine_)) {
        dimension_ = 1;
    }
    epochs_ = static_cast<uint32_t>(1 + prng_.below(12));
    instances_ = static_cast<uint32_t>(1 + prng_.below(3));
    const double rates[] = {0, 0.01, 0.1, 0.3};
    loss_ = rates[prng_.below(4)];
    repeat_ = rates[prng_.below(4)];
    late_ = rates[prng_.below(3)];
    by_host_ = prng_.below(4) == 0 ? 0.5 : 0;
    crash_ = prng_.below(3) != 0 ? Crash::kNone : prng_.below(2) != 0 ? Crash::kProcess : Crash::kNode;
    victim_ = static_cast<uint32_t>(prng_.below(count));
    crash_at_ = crash_ == Crash::kNone ? UINT64_MAX : prng_.below(3000);
    for (uint32_t i = 0; i < count; i++) {
        auto node = std::make_unique<Node>();
        node->run = this;
        node->index = i;
        node->config.job = 77;
        node->config.node = i;
        node->config.nodes = node->config.ranks = count;
        node->rank = static_cast<uint16_t>(i);
        node->config.ports = node->config.window = 1;
        node->target.config = &node->config;
        node->target.ranks = &node->rank;
        node->target.barriers = node->barriers.data();
        node->target.ports = node->ports.data();
        node->target.counters = &node->counters;
        node->target.emit = [](void* self, uint32_t to, const uint8_t* packet, uint32_t length) {
            auto* const sender = static_cast<Node*>(self);
            sender->run->send(sender->index, to, packet, length);
        };
        node->target.emit_context = node.get();
        members_.insert(members_.begin() + static_cast<std::ptrdiff_t>(prng_.below(i + 1)), static_cast<uint16_t>(i));
        hosts_.emplace(prng_.below(100), i);
        nodes_.push_back(std::move(node));
    }
}

void NicBarrierRun::send(uint32_t from, uint32_t to, const uint8_t* packet, uint32_t length) {
    for (int copies = prng_.chance(repeat_) ? 2 : 1; copies > 0; copies--) {
        if (!prng_.chance(loss_)) {
            const uint64_t delay = prng_.chance(late_) ? prng_.below(4000) : 1 + prng_.below(20);
            network_.emplace(now_ + delay, Packet{from, to, {packet, packet + length}});
        }
    }
}

void NicBarrierRun::deliver(const Packet& packet) {
    Node& node = *nodes_[packet.to];
    if (node.silent) {
        return;
    }
    std::vector<uint8_t> buffer(SLW_PACKET_MAX);
    std::copy(packet.bytes.begin(), packet.bytes.end(), buffer.begin());
    uint32_t reply = 0;
    if (fw_execute_packet(&node.target, buffer.data(), static_cast<uint32_t>(packet.bytes.size()), &reply) ==
        FW_REPLY) {
        send(packet.to, packet.from, buffer.data(), reply);
    }
}

uint64_t NicBarrierRun::expected(uint32_t epoch) const {
    uint64_t all = value_of(members_[0], epoch);
    for (size_t i = 1; i < members_.size(); i++) {
        all = fw_combine_values(combine_, all, value_of(members_[i], epoch));
    }
    return all;
}

void NicBarrierRun::open(Node* node) {
    fw_barrier& barrier = node->barrier();
    const uint64_t refused = barrier.refused;
    barrier = {};
    barrier.refused = refused;
    uint32_t self = 0;
    while (members_[self] != node->index) {
        self++;
    }
    if (dimension_ == 0) {
        draw_exchange(&barrier, members_, self);
    } else {
        draw_tree(&barrier, members_, self, dimension_);
    }
    barrier.instance = ++node->instance;
    barrier.host = prng_.chance(by_host_) ? 1 : 0;
    barrier.sent = barrier.sends;
    barrier.word = uint64_t{barrier.phases} << 8 | FW_BARRIER_DONE;
    barrier.ports = {};
    fw_set_add(&barrier.ports, 0);
    barrier.state = FW_BARRIER_OPEN;
    node->epoch = 0;
    node->running = node->finished = false;
}

// The end of closing: every member has completed its last epoch of this instance. One that is gone never will.
void NicBarrierRun::leave(Node* node) {
    for (const auto& other : nodes_) {
        const bool closed = other->instance > node->instance || (other->instance == node->instance && other->finished);
        if (closed) {
            continue;
        }
        if (other->dead || other->silent || other->barrier().state >= FW_BARRIER_BROKEN) {
            node->barrier().state = FW_BARRIER_BROKEN;
        }
        return;
    }
    node->barrier().state = FW_BARRIER_CLOSED;
    node->barrier().refused = 0;
    node->running = false;
}

// Is one of those gone that the running phase has not heard of?
bool NicBarrierRun::misses_somebody_gone(const Node& node) const {
    const fw_barrier& barrier = node.barrier();
    const fw_barrier_phase& phase = barrier.phase[barrier.word >> 8 & 255];
    for (uint32_t i = phase.hear_from; i < phase.hear_to; i++) {
        const bool heard =
            barrier.record[2 * i + (node.epoch & 1)].word == (uint64_t{node.epoch} << 32 | FW_RECORD_HEARD);
        const Node& other = *nodes_[barrier.hear[i].node];
        if (!heard && (other.dead || other.silent)) {
            return true;
        }
    }
    return false;
}

void NicBarrierRun::look(Node* node) {
    fw_barrier& barrier = node->barrier();
    uint64_t next = 10 + prng_.below(60);
    if (node->dead || node->silent) {
        return;
    }
    if (barrier.state == FW_BARRIER_CLOSED) {
        if (node->instance == instances_) {
            return;  // done with everything
        }
        if (prng_.below(3) == 0) {
            open(node);
        }
    } else if (barrier.state == FW_BARRIER_BROKEN) {
        if (!crashed_) {
            wrong(fmt::format("node {} finds a barrier broken that no node has left", node->index));
        }
        // Reported. Some close it, while others may still have to be told; no node goes on to another one.
        if (prng_.below(2) == 0) {
            barrier.state = FW_BARRIER_GONE;
        }
        node->dead = instances_ > 1;
        return;
    } else if (node->running) {
        if (barrier.host) {
            fw_barrier_continue(&node->target, barrier_number);
        }
        if (barrier.word >> 32 == node->epoch && (barrier.word & 255) == FW_BARRIER_DONE) {
            node->running = false;
            if (started_[{node->instance, node->epoch}] != nodes_.size()) {
                wrong(fmt::format("node {} left epoch {} that {} of {} have started", node->index, node->epoch,
                                  started_[{node->instance, node->epoch}], nodes_.size()));
            }
            const uint64_t result = barrier.value[node->epoch & 1][barrier.phases];
            if (combine_ != FW_COMBINE_NONE && result != expected(node->epoch)) {
                wrong(fmt::format("node {}, epoch {}: {:#x} instead of {:#x}", node->index, node->epoch, result,
                                  expected(node->epoch)));
            }
            next = prng_.below(4) == 0 ? prng_.below(2000) : prng_.below(20);
        } else if (now_ >= node->next_pull) {
            fw_barrier_pull(&node->target, barrier_number, 8, 0);
            node->next_pull = now_ + pull_interval;
            // A probe of who is gone fails.
            if (now_ > node->waiting_since + 20 * pull_interval && misses_somebody_gone(*node)) {
                barrier.state = FW_BARRIER_BROKEN;
            }
        }
    } else if (node->finished || node->epoch == epochs_) {
        node->finished = true;
        leave(node);
    } else {
        node->epoch++;
        node->running = true;
        node->waiting_since = now_;
        node->next_pull = now_ + pull_interval;
        started_[{node->instance, node->epoch}]++;
        fw_barrier_start(&node->target, barrier_number, node->epoch, combine_, value_of(node->index, node->epoch));
        if (barrier.refused != 0) {
            fw_barrier_pull(&node->target, barrier_number, 8, 1);
        }
        next = prng_.below(3) == 0 ? prng_.below(3000) : prng_.below(50);  // computes
    }
    hosts_.emplace(now_ + next, node->index);
}

void NicBarrierRun::strike() {
    Node& victim = *nodes_[victim_];
    crashed_ = true;
    crash_at_ = UINT64_MAX;
    const char* const fault = crash_ == Crash::kProcess ? "killed process" : "killed node";
    struck_ =
        product({fault}, {victim.running                            ? "in an epoch"
                          : victim.finished || victim.instance == 0 ? "outside of a barrier"
                                                                    : "between epochs",
                          dimension_ == 0 ? "exchange" : "tree", by_host_ > 0 ? "hosts run some" : "NICs run all"});
    if (crash_ == Crash::kProcess) {
        victim.dead = true;
        if (victim.barrier().state == FW_BARRIER_OPEN) {
            victim.barrier().state = FW_BARRIER_BROKEN;  // as its daemon does
        }
    } else {
        victim.silent = true;
    }
}

std::string NicBarrierRun::run() {
    set_up();
    while (wrong_.empty() && !hosts_.empty()) {
        const bool packet_first = !network_.empty() && network_.begin()->first <= hosts_.begin()->first;
        now_ = packet_first ? network_.begin()->first : hosts_.begin()->first;
        if (now_ >= crash_at_) {
            strike();
        }
        if (now_ > time_limit) {
            return wrong_.empty() ? "an epoch is neither complete nor broken" : wrong_;
        }
        if (packet_first) {
            const Packet packet = std::move(network_.begin()->second);
            network_.erase(network_.begin());
            deliver(packet);
        } else {
            Node* const node = nodes_[hosts_.begin()->second].get();
            hosts_.erase(hosts_.begin());
            look(node);
        }
    }
    return wrong_;
}

TEST(NicBarriers, KeepsItsPromisesOnEverySeed) {
    constexpr uint64_t seeds = 6 * DETERMINISTIC_SEEDS;
    Coverage struck;
    for_each_seed(seeds, seeds / 3, [&](uint64_t seed) {
        NicBarrierRun run(seed);
        const std::string wrong = run.run();
        if (seed <= seeds || are_seeds_named()) {
            struck.note(run.struck());
        }
        return wrong;
    });
    struck.report(product({"killed process", "killed node"}, {"in an epoch", "between epochs", "outside of a barrier",
                                                              "exchange", "tree", "hosts run some", "NICs run all"}));
}

}  // namespace
}  // namespace syncline
