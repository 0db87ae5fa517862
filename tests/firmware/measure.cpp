// SPDX-License-Identifier: BSD-3-Clause
// The cost of one packet: the loaded firmware with everything warm (fed by measure.bpf.c, 64 different packets in turn,
// each with a new sequence), and the native one. An argument is the number of nodes that share the firmware.
// Nanoseconds per packet, the best of several rounds, less what making the packet costs. With authentication the
// sequence cannot be changed without the key, so there the packets are duplicates, and gets: what they cost more than
// without is the two tags.
#include "measure.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include "base/clock.h"
#include "base/failure.h"
#include "base/prng.h"
#include "bpf_target.h"
#include "measure.skel.h"
#include "native_target.h"
#include "packet.h"

namespace syncline::test {
namespace {

constexpr int rounds = 20;  // in each of which the kernel waits for all CPUs
constexpr int runs_per_round = 64 * 10;
constexpr uint64_t table_bytes = 128 << 10;

struct Load {
    std::string name;
    uint32_t code;
    int units;        // of a bulk operation: bytes
    bool duplicates;  // the same sequence all the time
};

class Bench {
  public:
    Bench(bool authenticate, uint32_t places)
        : shape_(shared(TargetShape::small(authenticate), places)),
          target_(shape_),
          native_(shape_),
          feeder_(measure_bpf__open_and_load()) {
        if (feeder_ == nullptr) {
            fail_errno(SYNCLINE_ERR_SYSTEM, "loading the program that feeds the firmware failed");
        }
    }
    ~Bench() { measure_bpf__destroy(feeder_); }
    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;

    void run(const Load& load) {
        const double kernel = kernel_ns(load);
        const double native = native_ns(load);
        const int operations = load.code < SLW_PUT ? load.units : 1;
        fmt::print("  {:<30} {:8.0f} ns {:8.0f} ns{}\n", load.name, kernel, native,
                   operations > 1
                       ? fmt::format("  ({:.1f} and {:.1f} per operation)", kernel / operations, native / operations)
                       : "");
    }

  private:
    static TargetShape shared(TargetShape shape, uint32_t places) {
        shape.places = places;
        shape.place = places - 1;
        return shape;
    }

    Bytes frame(const Load& load, uint16_t slot) {
        Request request = Request::from(shape_.config, 0, 0, slot, ++sequence_);
        if (load.code >= SLW_PUT) {
            request.add(load.code, 0, 0, prng_.below(table_bytes / 2048) * 2048, static_cast<uint64_t>(load.units));
            request.data.resize(load.code == SLW_PUT ? static_cast<size_t>(load.units) : 0);
        } else {
            for (int i = 0; i < load.units; i++) {
                request.add(load.code, 0, 0, prng_.below(table_bytes / 8) * 8, prng_.next());
            }
        }
        const size_t padded_to =
            load.code == SLW_GET ? SLW_HEADER_BYTES + slw_padded(static_cast<uint32_t>(load.units)) : 0;
        return to_frame(shape_.config, request.packet(shape_.config, padded_to), false);
    }

    // How the checksum of the frame changes if its sequence grows by `step`: the sequence is the high half of the
    // second of the words that are summed up (tag.h).
    uint64_t tag_step(const Load& load, const Bytes& frame, uint32_t step) {
        if (load.duplicates) {
            return 0;
        }
        const uint64_t words = (fw_packet_length(frame.data() + headers_bytes(false)) - 8) / 8;
        return step * (0xC2B2AE3D27D4EB4Fu + (words - 1) * 0x94D049BB133111EAu);
    }

    void fill_templates(const Load& load) {
        const uint32_t step = load.duplicates ? 0 : MEASURE_TEMPLATES;
        for (uint32_t i = 0; i < MEASURE_TEMPLATES; i++) {
            measure_template entry{};
            const Bytes bytes = frame(load, 0);
            sequence_ -= load.duplicates ? 1 : 0;
            entry.length = static_cast<uint32_t>(bytes.size());
            entry.sequence_step = step;
            entry.tag_step = tag_step(load, bytes, step);
            std::memcpy(entry.bytes, bytes.data(), bytes.size());
            bpf_map_update_elem(bpf_map__fd(feeder_->maps.templates), &i, &entry, BPF_ANY);
        }
        feeder_->bss->runs = 0;
    }

    double feed() {
        std::vector<uint8_t> bytes(1500);
        LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = bytes.data(),
                    .data_size_in = static_cast<uint32_t>(bytes.size()), .repeat = runs_per_round);
        if (bpf_prog_test_run_opts(bpf_program__fd(feeder_->progs.measure), &run) != 0) {
            fail_errno(SYNCLINE_ERR_SYSTEM, "feeding the firmware failed");
        }
        sequence_ += runs_per_round;
        return run.duration;
    }

    double kernel_ns(const Load& load) {
        const int firmware = bpf_map__fd(feeder_->maps.firmware);
        const int program = target_.program_fd();
        const uint32_t zero = 0;
        double with = 1e9, without = 1e9;
        fill_templates(load);
        bpf_map_update_elem(firmware, &zero, &program, BPF_ANY);
        for (int round = 0; round < rounds; round++) {
            const fw_counters before = target_.counters();
            with = std::min(with, feed());
            const fw_counters after = target_.counters();
            if (after.value[FW_COUNT_replies_sent] - before.value[FW_COUNT_replies_sent] != runs_per_round) {
                fail(SYNCLINE_ERR_PROTOCOL, "{}: not every packet was answered", load.name);
            }
        }
        bpf_map_delete_elem(firmware, &zero);
        for (int round = 0; round < rounds; round++) {
            without = std::min(without, feed());
        }
        return with - without;
    }

    double native_ns(const Load& load) {
        double best = 1e9;
        std::vector<Bytes> frames(64);
        for (int round = 0; round < rounds; round++) {
            for (Bytes& bytes : frames) {
                bytes = frame(load, 0);
                sequence_ -= load.duplicates ? 1 : 0;
                bytes.resize(2048);
            }
            const uint64_t start = now_ns();
            for (Bytes& bytes : frames) {
                uint32_t length = 1514;
                fw_execute_frame(&native_.target(), bytes.data(), 2048, &length);
            }
            best = std::min(best, static_cast<double>(now_ns() - start) / static_cast<double>(frames.size()));
        }
        return best;
    }

    const TargetShape shape_;
    BpfTarget target_;
    NativeTarget native_;
    measure_bpf* feeder_;
    Prng prng_{1};
    uint32_t sequence_ = 0;
};

void measure(bool authenticate, uint32_t places) {
    constexpr uint32_t fetch_add = SLW_ADD | SLW_WIDTH_64 | SLW_FETCH;
    const bool duplicates = authenticate;
    Bench bench(authenticate, places);
    fmt::print("{:<32} {:>11} {:>11}\n", authenticate ? "SipHash-2-4, duplicates" : "checksum", "XDP", "native");
    bench.run({"fetch_add64", fetch_add, 1, duplicates});
    if (!authenticate) {
        bench.run({"fetch_add64, duplicate", fetch_add, 1, true});
        bench.run({"add64", SLW_ADD | SLW_WIDTH_64, 1, false});
    }
    bench.run({"88 x xor64, 128 KiB", SLW_XOR | SLW_WIDTH_64, 88, duplicates});
    bench.run({"88 x fetch_add64, 128 KiB", fetch_add, 88, duplicates});
    bench.run({"put of 1392 bytes", SLW_PUT, 1392, duplicates});
    bench.run({"get of 8 bytes", SLW_GET, 8, duplicates});
    bench.run({"get of 1024 bytes", SLW_GET, 1024, duplicates});
    bench.run({"get of 1392 bytes", SLW_GET, 1392, duplicates});
}

}  // namespace
}  // namespace syncline::test

int main(int argc, char** argv) {
    const auto places = static_cast<uint32_t>(argc > 1 ? std::max(1, std::atoi(argv[1])) : 1);
    if (const std::string obstacle = syncline::test::BpfTarget::obstacle(); !obstacle.empty()) {
        fmt::print(stderr, "measuring is not possible: {}\n", obstacle);
        return 77;
    }
    syncline::test::measure(false, places);
    syncline::test::measure(true, places);
}
