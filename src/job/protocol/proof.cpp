// SPDX-License-Identifier: BSD-3-Clause
#include "job/protocol/proof.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/clock.h"
#include "base/failure.h"
#include "base/os.h"

namespace syncline {
namespace {

constexpr uint64_t first_pause_ns = 200'000;  // an answer over a local link has come by then
constexpr uint64_t longest_pause_ns = 20 * ns_per_ms;
constexpr int questions_least = 12;  // a daemon that is making another job's part answers late
constexpr size_t links_named = 3;

Proof ask(Channel* daemon, const Channel::Await& await) {
    Message question;
    question.type = MessageType::kProve;
    const Message answer = daemon->call(question, await);
    ProofAnswer head = {};
    if (!answer.read(&head) || head.silent > proof_nodes_max) {
        fail(SYNCLINE_ERR_PROTOCOL, "the daemon's answer about its neighbours is too short");
    }
    Proof proof;
    proof.silent.assign(head.nodes, head.nodes + head.silent);
    proof.link = answer.text().substr(sizeof(head));
    return proof;
}

bool is_complete(const Proof& proof) {
    return proof.silent.empty() || !proof.link.empty();
}

}  // namespace

std::vector<Proof> prove_replies(const std::vector<Channel*>& daemons, const Channel::Await& await) {
    std::vector<Proof> proofs(daemons.size());
    const uint64_t end = now_ns() + proof_ms * ns_per_ms;
    uint64_t pause = first_pause_ns;
    for (int question = 1;; question++) {
        for (size_t i = 0; i < daemons.size(); i++) {
            if (question == 1 || !is_complete(proofs[i])) {
                proofs[i] = ask(daemons[i], await);
            }
        }
        if (std::all_of(proofs.begin(), proofs.end(), is_complete) ||
            (now_ns() >= end && question >= questions_least)) {
            return proofs;
        }
        sleep_on({}, pause);
        pause = std::min(2 * pause, longest_pause_ns);
    }
}

std::string why_unproven(const std::vector<Proof>& proofs, const std::function<std::string(uint32_t node)>& name) {
    std::vector<std::string> links;
    for (uint32_t node = 0; node < proofs.size() && links.size() < links_named; node++) {
        if (!proofs[node].link.empty()) {
            links.push_back(fmt::format("at {} {}", name(node), proofs[node].link));
        }
    }
    if (!links.empty()) {
        return fmt::format("{}", fmt::join(links, "; "));
    }
    const auto lacking = std::find_if_not(proofs.begin(), proofs.end(), is_complete);
    if (lacking == proofs.end()) {
        return "";
    }
    std::vector<std::string> silent;
    for (const uint32_t node : lacking->silent) {
        silent.push_back(name(node));
    }
    return fmt::format(
        "at {}, no reply from the NIC of {} arrives within {} ms: something on the way drops the job's UDP packets, "
        "or takes VLAN tags out of frames (`ethtool -K`)",
        name(static_cast<uint32_t>(lacking - proofs.begin())), fmt::join(silent, ", "), proof_ms);
}

}  // namespace syncline
