// SPDX-License-Identifier: BSD-3-Clause
#include "job/rank_map.h"

#include <charconv>
#include <string_view>

#include "base/failure.h"
#include "firmware/wire.h"

namespace syncline {
namespace {

constexpr uint16_t nowhere = UINT16_MAX;

// Reads one node for each of `ranks` PEs, from a list such as 0,1,0,2.
std::vector<uint32_t> parse_list(std::string_view text, uint32_t ranks, uint32_t nodes) {
    std::vector<uint32_t> list;
    const char* at = text.data();
    const char* const end = at + text.size();
    for (bool more = true; more; at++) {
        uint32_t node = 0;
        const auto [rest, error] = std::from_chars(at, end, node);
        if (error != std::errc() || (rest != end && *rest != ',')) {
            fail(SYNCLINE_ERR_INVALID,
                 "--map-by cannot be '{}': give block (or slot, core), cyclic (or node), or a node for each PE, as in "
                 "0,1,0,2",
                 text);
        }
        if (node >= nodes) {
            fail(SYNCLINE_ERR_INVALID, "--map-by puts PE {} on node {}, and there are nodes 0 to {}", list.size(), node,
                 nodes - 1);
        }
        list.push_back(node);
        more = rest != end;
        at = rest;
    }
    if (list.size() != ranks) {
        fail(SYNCLINE_ERR_INVALID, "--map-by gives {} nodes, and there are {} PEs: give one for each", list.size(),
             ranks);
    }
    return list;
}

}  // namespace

RankMap::RankMap(const std::vector<uint16_t>& ports, std::vector<uint16_t> ranks) : by_node_(std::move(ranks)) {
    if (ports.empty() || ports.size() > SLW_NODES_MAX || by_node_.size() > SLW_RANKS_MAX) {
        fail(SYNCLINE_ERR_INVALID,
             "the rank map has {} nodes and {} PEs: 1 to {} nodes and at most {} PEs are possible", ports.size(),
             by_node_.size(), +SLW_NODES_MAX, +SLW_RANKS_MAX);
    }
    first_.push_back(0);
    for (size_t node = 0; node < ports.size(); node++) {
        if (ports[node] < 1 || ports[node] > SLW_PORTS_MAX) {
            fail(SYNCLINE_ERR_INVALID, "the rank map gives node {} {} PEs: 1 to {} are possible", node, ports[node],
                 +SLW_PORTS_MAX);
        }
        first_.push_back(first_.back() + ports[node]);
    }
    if (first_.back() != by_node_.size()) {
        fail(SYNCLINE_ERR_INVALID, "the rank map has {} ranks for the {} PEs of its nodes", by_node_.size(),
             first_.back());
    }
    places_.resize(by_node_.size(), {nowhere, nowhere});
    for (uint32_t node = 0; node < nodes(); node++) {
        for (uint32_t port = 0; port < ports_of(node); port++) {
            const uint32_t rank = rank_at(node, port);
            if (rank >= places_.size()) {
                fail(SYNCLINE_ERR_INVALID, "the rank map has rank {} in a job of {} PEs", rank, places_.size());
            }
            // There are as many ranks as PEs, so if one is there twice, another is missing.
            if (places_[rank].node != nowhere) {
                fail(SYNCLINE_ERR_INVALID, "the rank map has rank {} twice, on nodes {} and {}", rank,
                     places_[rank].node, node);
            }
            places_[rank] = {static_cast<uint16_t>(node), static_cast<uint16_t>(port)};
        }
    }
}

RankMap RankMap::of(const std::vector<uint32_t>& node_of_rank, uint32_t nodes) {
    std::vector<std::vector<uint16_t>> of_node(nodes);
    for (size_t rank = 0; rank < node_of_rank.size(); rank++) {
        of_node[node_of_rank[rank]].push_back(static_cast<uint16_t>(rank));
    }
    std::vector<uint16_t> ports, ranks;
    for (const std::vector<uint16_t>& own : of_node) {
        ports.push_back(static_cast<uint16_t>(own.size()));
        ranks.insert(ranks.end(), own.begin(), own.end());
    }
    return {ports, std::move(ranks)};
}

RankMap RankMap::lay_out(const std::string& how, uint32_t ranks, uint32_t nodes) {
    const bool is_cyclic = how == "cyclic" || how == "node";
    if (!is_cyclic && how != "block" && how != "slot" && how != "core") {
        return of(parse_list(how, ranks, nodes), nodes);
    }
    std::vector<uint32_t> node_of_rank(ranks);
    if (is_cyclic) {
        for (uint32_t rank = 0; rank < ranks; rank++) {
            node_of_rank[rank] = rank % nodes;
        }
        return of(node_of_rank, nodes);
    }
    for (uint32_t node = 0; node < nodes; node++) {
        const auto first = static_cast<uint32_t>(uint64_t{ranks} * node / nodes);
        const auto next = static_cast<uint32_t>(uint64_t{ranks} * (node + 1) / nodes);
        std::fill(node_of_rank.begin() + first, node_of_rank.begin() + next, node);
    }
    return of(node_of_rank, nodes);
}

std::vector<uint16_t> RankMap::ports_seen_from(uint32_t node) const {
    std::vector<uint16_t> ports(places_.size(), SLW_PORTS_MAX);
    for (uint32_t port = 0; port < ports_of(node); port++) {
        ports[rank_at(node, port)] = static_cast<uint16_t>(port);
    }
    return ports;
}

}  // namespace syncline
