// SPDX-License-Identifier: BSD-3-Clause
#include "tests/deterministic/world.h"

#include <sys/single_threaded.h>

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <numeric>

#include "base/check.h"
#include "fabric/packet/transport.h"

namespace syncline::deterministic {
namespace {

constexpr uint64_t daemon_notices_ns = 200 * ns_per_us;
constexpr uint64_t daemon_adds_rows_ns = 300 * ns_per_us;
constexpr uint64_t rival_turns = 3000;  // more than an executor tries
World* active_world = nullptr;

RankMap map_of(const WorldOptions& options) {
    const std::vector<uint16_t> ports(options.ports.begin(), options.ports.end());
    std::vector<uint16_t> ranks = options.ranks;
    if (ranks.empty()) {
        ranks.resize(std::accumulate(ports.begin(), ports.end(), size_t{0}));
        std::iota(ranks.begin(), ranks.end(), uint16_t{0});
    }
    return {ports, std::move(ranks)};
}

std::vector<uint32_t> links_of(const WorldOptions& options) {
    return options.packet_max.empty() ? std::vector<uint32_t>(options.ports.size(), SLW_PACKET_MAX)
                                      : options.packet_max;
}

Job job_of(const WorldOptions& options, const RankMap& map, uint32_t node) {
    Job job;
    job.map = map;
    fw_config& config = job.spec.config;
    config.job = 77;
    config.window = options.window;
    config.node = node;
    config.nodes = map.nodes();
    config.ranks = map.ranks();
    config.ports = map.ports_of(node);
    config.packet_max = links_of(options)[node];
    fw_derive_keys(&config);
    job.spec.heap_bytes = options.heap_bytes;
    return job;
}

}  // namespace

// A PE's transport. Each call is a step, in which others may get ahead.
class World::Port final : public Transport {
  public:
    Port(World* world, uint32_t rank) : world_(world), rank_(rank) {}

    const TransportCapabilities& capabilities() const override {
        static constexpr TransportCapabilities target = {"simulated", true, true, true, 500};
        static constexpr TransportCapabilities agent = {"simulated", false, false, false, 2000};
        return world_->options_.deposits ? target : agent;
    }
    int send(uint32_t node, const uint8_t* packet, uint32_t length, uint32_t pad_to) override {
        world_->scheduler_.step();
        std::vector<uint8_t> datagram(packet, packet + length);
        datagram.resize(std::max(length, pad_to));
        const uint32_t from = world_->node_of(rank_);
        const size_t room = datagram.size();
        const uint64_t too_long = world_->network_.too_long();
        world_->network_.send({from, node, rank_, std::move(datagram), room});
        world_->long_probes_ += world_->network_.too_long() != too_long && world_->is_probe(packet) ? 1 : 0;
        world_->scheduler_.step();
        return SYNCLINE_OK;
    }
    int poll(const Sink& sink) override {
        world_->scheduler_.step();
        auto& inbox = world_->inboxes_[rank_];
        int count = 0;
        for (; !inbox.empty(); count++) {
            std::vector<uint8_t> packet = std::move(inbox.front());
            inbox.pop_front();
            const auto length = static_cast<uint32_t>(packet.size());
            packet.resize(world_->config_of(world_->node_of(rank_)).packet_max);
            sink(packet.data(), length);
        }
        return count;
    }

  private:
    World* const world_;
    const uint32_t rank_;
};

static bool closes(const uint8_t* packet) {
    const auto* const header = reinterpret_cast<const slw_header*>(packet);
    return header->kind == SLW_REQUEST && reinterpret_cast<const slw_unit*>(header + 1)->code == SLW_CLOSE;
}

World::World(uint64_t seed, const WorldOptions& options)
    : options_(options),
      map_(map_of(options)),
      scheduler_(seed, map_.ranks(), options.preemption),
      network_(&scheduler_, links_of(options), options.faults, [this](const Packet& packet) { receive(packet); }) {
    assert(active_world == nullptr);
    active_world = this;
    syncline_checks_shared_words = options.forgetful ? 0 : 1;
    // A fibre stands for a thread: a spin lock is to be a lock.
    __libc_single_threaded = 0;
    without_daemon_.resize(map_.nodes());
    atomic_units_.resize(map_.nodes());
    attachments_.resize(map_.ranks());
    inboxes_.resize(map_.ranks());
    pair_steps_.resize(map_.ranks());
    for (uint32_t node = 0; node < map_.nodes(); node++) {
        nodes_.push_back(std::make_unique<Node>(job_of(options, map_, node), options.deposits));
        nodes_.back()->set_rows(std::min(options.rows, size()));
        nodes_.back()->target()->wake_context = nodes_.back().get();
        nodes_.back()->target()->wake = [](void* self, uint32_t port) {
            World::active()->signal(static_cast<Node*>(self)->rank_at(port));
        };
        nodes_.back()->target()->emit_context = nodes_.back().get();
        nodes_.back()->target()->emit = [](void* self, uint32_t to, const uint8_t* packet, uint32_t length) {
            World::active()->emit(static_cast<Node*>(self)->config().node, to, packet, length);
        };
    }
    // A writer signals PEs that poll, too, because that is a point at which it may lose the CPU.
    for (uint32_t rank = 0; polls() && rank < size(); rank++) {
        nodes_[node_of(rank)]->set_waiting(map_.port_of(rank));
    }
}

World::~World() {
    active_world = nullptr;
}

World* World::active() {
    return active_world;
}

uint64_t World::peek(uint32_t rank, syncline_address_t address) const {
    return *nodes_[node_of(rank)]->word(map_.port_of(rank), address);
}

uint64_t World::pair_lock_of(uint32_t rank) const {
    const uint32_t node = node_of(rank);
    return nodes_[node]->pair_lock_of(map_.port_of(rank));
}

void World::step_in_pair() {
    const uint32_t rank = scheduler_.running();
    pair_action_(rank, ++pair_steps_[rank]);
    scheduler_.step();
}

// As Connection sends them.
bool World::is_probe(const uint8_t* packet) const {
    const auto* const header = reinterpret_cast<const slw_header*>(packet);
    return options_.window > 1 && header->slot == options_.window - 1 &&
           reinterpret_cast<const slw_unit*>(header + 1)->code == SLW_GET;
}

Process::Parts World::attach(uint32_t rank) {
    Process::Parts parts;
    parts.attachment = nodes_[node_of(rank)]->attach(rank);
    attachments_[rank] = parts.attachment.get();
    std::unique_ptr<Fabric> card;
    if (options_.card.kind != CardKind::kNone) {
        card = std::make_unique<SimulatedCard>(this, rank, options_.card,
                                               uint64_t{options_.endpoint.peer_timeout_ms} * ns_per_ms);
    }
    parts.fabrics = std::make_unique<Fabrics>(
        parts.attachment.get(), nodes_[node_of(rank)]->tables_for(rank), std::make_unique<Port>(this, rank),
        Fabrics::Options{options_.endpoint.peer_timeout_ms, options_.endpoint.direct}, std::move(card));
    return parts;
}

bool World::card_reaches(uint32_t from, uint32_t to) const {
    return network_.connects(node_of(from), node_of(to)) && !without_daemon_[node_of(to)];
}

uint8_t* World::card_memory(uint32_t rank, syncline_address_t address, uint64_t bytes, int* status) const {
    return nodes_[node_of(rank)]->find(map_.port_of(rank), address, bytes, status);
}

void World::spawn(uint32_t rank, std::function<void()> body) {
    scheduler_.spawn(rank, [this, rank, body = std::move(body)] {
        body();
        end(rank);
    });
}

bool World::run(const Program& program, uint64_t time_limit) {
    for (uint32_t rank = 0; rank < size(); rank++) {
        spawn(rank, [this, rank, &program] {
            Process::Parts parts = attach(rank);
            Endpoint endpoint(std::move(parts.attachment), std::move(parts.fabrics), wait_mode());
            program(&endpoint);
        });
    }
    return scheduler_.run(time_limit);
}

void World::signal(uint32_t rank) {
    if (polls()) {
        nodes_[node_of(rank)]->set_waiting(map_.port_of(rank));
    }
    scheduler_.signal(rank);
    scheduler_.step();
}

// A process that reads its own socket takes its replies there; all else is the NIC's, or the agent's.
void World::receive(const Packet& packet) {
    const auto* const header = reinterpret_cast<const slw_header*>(packet.bytes.data());
    if (options_.deposits || header->kind != SLW_REPLY) {
        execute(packet);
    } else {
        inboxes_[packet.socket].push_back(packet.bytes);
        scheduler_.signal(packet.socket);
    }
}

void World::execute(const Packet& packet) {
    if (without_daemon_[packet.to]) {
        return;
    }
    Node& node = *nodes_[packet.to];
    std::vector<uint8_t> buffer = packet.bytes;
    buffer.resize(std::max<size_t>(buffer.size(), node.config().packet_max));
    if (options_.forgetful) {
        node.forget_results();
    }
    executing_ = packet.to;
    uint32_t length = 0;
    const auto verdict =
        fw_execute_packet(node.target(), buffer.data(), static_cast<uint32_t>(packet.bytes.size()), &length);
    if (verdict == FW_REPLY) {
        buffer.resize(length);
        if (closes(packet.bytes.data())) {
            (reinterpret_cast<const slw_header*>(buffer.data())->status == SLW_CLOSED ? closed_ : closed_late_)++;
        }
        answer(packet, std::move(buffer));
    }
    if (node.lacks_rows()) {
        scheduler_.at(scheduler_.now() + daemon_adds_rows_ns, [&node] {
            if (node.lacks_rows()) {
                node.add_row();
            }
        });
    }
    for (uint32_t port = 0; port < node.config().ports; port++) {
        scheduler_.knock(node.rank_at(port));
    }
}

// Sends a reply, or what follows one, in the frame that the packet came in.
void World::answer(const Packet& packet, std::vector<uint8_t> bytes) {
    const bool fits = !options_.deposits || bytes.size() <= packet.room;
    const auto* const header = reinterpret_cast<const slw_header*>(bytes.data());
    if (header->kind == SLW_REQUEST) {
        (fits ? followers_ : followers_lost_)++;
    } else if (fits) {
        retries_ += header->status == SLW_RETRY ? 1 : 0;
        if (reply_action_) {
            reply_action_(&bytes);
            fw_seal(&nodes_[packet.to]->config(), bytes.data());
        }
    }
    if (fits) {
        network_.send({packet.to, packet.from, packet.socket, std::move(bytes), packet.room});
    }
}

void World::before_sum(uint8_t* word, uint32_t bytes) {
    if (options_.rivals == 0 || !rival_action_) {
        return;
    }
    if (rivals_left_ == 0 && scheduler_.prng().below(options_.rivals) == 0) {
        rivals_left_ = 1 + scheduler_.prng().below(rival_turns);
    }
    if (rivals_left_ != 0) {
        rivals_left_--;
        uint32_t port = 0;
        const syncline_address_t address = nodes_[executing_]->address_of(word, &port);
        rival_action_(nodes_[executing_]->rank_at(port), address, word, bytes);
    }
}

void World::end(uint32_t rank) {
    attachments_[rank] = nullptr;
    if (!without_daemon_[node_of(rank)]) {
        nodes_[node_of(rank)]->close_port(map_.port_of(rank));
    }
}

void World::kill(uint32_t rank, Scheduler::Action recovered) {
    scheduler_.kill(rank);
    const uint64_t noticed = scheduler_.now() + scheduler_.prng().below(daemon_notices_ns);
    scheduler_.at(noticed, [this, rank, recovered = std::move(recovered)] {
        end(rank);
        nodes_[node_of(rank)]->recover_pairs(map_.port_of(rank));
        recovered();
    });
}

void World::kill_daemon(uint32_t node) {
    without_daemon_[node] = true;
    for (uint32_t rank = 0; rank < size(); rank++) {
        if (node_of(rank) == node && attachments_[rank] != nullptr) {
            attachments_[rank]->lose_daemon();
        }
    }
}

void World::kill_node(uint32_t node) {
    network_.cut(node, true);
    for (uint32_t rank = 0; rank < size(); rank++) {
        if (node_of(rank) == node) {
            scheduler_.kill(rank);
        }
    }
}

void World::end_running() {
    const uint32_t rank = scheduler_.running();
    ended_by_call_.push_back(rank);
    kill(rank);
    scheduler_.step();
    std::abort();  // a dead process goes on
}

}  // namespace syncline::deterministic
