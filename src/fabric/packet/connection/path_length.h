// SPDX-License-Identifier: BSD-3-Clause
// How long a connection's packets may be: found by probes, as in RFC 8899. A probe that is answered has passed; if a
// probe is lost several times, its length counts as more than the path carries. If the path has become shorter, the
// search begins anew.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/check.h"
#include "firmware/wire.h"

namespace syncline {

class PathLength {
  public:
    // `most`: the length that this node's own link carries.
    explicit PathLength(uint32_t most) : most_(most) { begin(); }

    uint32_t now() const { return passed_; }
    // Returns the length of the next probe, or 0 if no further length is worth a probe.
    uint32_t next_probe() const { return next_; }
    void passed(uint32_t length) {
        SYNCLINE_ASSERT(length >= SLW_PACKET_LEAST && length <= most_, "a probe of %u bytes, the link carries %u",
                        length, most_);
        SYNCLINE_ASSERT(length < failed_, "%u bytes have passed, and %u have not", length, failed_);
        passed_ = std::max(passed_, length);
        choose();
    }
    void lost(uint32_t length) {
        SYNCLINE_ASSERT(length > passed_, "%u bytes are lost, and %u have passed", length, passed_);
        failed_ = std::min(failed_, length);
        choose();
    }
    // The path carries less than now(), and how much less is unknown. Or packets were lost for another reason: so the
    // first probe is the longest.
    void shrank() { begin(); }
    // Ends the search, because the target answers no probe.
    void stop() { next_ = 0; }

  private:
    static constexpr uint32_t step = 8;

    // Packets that are a thirty-second part longer are not worth a probe.
    uint32_t worth_knowing() const { return passed_ / 32; }
    void begin() {
        passed_ = SLW_PACKET_LEAST;
        failed_ = most_ + step;
        next_ = failed_ - passed_ <= worth_knowing() ? 0 : most_;
    }
    void choose() {
        const uint32_t between = failed_ - passed_;
        next_ = between <= worth_knowing() ? 0 : (passed_ + between / 2) & ~(step - 1);
        SYNCLINE_ASSERT(passed_ < failed_ && (next_ == 0 || (next_ > passed_ && next_ < failed_)),
                        "%u passed, %u failed, %u is next", passed_, failed_, next_);
    }

    const uint32_t most_;
    uint32_t passed_ = SLW_PACKET_LEAST;
    uint32_t failed_ = 0;
    uint32_t next_ = 0;
};

}  // namespace syncline
