// SPDX-License-Identifier: BSD-3-Clause
#include "job/protocol/job_description.h"

#include <array>

#include "base/failure.h"

namespace syncline {
namespace {

// Reads the next piece of a message, and moves on behind it.
class Cursor {
  public:
    Cursor(const Message& message, size_t offset) : message_(message), at_(offset) {}

    template <typename T>
    void take(T* value) {
        if (!message_.read(value, at_)) {
            fail(SYNCLINE_ERR_PROTOCOL, "the description of the job is too short, at {} bytes", message_.body.size());
        }
        at_ += sizeof(T);
    }
    NodeAddress take_address(const JobNode& node) {
        std::array<uint8_t, NodeAddress::bytes_max> bytes;
        if (node.length > bytes.size()) {
            fail(SYNCLINE_ERR_INVALID, "a node's address has {} bytes, more than {}", node.length, bytes.size());
        }
        for (uint8_t i = 0; i < node.length; i++) {
            take(&bytes[i]);
        }
        return {node.kind, std::span(bytes).first(node.length)};
    }

    void expect_end() const {
        if (at_ != message_.body.size()) {
            fail(SYNCLINE_ERR_PROTOCOL, "the description of the job ends at byte {} of {}", at_, message_.body.size());
        }
    }

  private:
    const Message& message_;
    size_t at_;
};

}  // namespace

void append_job(Message* message, const Job& job) {
    message->append(job.spec);
    for (uint32_t node = 0; node < job.map.nodes(); node++) {
        const NodeAddress& address = job.addresses[node];
        message->append(JobNode{static_cast<uint16_t>(job.map.ports_of(node)), address.kind(),
                                static_cast<uint8_t>(address.bytes().size())});
        message->append(address.bytes().data(), address.bytes().size());
    }
    for (uint32_t node = 0; node < job.map.nodes(); node++) {
        const std::span<const uint16_t> ranks = job.map.ranks_of(node);
        message->append(ranks.data(), ranks.size_bytes());
    }
}

Job read_job(const Message& message, size_t offset) {
    Job job;
    Cursor cursor(message, offset);
    cursor.take(&job.spec);
    const fw_config& config = job.spec.config;
    if (config.nodes < 1 || config.nodes > SLW_NODES_MAX || config.ranks > SLW_RANKS_MAX ||
        config.node >= config.nodes) {
        fail(SYNCLINE_ERR_INVALID, "the description of the job is out of bounds: {} PEs, and this is node {} of {}",
             config.ranks, config.node, config.nodes);
    }
    std::vector<uint16_t> ports;
    for (uint32_t i = 0; i < config.nodes; i++) {
        JobNode node = {};
        cursor.take(&node);
        ports.push_back(node.ports);
        job.addresses.push_back(cursor.take_address(node));
    }
    std::vector<uint16_t> ranks(config.ranks);
    for (uint16_t& rank : ranks) {
        cursor.take(&rank);
    }
    cursor.expect_end();
    job.map = RankMap(ports, std::move(ranks));
    if (config.ports != job.map.ports_of(config.node)) {
        fail(SYNCLINE_ERR_INVALID, "the description of the job has {} PEs on this node, and its rank map {}",
             config.ports, job.map.ports_of(config.node));
    }
    return job;
}

}  // namespace syncline
