// SPDX-License-Identifier: BSD-3-Clause
// The protocol between the daemon and its clients (PEs, the launcher, `syncline stat`): docs/PROTOCOL.md, part 2.
//
// SOCK_SEQPACKET over a UNIX socket, one message a packet, descriptors as SCM_RIGHTS. Every request gets exactly one
// answer of its type; a failed request gets a negative status, and a message as the body. A client whose message is not
// well-formed is dropped, and everything it held is given back.
#pragma once

#include <cstdint>

#include "job/address.h"

namespace syncline {

constexpr uint32_t daemon_magic = 0x4e504c53;  // "SLPN"
constexpr uint16_t daemon_version = 12;
constexpr uint32_t daemon_message_max = 5 << 20;   // of a body: a description of 65,536 PEs on 65,535 nodes
constexpr uint32_t daemon_inline_max = 128 << 10;  // for longer ones see channel.h
constexpr uint32_t daemon_fds_max = 200;
// Number of a PE's sockets. A PE connects one to each node with which it communicates; with more nodes than sockets,
// the nodes take turns.
constexpr uint32_t pe_sockets_max = 64;

enum class MessageType : uint16_t {
    kHello = 1,         // version check; always first
    kCreateJob = 2,     // launcher: a job (job_description.h), which lives as long as this connection
    kAttach = 3,        // PE: AttachRequest. Answer: AttachAnswer, the job; descriptors, see AttachFlags
    kSegment = 4,       // PE: SegmentRequest. Answer: SegmentAnswer and its memory
    kRegister = 5,      // PE: RegisterRequest. Answer: SegmentAnswer and its memory
    kDeregister = 6,    // PE: SegmentRequest (own port)
    kDetach = 7,        // PE: leaves in good order; its memory stays readable for other PEs
    kStat = 8,          // any client: the answer is a JSON text of its user's jobs
    kAgentMode = 9,     // launcher: AgentModeRequest
    kAbort = 10,        // PE: AbortRequest; the daemon passes it on to the launcher as an unasked message
    kMember = 11,       // daemon to the launcher, unasked: MemberNotice
    kRest = 12,         // PE: RestRequest. While it rests, the end of its connection is a Detach
    kOffer = 13,        // any client: asks for the node's offer. Answer: NodeOffer, its address, why it offers no xdp
    kEvents = 14,       // PE: EventsRequest. Answer: eventfds for which the answer to kAttach had no room
    kProve = 15,        // client of a job: greets the next nodes. Answer: ProofAnswer, a message about this node's link
    kStop = 16,         // daemon to launchers and PEs, unasked: a message, before it ends and hangs up
    kLendProgram = 17,  // launcher to its job's private daemon. Answer: LentProgram and descriptors, or none
    kUseProgram = 18,   // launcher to another private daemon, before its job: LentProgram and the descriptors
    kTrace = 19,        // PE: TraceRequest. Answer: the memory of its trace
    kTraces = 20,       // any client: TracesRequest. Answer: TracesAnswer, descriptors of traces of its user's job
};

struct MessageHeader {
    uint32_t magic;
    uint16_t version;
    uint16_t type;
    uint32_t length;  // of the body
    int32_t status;
};
static_assert(sizeof(MessageHeader) == 16);

// UDP ports of jobs that no launcher of ours has made: a daemon offers at most this many, by default from this one on.
constexpr uint16_t service_port_first = 18000;
constexpr uint32_t service_ports = 1024;

struct NodeOffer {
    uint32_t transports;  // bit k: TransportKind k
    AddressKind address_kind;
    uint8_t address_length;
    uint16_t port_first;
    uint8_t free_ports[service_ports / 8];  // bit p: UDP port port_first + p is free
};

// A NIC program for several nodes of a job on one machine. Its descriptors are those of both programs and of the tables
// (daemon/targets/nic_program.h).
struct LentProgram {
    uint32_t job;
    uint32_t places;      // number of nodes
    uint32_t packet_max;  // as in fw_config
    uint32_t reserved;
};

constexpr uint32_t proof_nodes_max = 16;  // one for each power of two below the number of nodes

struct ProofAnswer {
    uint32_t silent;                  // number of NICs that have not answered yet
    uint32_t nodes[proof_nodes_max];  // the nodes of these NICs
};

struct AttachRequest {
    uint64_t token;
    uint32_t job;
    uint32_t rank;
};

// Descriptors of an attach answer, in this order: the shared port words; the segment table (read-only); the barriers;
// this port's wake ring buffer, if kAttachRing; if kAttachPackets, this port's completions, its request images, the
// slot tables (to read; in shm jobs PEs execute requests in them) and the directory of buffers; a UDP socket for each
// node, if kAttachSockets, but at most pe_sockets_max, bound to the node's address and not connected; and one eventfd
// per port of the node, as many as fit. kEvents brings the remaining ones.
enum AttachFlags : uint32_t {
    kAttachRing = 1,
    kAttachSockets = 4,
    kAttachPackets = 8,
};

struct AttachAnswer {
    uint32_t flags;
    uint32_t reserved;
};

// A node in a job's description: the bytes of its address follow, then the next node.
struct JobNode {
    uint16_t ports;
    AddressKind kind;
    uint8_t length;  // of the address
};
static_assert(sizeof(JobNode) == 4);

struct SegmentRequest {
    uint32_t port;
    uint32_t segment;
};

struct RegisterRequest {
    uint64_t bytes;
};

struct SegmentAnswer {
    uint64_t bytes;
    uint32_t segment;
    uint32_t reserved;
};

struct EventsRequest {
    uint32_t first;  // a port; the answer holds its eventfd and those of the next ports, as many as fit
    uint32_t reserved;
};

// base/trace.h has the layout of a trace.
struct TraceRequest {
    uint32_t events;  // a power of two
    uint32_t reserved;
};

struct TracesRequest {
    uint32_t job;
    uint32_t node;   // for a launcher, which has several
    uint32_t first;  // the answer has this trace and the next ones, as many as fit; 0 is the daemon's own
    uint32_t reserved;
};

struct TracesAnswer {
    uint32_t traces;  // number of all
    uint32_t reserved;
};

struct AgentModeRequest {
    uint32_t job;
    uint32_t mode;
};

struct RestRequest {
    uint32_t rests;  // 1: the PE rests from now on; 0: no longer
    uint32_t reserved;
};

// A PE joins by attaching, leaves by detaching or resting, and is gone when its connection ends without either. The
// daemon sends the notice before its answer to the PE, so the launcher has it before the PE's process can end.
enum class MemberState : uint32_t { kAbsent = 0, kJoined = 1, kLeft = 2, kGone = 3 };

struct MemberNotice {
    uint32_t rank;
    MemberState state;
};

struct AbortRequest {
    int32_t code;
    uint32_t rank;  // the daemon fills it in
};

}  // namespace syncline
