// SPDX-License-Identifier: BSD-3-Clause
// The costs of the native firmware per packet: executing a fetch_add, executing packed xors, sealing, SipHash.
#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "firmware/native.h"
#include "firmware/records.h"

namespace {

constexpr uint32_t job = 7;
constexpr uint64_t small_table_bytes = 128 << 10;
constexpr uint64_t large_table_bytes = 16 << 20;

fw_config make_config(bool authenticate) {
    fw_config config = {};
    config.job = job;
    config.authenticate = authenticate ? 1 : 0;
    config.key[0] = 0x0706050403020100u;
    config.key[1] = 0x0f0e0d0c0b0a0908u;
    config.nodes = 2;
    config.ranks = 2;
    config.ports = 1;
    config.window = 1;
    return config;
}

// A node with one port, whose segment 0 has this many bytes.
struct Node {
    Node(bool authenticate, uint64_t bytes)
        : config(make_config(authenticate)),
          memory(bytes),
          records(config.ranks, config.window, config.ranks),
          segments(SLW_PORTS_MAX * SLW_SEGMENTS_MAX),
          bases(segments.size()),
          ports(1) {
        segments[0] = {bytes, FW_SEGMENT_OPEN, 1};
        bases[0] = memory.data();
        target.config = &config;
        records.give_to(&target);
        target.segments = segments.data();
        target.memory = bases.data();
        target.ports = ports.data();
        target.counters = &counters;
    }

    fw_config config;
    std::vector<uint8_t> memory;
    syncline::Records records;
    std::vector<fw_segment> segments;
    std::vector<uint8_t*> bases;
    std::vector<fw_port> ports;
    fw_counters counters = {};
    fw_target target = {};
};

// A request of PE 1 to node 0.
struct Request {
    alignas(8) uint8_t packet[SLW_PACKET_MAX] = {};

    explicit Request(uint16_t units) {
        slw_header head = {};
        head.magic = SLW_MAGIC;
        head.version = SLW_VERSION;
        head.kind = SLW_REQUEST;
        head.source_rank = 1;
        head.job = job;
        head.units = units;
        std::memcpy(packet, &head, sizeof(head));
    }

    slw_header* header() { return reinterpret_cast<slw_header*>(packet); }
    slw_unit* unit(uint32_t index) { return reinterpret_cast<slw_unit*>(packet + SLW_HEADER_BYTES) + index; }
};

uint64_t next_random(uint64_t* state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

void fill(Request* request, uint8_t code, uint64_t bytes, uint64_t* random) {
    for (uint32_t i = 0; i < request->header()->units; i++) {
        slw_unit* const unit = request->unit(i);
        unit->code = code;
        unit->offset_low = static_cast<uint32_t>((next_random(random) >> 20) % bytes & ~uint64_t{7});
        unit->operand = *random;
    }
}

// Seals and executes 64 different requests in turn; the reply overwrites a copy.
void execute(benchmark::State& state, uint8_t code, uint16_t units, uint64_t bytes, bool authenticate) {
    Node node(authenticate, bytes);
    std::vector<Request> requests(64, Request(units));
    uint64_t random = 88172645463325252u;
    for (Request& request : requests) {
        fill(&request, code, bytes, &random);
    }
    uint8_t packet[SLW_PACKET_MAX];
    uint32_t sequence = 0;
    for (auto _ : state) {
        Request& request = requests[sequence % requests.size()];
        request.header()->sequence = ++sequence;
        fw_seal(&node.config, request.packet);
        const uint32_t length = fw_packet_length(request.packet);
        std::memcpy(packet, request.packet, length);
        uint32_t reply_length = 0;
        if (fw_execute_packet(&node.target, packet, length, &reply_length) != FW_REPLY) {
            state.SkipWithError("the request was refused");
            break;
        }
    }
    state.SetItemsProcessed(state.iterations() * units);
}

void fetch_add(benchmark::State& state) {
    execute(state, SLW_ADD | SLW_WIDTH_64 | SLW_FETCH, 1, small_table_bytes, state.range(0) != 0);
}
BENCHMARK(fetch_add)->ArgName("auth")->Arg(0)->Arg(1);

void packed_xor(benchmark::State& state) {
    const auto bytes = static_cast<uint64_t>(state.range(1));
    execute(state, SLW_XOR | SLW_WIDTH_64, SLW_UNITS_MAX, bytes, state.range(0) != 0);
}
BENCHMARK(packed_xor)
    ->ArgNames({"auth", "bytes"})
    ->ArgsProduct({{0, 1}, {static_cast<int64_t>(small_table_bytes), static_cast<int64_t>(large_table_bytes)}});

void seal(benchmark::State& state) {
    const fw_config config = make_config(state.range(0) != 0);
    Request request(static_cast<uint16_t>(state.range(1)));
    for (auto _ : state) {
        request.header()->sequence++;
        fw_seal(&config, request.packet);
    }
    state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(fw_packet_length(request.packet)));
}
BENCHMARK(seal)->ArgNames({"auth", "units"})->ArgsProduct({{0, 1}, {1, SLW_UNITS_MAX}});

void siphash(benchmark::State& state) {
    const fw_config config = make_config(true);
    const std::vector<uint8_t> bytes(static_cast<size_t>(state.range(0)), 42);
    for (auto _ : state) {
        benchmark::DoNotOptimize(fw_siphash(config.key, bytes.data(), static_cast<uint32_t>(bytes.size())));
    }
    state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(siphash)->ArgName("bytes")->Arg(40)->Arg(1432);

}  // namespace
