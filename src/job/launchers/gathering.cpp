// SPDX-License-Identifier: BSD-3-Clause
#include "job/launchers/gathering.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/failure.h"
#include "base/random.h"
#include "base/sizes.h"
#include "job/launchers/attendance.h"
#include "job/protocol/channel.h"
#include "job/protocol/job_description.h"
#include "job/protocol/proof.h"

namespace syncline {
namespace {

using Bytes = Launcher::Bytes;

// All processes must have one version, with which all that they show begins.
constexpr uint32_t gathering_version = 2;

// Rank 0's decisions.
struct Seed {
    uint32_t version = gathering_version;
    uint32_t job = 0;
    uint64_t key[2] = {};
    uint64_t token = 0;
    uint64_t heap_bytes = 0;
    uint32_t transport = 0;  // TransportKind, or any_transport
    uint32_t udp_start = 0;  // where the search for a port begins
    uint32_t window = 0;
    uint32_t authenticate = 0;
    uint32_t peer_timeout_ms = 0;
    uint32_t unused = 0;  // pads to a multiple of 8 bytes
};

constexpr uint32_t any_transport = UINT32_MAX;

// The first process of a node shows this about the node, its ranks, and the daemon's offer or an error message.
struct NodeHead {
    uint32_t version = gathering_version;
    int32_t status = SYNCLINE_OK;
    uint32_t ranks = 0;
};

struct Node {
    std::vector<uint32_t> ranks;
    NodeOffer offer = {};
    NodeAddress address;
    std::string xdp_obstacle;  // why the node does not offer xdp
};

template <typename Value>
void append(Bytes* bytes, const Value& value) {
    const size_t at = bytes->size();
    bytes->resize(at + sizeof(value));
    std::memcpy(bytes->data() + at, &value, sizeof(value));
}

template <typename Value>
Value take(const Bytes& bytes, size_t* at) {
    Value value;
    if (bytes.size() < *at || bytes.size() - *at < sizeof(value)) {
        fail(SYNCLINE_ERR_PROTOCOL,
             "a process of this job sent too little data; check that all processes run the same version of Syncline");
    }
    std::memcpy(&value, bytes.data() + *at, sizeof(value));
    *at += sizeof(value);
    return value;
}

void check_version(uint32_t version, uint32_t rank) {
    if (version != gathering_version) {
        fail(SYNCLINE_ERR_PROTOCOL, "PE {} has another version of Syncline than PE 0", rank);
    }
}

uint32_t transport_of(const std::string& name) {
    if (const std::optional<TransportKind> kind = transport_named(name); kind) {
        return static_cast<uint32_t>(*kind);
    }
    if (name != "auto") {
        fail(SYNCLINE_ERR_INVALID, "SYNCLINE_TRANSPORT is '{}': needs auto, shm, udp or xdp", name);
    }
    return any_transport;
}

Seed draw_seed(const GatheringOptions& options) {
    Seed seed;
    while (seed.job == 0) {
        fill_random(&seed.job);
    }
    fill_random(&seed.key);
    fill_random(&seed.token);
    fill_random(&seed.udp_start);
    seed.heap_bytes = options.heap_bytes;
    seed.transport = transport_of(options.transport);
    seed.window = options.window;
    seed.authenticate = options.authenticate ? 1 : 0;
    seed.peer_timeout_ms = options.peer_timeout_ms;
    return seed;
}

Seed read_seed(Launcher* launcher) {
    const std::optional<Bytes> shown = launcher->shown_by(0, "syncline.seed");
    if (!shown) {
        fail(SYNCLINE_ERR_PROTOCOL, "PE 0 has not described the job");
    }
    size_t at = 0;
    const auto seed = take<Seed>(*shown, &at);
    check_version(seed.version, launcher->rank());
    return seed;
}

// The first process of each node communicates with the daemon for all processes of the node.
class FirstOfNode {
  public:
    // The daemon keeps a job that it has made for this connection until the connection attaches.
    Channel take_channel() { return std::move(channel_); }

    FirstOfNode(Launcher* launcher, std::string daemon) : launcher_(launcher), daemon_(std::move(daemon)) {}

    Bytes offer() {
        NodeHead head;
        Bytes said;
        try {
            channel_ = Channel::greet(daemon_);
            Message ask;
            ask.type = MessageType::kOffer;
            said = channel_.call(ask).body;
        } catch (const Failure& failure) {
            head.status = failure.status();
            const std::string sentence = failure.what();
            said.assign(sentence.begin(), sentence.end());
        }
        head.ranks = static_cast<uint32_t>(launcher_->ranks_here().size());
        Bytes shown;
        append(&shown, head);
        for (const uint32_t rank : launcher_->ranks_here()) {
            append(&shown, rank);
        }
        shown.insert(shown.end(), said.begin(), said.end());
        return shown;
    }

    // Begins another attempt: the daemon ends the job that it has made for this connection.
    void begin_again() {
        channel_.close();
        channel_ = Channel::greet(daemon_);
    }

    // Finds out whether the NICs' replies arrive here, which takes a while if they do not.
    Bytes prove() {
        Bytes shown;
        Proof proof;
        int32_t status = SYNCLINE_OK;
        try {
            proof = prove_replies({&channel_}).at(0);
        } catch (const Failure& failure) {
            status = failure.status();
            proof.link = failure.what();
        }
        append(&shown, status);
        append(&shown, static_cast<uint32_t>(proof.silent.size()));
        for (const uint32_t node : proof.silent) {
            append(&shown, node);
        }
        shown.insert(shown.end(), proof.link.begin(), proof.link.end());
        return shown;
    }

    // Has the daemon make the node's part. Returns a status and a message.
    Bytes make(const Job& job) {
        Bytes shown;
        try {
            Message create;
            create.type = MessageType::kCreateJob;
            append_job(&create, job);
            channel_.call(create);
            append(&shown, static_cast<int32_t>(SYNCLINE_OK));
        } catch (const Failure& failure) {
            append(&shown, static_cast<int32_t>(failure.status()));
            const std::string sentence = failure.what();
            shown.insert(shown.end(), sentence.begin(), sentence.end());
        }
        return shown;
    }

  private:
    Launcher* const launcher_;
    const std::string daemon_;
    Channel channel_;
};

Node read_node(const Bytes& shown, uint32_t first) {
    Node node;
    size_t at = 0;
    const auto head = take<NodeHead>(shown, &at);
    check_version(head.version, first);
    for (uint32_t i = 0; i < head.ranks; i++) {
        node.ranks.push_back(take<uint32_t>(shown, &at));
    }
    if (head.status != SYNCLINE_OK) {
        fail(head.status, "the node of PE {}: {}", first,
             std::string(shown.begin() + static_cast<std::ptrdiff_t>(at), shown.end()));
    }
    node.offer = take<NodeOffer>(shown, &at);
    if (shown.size() - at < node.offer.address_length) {
        fail(SYNCLINE_ERR_PROTOCOL, "the offer of PE {}'s node is too short", first);
    }
    node.address = NodeAddress(node.offer.address_kind, std::span(shown).subspan(at, node.offer.address_length));
    at += node.offer.address_length;
    node.xdp_obstacle.assign(shown.begin() + static_cast<std::ptrdiff_t>(at), shown.end());
    return node;
}

// Reads all nodes. The lowest rank that belongs to no node so far is the first of a new node.
std::vector<Node> read_nodes(Launcher* launcher) {
    std::vector<Node> nodes;
    std::vector<bool> seen(launcher->ranks());
    for (uint32_t rank = 0; rank < launcher->ranks(); rank++) {
        if (seen[rank]) {
            continue;
        }
        const std::optional<Bytes> shown = launcher->shown_by(rank, "syncline.node");
        if (!shown) {
            fail(SYNCLINE_ERR_PROTOCOL, "PE {} has not described its node", rank);
        }
        nodes.push_back(read_node(*shown, rank));
        for (const uint32_t here : nodes.back().ranks) {
            if (here >= seen.size() || seen[here]) {
                fail(SYNCLINE_ERR_PROTOCOL, "the launcher puts PE {} on two nodes, or there is none", here);
            }
            seen[here] = true;
        }
    }
    return nodes;
}

bool offers_port(const NodeOffer& offer, uint32_t port) {
    const uint32_t bit = port - offer.port_first;
    return port >= offer.port_first && bit < service_ports && (offer.free_ports[bit / 8] >> (bit % 8) & 1) != 0;
}

// Returns a UDP port that is free on all nodes. The search goes round the ports that node 0 may offer.
uint32_t common_port(const std::vector<Node>& nodes, uint32_t start) {
    const uint32_t first = nodes[0].offer.port_first;
    for (uint32_t i = 0; i < service_ports; i++) {
        const uint32_t port = first + (start - first + i) % service_ports;
        if (std::all_of(nodes.begin(), nodes.end(), [&](const Node& node) { return offers_port(node.offer, port); })) {
            return port;
        }
    }
    fail(SYNCLINE_ERR_BUSY,
         "no UDP port is free on all {} nodes among those that their daemons offer, of which PE 0's "
         "begin at {}",
         nodes.size(), first);
}

// Returns the first node's reason for not offering xdp; "" if all do.
std::string why_not_offered(const std::vector<Node>& nodes) {
    for (const Node& node : nodes) {
        if (!node.xdp_obstacle.empty()) {
            return fmt::format("the node of PE {}: {}", node.ranks[0], node.xdp_obstacle);
        }
    }
    return "";
}

TransportKind common_transport(const std::vector<Node>& nodes, uint32_t wanted) {
    const auto can = [&](TransportKind kind) {
        return std::all_of(nodes.begin(), nodes.end(), [&](const Node& node) {
            return (node.offer.transports >> static_cast<uint32_t>(kind) & 1) != 0;
        });
    };
    if (wanted == any_transport) {
        return default_transport(nodes.size() > 1, can(TransportKind::kXdp));
    }
    const auto kind = static_cast<TransportKind>(wanted);
    if (!is_transport(kind) || (nodes.size() > 1 && !properties_of(kind).between_nodes)) {
        fail(SYNCLINE_ERR_INVALID, "SYNCLINE_TRANSPORT=shm works within one node, and this job has {}", nodes.size());
    }
    if (!can(kind)) {
        fail(SYNCLINE_ERR_UNSUPPORTED,
             "not every node's daemon offers {} ({}); leave SYNCLINE_TRANSPORT out, or set it to udp",
             transport_name(kind), why_not_offered(nodes));
    }
    return kind;
}

// Returns the job in the form for the daemon of node `here`.
Job draw_up(const std::vector<Node>& nodes, const Seed& seed, uint32_t here) {
    Job job;
    JobSpec& spec = job.spec;
    std::vector<uint16_t> ports;
    std::vector<uint16_t> ranks;
    for (const Node& node : nodes) {
        ports.push_back(static_cast<uint16_t>(node.ranks.size()));
        ranks.insert(ranks.end(), node.ranks.begin(), node.ranks.end());
        job.addresses.push_back(node.address);
    }
    spec.transport = common_transport(nodes, seed.transport);
    spec.token = seed.token;
    spec.heap_bytes = seed.heap_bytes;
    spec.agent_mode = AgentMode::kBlock;
    spec.peer_timeout_ms = seed.peer_timeout_ms;
    spec.owner_uid = ::geteuid();
    spec.held_by_pes = 1;
    spec.config.job = seed.job;
    spec.config.authenticate = seed.authenticate;
    std::copy(std::begin(seed.key), std::end(seed.key), spec.config.key);
    spec.config.node = here;
    spec.config.nodes = static_cast<uint32_t>(nodes.size());
    spec.config.ranks = static_cast<uint32_t>(ranks.size());
    spec.config.ports = ports[here];
    spec.config.window = seed.window != 0 ? seed.window : default_window(spec.config.nodes);
    spec.config.packet_max = SLW_PACKET_MAX;
    spec.config.udp_port = common_port(nodes, seed.udp_start);
    job.map = RankMap(ports, std::move(ranks));
    return job;
}

// Fails at all processes alike if a node's part could not be made.
void check_parts(Launcher* launcher, const std::vector<Node>& nodes, const std::string& name) {
    for (const Node& node : nodes) {
        const std::optional<Bytes> shown = launcher->shown_by(node.ranks[0], name);
        size_t at = 0;
        const auto status = shown ? take<int32_t>(*shown, &at) : static_cast<int32_t>(SYNCLINE_ERR_PROTOCOL);
        if (status != SYNCLINE_OK) {
            fail(status, "the node of PE {}: {}", node.ranks[0],
                 shown ? std::string(shown->begin() + static_cast<std::ptrdiff_t>(at), shown->end())
                       : "it has not reported whether it could make its part of the job");
        }
    }
}

Proof read_proof(const Bytes& shown, uint32_t nodes) {
    size_t at = 0;
    Proof proof;
    const auto status = take<int32_t>(shown, &at);
    const auto silent = take<uint32_t>(shown, &at);
    for (uint32_t i = 0; i < silent; i++) {
        proof.silent.push_back(std::min(take<uint32_t>(shown, &at), nodes - 1));
    }
    proof.link.assign(shown.begin() + static_cast<std::ptrdiff_t>(at), shown.end());
    if (status != SYNCLINE_OK) {
        fail(status, "{}", proof.link);
    }
    return proof;
}

// Returns why the job cannot go over xdp, which is equal at all processes; "" if it can.
std::string read_proofs(Launcher* launcher, const std::vector<Node>& nodes) {
    std::vector<Proof> proofs;
    for (const Node& node : nodes) {
        const std::optional<Bytes> shown = launcher->shown_by(node.ranks[0], "syncline.proof");
        proofs.push_back(read_proof(shown.value_or(Bytes()), static_cast<uint32_t>(nodes.size())));
    }
    return why_unproven(proofs, [&](uint32_t node) { return fmt::format("the node of PE {}", nodes[node].ranks[0]); });
}

// Prints one line for the whole job, whose user has left the choice to Syncline.
void say_why_udp(const Launcher& launcher, const std::string& why) {
    if (launcher.rank() == 0) {
        fmt::print(stderr, "syncline: this job goes over udp, not xdp: {}\n", why);
    }
}

// Returns the seed of another job on another port, because the first one may not be gone yet.
Seed another(Seed seed, const Job& first) {
    seed.job = seed.job == UINT32_MAX ? 1 : seed.job + 1;
    seed.udp_start = first.spec.config.udp_port + 1;
    return seed;
}

// The nodes' parts of a job, which all processes make and prove together.
struct Parts {
    Launcher* launcher;
    uint32_t timeout_ms;
    const Launcher::Meanwhile& meanwhile;
    std::vector<Node> nodes;
    FirstOfNode* first;  // in the first process of each node, else NULL

    uint32_t here() const {
        const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const Node& one) {
            return std::find(one.ranks.begin(), one.ranks.end(), launcher->rank()) != one.ranks.end();
        });
        return static_cast<uint32_t>(found - nodes.begin());
    }

    // Fails at all processes alike.
    void make_once(const Job& job, const std::string& name) const {
        if (first != nullptr) {
            launcher->show(name, first->make(job));
        }
        launcher->exchange(timeout_ms, meanwhile);
        check_parts(launcher, nodes, name);
    }

    // The next attempts are at another job.
    void begin_again(Seed* seed, const Job& job) const {
        *seed = another(*seed, job);
        if (first != nullptr) {
            first->begin_again();
        }
    }

    // A job that began at the same time may have taken the port since the nodes offered it. Then all nodes make their
    // parts again, for the next port; *seed becomes that job's. Fails at all processes alike.
    Job make(Seed* seed, const char* name) const {
        constexpr int attempts = 4;
        for (int attempt = 1;; attempt++) {
            Job job = draw_up(nodes, *seed, here());
            try {
                make_once(job, fmt::format("{}.{}", name, attempt));
                return job;
            } catch (const Failure& failure) {
                if (failure.status() != SYNCLINE_ERR_BUSY || attempt == attempts) {
                    throw;
                }
            }
            begin_again(seed, job);
        }
    }

    std::string why_not_xdp(const Job& job) const {
        if (!job.spec.properties().attaches_interface || nodes.size() == 1) {
            return "";
        }
        if (first != nullptr) {
            launcher->show("syncline.proof", first->prove());
        }
        launcher->exchange(timeout_ms, meanwhile);
        return read_proofs(launcher, nodes);
    }
};

}  // namespace

Gathered gather(Launcher* launcher, const GatheringOptions& options) {
    const bool first = launcher->rank() == launcher->ranks_here().at(0);
    FirstOfNode node(launcher, options.daemon);
    (void)transport_of(options.transport);
    if (launcher->rank() == 0) {
        Bytes shown;
        append(&shown, draw_seed(options));
        launcher->show("syncline.seed", shown);
    }
    if (first) {
        launcher->show("syncline.node", node.offer());
    }
    Attendance attendance(launcher, options.timeout_ms);
    const Launcher::Meanwhile look = [&attendance](uint64_t now) { attendance.look(now); };
    launcher->exchange(options.timeout_ms, look);
    Seed seed = read_seed(launcher);
    const Parts parts = {launcher, options.timeout_ms, look, read_nodes(launcher), first ? &node : nullptr};
    if (launcher->rank() == 0 && !options.authenticate && parts.nodes.size() > 1) {
        fmt::print(stderr,
                   "syncline: warning: SYNCLINE_AUTHENTICATE=no: every machine on the network can write this job's "
                   "memory\n");
    }
    const Job job = parts.make(&seed, "syncline.part");
    const std::string why = parts.why_not_xdp(job);
    if (why.empty()) {
        if (seed.transport == any_transport && job.spec.transport == TransportKind::kUdp) {
            say_why_udp(*launcher, why_not_offered(parts.nodes));
        }
    } else if (seed.transport != any_transport) {
        fail(SYNCLINE_ERR_UNSUPPORTED, "{}; SYNCLINE_TRANSPORT=udp needs no NIC program", why);
    } else {
        say_why_udp(*launcher, why);
        parts.begin_again(&seed, job);
        seed.transport = static_cast<uint32_t>(TransportKind::kUdp);
        (void)parts.make(&seed, "syncline.second");
    }
    return {first ? node.take_channel() : Channel::greet(options.daemon), launcher->rank(), seed.job, seed.token};
}

}  // namespace syncline
