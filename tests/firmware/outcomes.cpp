// SPDX-License-Identifier: BSD-3-Clause
// outcomes <seeds>
//
// Method: seeded traces of frames (trace.h) go through the native firmware, and each seed gives a line with a digest of
// all verdicts, replies and tables. Builds for two processors print the same lines. Where the kernel runs no program of
// that processor, this is what remains of the differential test: native there and native here, native here and BPF
// here.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "drawn.h"
#include "native_target.h"
#include "trace.h"

namespace syncline::test {
namespace {

constexpr int frames_per_seed = 4000;

class Digest {  // FNV-1a
  public:
    void add(const void* data, size_t bytes) {
        for (size_t i = 0; i < bytes; i++) {
            value_ = (value_ ^ static_cast<const uint8_t*>(data)[i]) * 0x100000001b3;
        }
    }
    template <typename T>
    void add_all(const T& items) {
        add(std::data(items), std::size(items) * sizeof(*std::data(items)));
    }
    template <typename T>
    void add_value(const T& value) {
        add(&value, sizeof(value));
    }
    uint64_t value() const { return value_; }

  private:
    uint64_t value_ = 0xcbf29ce484222325;
};

void add_tables(const TargetShape& shape, NativeTarget& target, Digest& digest) {
    for (const SegmentShape& segment : shape.segments) {
        digest.add_all(target.memory(segment));
    }
    for (uint32_t port = 0; port < shape.config.ports; port++) {
        for (uint32_t i = 0; i < shape.config.nodes * shape.config.window; i++) {
            digest.add(&target.completion(port, i), fw_completion_bytes(shape.config.packet_max));
        }
        digest.add_value(target.port(port));
    }
    digest.add_all(target.barriers());
    digest.add_all(target.slots());
    digest.add_all(target.sources());
    digest.add_value(target.counters());
    digest.add_all(target.woken());
}

// "" or what is wrong with the answers.
std::string print_outcome(bool authenticate, uint64_t seed) {
    const TargetShape shape = drawn_shape(authenticate, seed);
    Trace trace(shape, seed);
    NativeTarget target(shape);
    Doings doings(shape, seed, trace, {&target}, true);
    Digest digest;
    for (int i = 0; i < frames_per_seed && trace.complaint().empty(); i++) {
        doings.next();
        Bytes frame = trace.next_frame();
        const int verdict = target.execute(frame);
        digest.add_value(verdict);
        digest.add_all(frame);
        trace.take_answer(verdict, frame);
    }
    add_tables(shape, target, digest);
    std::printf("%s %llu: %016llx of %llu answers\n", authenticate ? "authenticated" : "checksum",
                static_cast<unsigned long long>(seed), static_cast<unsigned long long>(digest.value()),
                static_cast<unsigned long long>(trace.answered()));
    return trace.complaint();
}

int print_outcomes(uint64_t seeds) {
    for (const bool authenticate : {false, true}) {
        for (uint64_t seed = 1; seed <= seeds; seed++) {
            if (const std::string wrong = print_outcome(authenticate, seed); !wrong.empty()) {
                std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(seed), wrong.c_str());
                return 1;
            }
        }
    }
    return 0;
}

}  // namespace
}  // namespace syncline::test

int main(int argc, char** argv) {
    const uint64_t seeds = argc == 2 ? std::strtoull(argv[1], nullptr, 10) : 0;
    if (seeds == 0) {
        std::fputs("usage: outcomes <seeds>\n", stderr);
        return 2;
    }
    return syncline::test::print_outcomes(seeds);
}
