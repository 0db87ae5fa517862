// SPDX-License-Identifier: BSD-3-Clause
// What one packet costs on the NIC: runs the loaded firmware on frames with ever new sequences and reads the kernel's
// own statistics of the program. Prints nanoseconds per packet, less those of a frame that is not Syncline's; the best
// of several batches, since the machine has other things to do.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/clock.h"
#include "base/prng.h"
#include "bpf_nic.h"
#include "native_nic.h"
#include "packet.h"

namespace syncline::test {
namespace {

constexpr int batches = 400;
constexpr int frames_per_batch = 12;

class Bench {
  public:
    Bench(bool authenticate, bool native)
        : shape_(NicShape::small(authenticate)), native_(native), nic_(shape_), native_nic_(shape_) {}

    template <typename MakeFrame>
    double best_ns(MakeFrame make_frame) {
        double best = 1e9;
        for (int batch = 0; batch < batches; batch++) {
            std::vector<Bytes> frames;
            for (int i = 0; i < frames_per_batch; i++) {
                frames.push_back(make_frame());
            }
            best = std::min(best, native_ ? native_ns(frames) : nic_.average_ns(frames));
        }
        return best;
    }

    double native_ns(std::vector<Bytes>& frames) {
        for (Bytes& frame : frames) {
            frame.resize(2048);
        }
        const uint64_t start = now_ns();
        for (Bytes& frame : frames) {
            uint32_t length = 1514;
            fw_execute_frame(&native_nic_.nic(), frame.data(), 2048, &length);
        }
        return static_cast<double>(now_ns() - start) / static_cast<double>(frames.size());
    }

    void report(const std::string& name, double ns, int operations) {
        const double net = ns - idle_;
        fmt::print("  {:<44} {:7.0f} ns{}\n", name, net,
                   operations > 1 ? fmt::format("  {:6.1f} ns per operation", net / operations) : "");
    }

    Bytes request(int units, uint32_t code, uint64_t table_bytes) {
        Request request = Request::from(shape_.config, 0, 0, 0, ++sequence_);
        for (int i = 0; i < units; i++) {
            const uint64_t offset = prng_.below(table_bytes / 8) * 8;
            request.add(code, 0, 0, offset, prng_.next());
        }
        return to_frame(shape_.config, request.packet(shape_.config), false);
    }

    Bytes bulk(uint32_t code, uint32_t bytes) {
        Request request = Request::from(shape_.config, 0, 0, 0, ++sequence_);
        request.add(code, 0, 0, 0, bytes);
        if (code == SLW_PUT) {
            request.data.resize(bytes);
        }
        return to_frame(shape_.config, request.packet(shape_.config, SLW_HEADER_BYTES + bytes), false);
    }

    void run() {
        fmt::print("{}, {}:\n", native_ ? "native" : "XDP",
                   shape_.config.authenticate != 0 ? "authenticated (SipHash-2-4)" : "checksum");
        idle_ = best_ns([&] { return Bytes(100); });
        const uint64_t table = 128 << 10;
        report("fetch_add64", best_ns([&] { return request(1, SLW_ADD | SLW_WIDTH_64 | SLW_FETCH, table); }), 1);
        report("fetch_add64, duplicate", best_ns([&] {
                   const Bytes frame = request(1, SLW_ADD | SLW_WIDTH_64 | SLW_FETCH, table);
                   sequence_--;
                   return frame;
               }),
               1);
        sequence_++;
        report("add64", best_ns([&] { return request(1, SLW_ADD | SLW_WIDTH_64, table); }), 1);
        report("88 x xor64, 128 KiB", best_ns([&] { return request(88, SLW_XOR | SLW_WIDTH_64, table); }), 88);
        report("88 x fetch_add64, 128 KiB",
               best_ns([&] { return request(88, SLW_ADD | SLW_WIDTH_64 | SLW_FETCH, table); }), 88);
        report("put of 1392 bytes", best_ns([&] { return bulk(SLW_PUT, 1392); }), 1);
        report("get of 1392 bytes", best_ns([&] { return bulk(SLW_GET, 1392); }), 1);
        report("get of 1024 bytes", best_ns([&] { return bulk(SLW_GET, 1024); }), 1);
    }

  private:
    const NicShape shape_;
    const bool native_;
    BpfNic nic_;
    NativeNic native_nic_;
    Prng prng_{1};
    uint32_t sequence_ = 0;
    double idle_ = 0;
};

}  // namespace
}  // namespace syncline::test

int main() {
    if (const std::string obstacle = syncline::test::BpfNic::obstacle(); !obstacle.empty()) {
        fmt::print(stderr, "measuring is not possible: {}\n", obstacle);
        return 77;
    }
    for (const bool authenticate : {false, true}) {
        for (const bool native : {false, true}) {
            syncline::test::Bench(authenticate, native).run();
        }
    }
}
