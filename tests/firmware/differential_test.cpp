// SPDX-License-Identifier: BSD-3-Clause
// Method: one seeded trace of frames (trace.h) goes through the native firmware and through the program loaded into the
// kernel. Frame by frame the verdict and the reply must be the same; every few hundred frames and at the end so must
// be all memory, slots, completions, pair locks and counters. In between, segments are closed and resized, processes
// go to sleep, and pair locks are held by others, on both sides alike.
//
// Which seeds are run, and how to replay one: tests/seeds.h.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "bpf_target.h"
#include "drawn.h"
#include "native_target.h"
#include "tests/seeds.h"
#include "trace.h"

namespace syncline::test {
namespace {

constexpr uint32_t bulk_codes[] = {SLW_PUT,
                                   SLW_GET,
                                   SLW_ADD_INT32,
                                   SLW_ADD_INT64,
                                   SLW_ADD_FLOAT,
                                   SLW_ADD_DOUBLE,
                                   SLW_PUT | SLW_LIST,
                                   SLW_GET | SLW_LIST,
                                   SLW_ADD_INT32 | SLW_LIST,
                                   SLW_ADD_INT64 | SLW_LIST,
                                   SLW_ADD_FLOAT | SLW_LIST,
                                   SLW_ADD_DOUBLE | SLW_LIST};
constexpr int frames_per_seed = 4000;
constexpr int frames_per_comparison = 250;

std::string dump(const Bytes& frame) {
    return fmt::format("{} bytes {:02x}", frame.size(), fmt::join(frame, ""));
}

// The part of a frame that a receiver looks at. Behind it a frame of several parts keeps more than one of a single
// part.
Bytes datagram_of(const Bytes& frame) {
    const std::optional<Bytes> payload = payload_of(frame);
    const size_t bytes = payload ? headers_bytes(frame[12] == 0x86) + payload->size() : frame.size();
    return {frame.begin(), frame.begin() + static_cast<ptrdiff_t>(bytes)};
}

template <typename T>
bool same(std::span<T> one, std::span<T> other) {
    return one.size() == other.size() && std::memcmp(one.data(), other.data(), one.size_bytes()) == 0;
}

class Pair {
  public:
    Pair(const TargetShape& shape, uint64_t seed)
        : shape_(shape),
          trace_(shape, seed),
          native_(shape),
          bpf_(shape),
          doings_(shape, seed, trace_, {&native_, &bpf_}, BpfTarget::chooses_first_part()) {}

    // "" or what differs.
    std::string step() {
        doings_.next();
        const Bytes frame = trace_.next_frame();
        Bytes native_frame = frame, bpf_frame = frame;
        const int native_verdict = native_.execute(native_frame);
        const int bpf_verdict = bpf_.execute(bpf_frame);
        if (native_verdict != bpf_verdict) {
            return fmt::format("verdicts {} (native) and {} (BPF) on {}", native_verdict, bpf_verdict, dump(frame));
        }
        if (native_verdict == XDP_TX ? datagram_of(native_frame) != datagram_of(bpf_frame) : bpf_frame != frame) {
            return fmt::format("frames\n{} (native) and\n{} (BPF) from\n{}", dump(native_frame), dump(bpf_frame),
                               dump(frame));
        }
        if (native_verdict != XDP_TX && native_frame != frame) {
            return "a frame was changed that is not sent back: " + dump(frame);
        }
        trace_.take_answer(native_verdict, native_frame);
        return trace_.complaint();
    }

    std::string compare() {
        for (const SegmentShape& segment : shape_.segments) {
            if (!same(native_.memory(segment), bpf_.memory(segment))) {
                return fmt::format("memory of port {}, segment {}", segment.port, segment.segment);
            }
        }
        for (uint32_t port = 0; port < shape_.config.ports; port++) {
            for (uint32_t i = 0; i < shape_.config.nodes * shape_.config.window; i++) {
                if (std::memcmp(&native_.completion(port, i), &bpf_.completion(port, i),
                                fw_completion_bytes(shape_.config.packet_max)) != 0) {
                    return fmt::format("completion {} of port {}", i, port);
                }
            }
            if (std::memcmp(&native_.port(port), &bpf_.port(port), sizeof(fw_port)) != 0) {
                return fmt::format("shared words of port {}", port);
            }
        }
        if (!same(native_.barriers(), bpf_.barriers())) {
            return "barriers";
        }
        std::vector<fw_slot> native_slots = native_.slots(), bpf_slots = bpf_.slots();
        if (!same(std::span(native_slots), std::span(bpf_slots))) {
            return "slots";
        }
        std::vector<fw_source> native_sources = native_.sources(), bpf_sources = bpf_.sources();
        if (!same(std::span(native_sources), std::span(bpf_sources)) || native_.rows().taken != bpf_.rows().taken) {
            return "sources";
        }
        const fw_counters native_counters = native_.counters(), bpf_counters = bpf_.counters();
        for (size_t i = 0; i < FW_COUNTER_COUNT; i++) {
            if (native_counters.value[i] != bpf_counters.value[i]) {
                return fmt::format("counter {}: {} (native) and {} (BPF)", fw_counter_names[i],
                                   native_counters.value[i], bpf_counters.value[i]);
            }
        }
        return "";
    }

    fw_counters counters() { return native_.counters(); }
    const Trace& trace() const { return trace_; }

  private:
    const TargetShape shape_;
    Trace trace_;
    NativeTarget native_;
    BpfTarget bpf_;
    Doings doings_;
};

class Differential : public testing::TestWithParam<bool> {
  protected:
    void SetUp() override {
        if (const std::string obstacle = BpfTarget::obstacle(); !obstacle.empty()) {
            GTEST_SKIP() << obstacle;
        }
    }

    void run(uint64_t seed) {
        Pair pair(drawn_shape(GetParam(), seed), seed);
        std::string difference;
        int frames = 0;
        while (difference.empty() && frames < frames_per_seed) {
            difference = pair.step();
            frames++;
            if (difference.empty() && (frames % frames_per_comparison == 0 || frames == frames_per_seed)) {
                difference = pair.compare();
            }
        }
        ASSERT_EQ(difference, "") << "after " << frames << " frames";
        EXPECT_GT(pair.trace().answered(), frames_per_seed / 10u) << "seed " << seed << " reaches too little";
        for (uint32_t status = SLW_OK; status <= SLW_CLOSED; status++) {
            for (uint32_t code = 0; code < 256; code++) {
                answered_[status] += pair.trace().answered(code, status);
            }
        }
        for (uint32_t i = 0; i < std::size(bulk_codes); i++) {
            done_[i] += pair.trace().answered(bulk_codes[i], SLW_OK);
        }
        const fw_counters counters = pair.counters();
        for (size_t i = 0; i < FW_COUNTER_COUNT; i++) {
            seen_.value[i] += counters.value[i];
        }
    }

    fw_counters seen_{};
    uint64_t answered_[SLW_CLOSED + 1] = {};
    uint64_t done_[std::size(bulk_codes)] = {};
};

TEST_P(Differential, native_and_kernel_do_the_same) {
    for_each_seed(8, 4, [this](uint64_t seed) { run(seed); });
    for (size_t i = 0; i < FW_COUNTER_COUNT && !HasFailure() && !are_seeds_named(); i++) {
        // Those need two CPUs, and a barrier that the NIC itself takes on.
        if (i != FW_COUNT_rejected_busy && i != FW_COUNT_barriers_sent) {
            EXPECT_GT(seen_.value[i], 0u) << "no trace reached " << fw_counter_names[i];
        }
    }
    for (uint32_t status = SLW_OK; status <= SLW_CLOSED && !HasFailure() && !are_seeds_named(); status++) {
        EXPECT_GT(answered_[status], 0u) << "no answer had status " << status;
    }
    for (uint32_t i = 0; i < std::size(bulk_codes) && !HasFailure() && !are_seeds_named(); i++) {
        EXPECT_GT(done_[i], 10u) << "operations with code " << bulk_codes[i];
    }
}

INSTANTIATE_TEST_SUITE_P(Tag, Differential, testing::Bool(),
                         [](const auto& tested) { return tested.param ? "authenticated" : "checksum"; });

}  // namespace
}  // namespace syncline::test
