// SPDX-License-Identifier: BSD-3-Clause
// A seeded trace of frames, as initiators, the network and strangers would send them to one NIC. A seed draws the same
// frames with each compiler, because no expression with an unspecified order of evaluation has two draws.
#pragma once

#include <optional>
#include <string>

#include "base/prng.h"
#include "packet.h"
#include "target_under_test.h"

namespace syncline::test {

class Trace {
  public:
    Trace(const TargetShape& shape, uint64_t seed);

    // Returns the next frame, which is at least an Ethernet header long.
    Bytes next_frame();

    // Takes the NIC's verdict. An initiator that gets its reply continues with the next sequence.
    void take_answer(int verdict, const Bytes& frame);

    // Returns what was wrong in the answers so far, in one sentence; or "".
    const std::string& complaint() const { return complaint_; }

    Prng& prng() { return prng_; }

    // A completion of this NIC's processes, which the test arms before the next frame.
    struct Arming {
        uint32_t port, index;
        uint64_t state;
        uint32_t follower;     // the image of the packet that follows: its index,
        Bytes packet;          // the packet; empty: the image stays as it is,
        uint64_t image_state;  // else the image's state
        uint32_t length;
        uint32_t pad_to;
    };
    std::optional<Arming> next_arming();

    // A barrier whose messages the NIC only records, because packets that a NIC sends on its own are not part of a
    // frame's verdict.
    fw_barrier random_barrier();

    uint64_t answered() const { return answered_; }
    // Returns how many requests that begin with an operation of that code were answered with that status.
    uint64_t answered(uint32_t code, uint32_t status) const { return answered_with_[code][status]; }

  private:
    struct Slot {  // a slot of an initiator
        uint32_t sequence = 0;
        bool waiting = false;
        bool is_get = false;
        uint8_t code = 0;  // code of the request's first operation
        Bytes frame;       // the request
        bool last_is_get = false;
        Bytes last_data;  // data of the last reply, to compare duplicates with
        uint8_t last_status = 0;
        uint32_t last_sequence = 0;
    };
    struct Awaited {  // a completion of this NIC's processes
        uint32_t sequence = 0;
        bool armed = false;
        Bytes follower;  // the datagram that the image is for
    };

    const SegmentShape& random_segment();
    uint64_t random_address(const SegmentShape& segment, uint64_t width);
    uint32_t random_body();
    void add_range(Request& request, uint32_t code, uint32_t width);
    std::vector<uint64_t> random_list(const SegmentShape& segment, uint32_t width, uint64_t room, bool carries);
    void damage_list(std::vector<uint64_t>& list);
    void add_list(Request& request, uint32_t code, uint32_t width);
    void add_operation(Request& request, bool may_fetch);
    void add_random_unit(Request& request);
    Request random_request(uint16_t rank, uint8_t slot, uint32_t sequence);
    Bytes request_frame(uint32_t index);
    Bytes close_frame(uint32_t index);
    Bytes reply_frame();
    Bytes wrong_frame();
    Bytes barrier_frame();
    Bytes damaged(Bytes frame);
    void add_follower(Arming& arming);
    void check_follower(const slw_header& header, const Bytes& datagram);
    bool one_in(uint64_t n) { return prng_.below(n) == 0; }

    const TargetShape shape_;
    Prng prng_;
    std::vector<Slot> slots_;        // [ranks * window]
    std::vector<Awaited> awaited_;   // [ports * nodes * window]
    std::vector<Bytes> on_the_way_;  // late frames
    std::string complaint_;
    uint64_t answered_ = 0;
    uint64_t answered_with_[256][16] = {};
};

}  // namespace syncline::test
