// SPDX-License-Identifier: BSD-3-Clause
// The buffer against read-after-write hazards through the host bus (Underwood 2008, section III.B): a read that misses
// the cache must not pass a write to the same word.
//
//   acknowledge   every write is an entry until the host has acknowledged it. A further write to the word waits in the
//                 entry, where the newest value replaces an older one.
//   flush         individual writes cannot be tracked, so a word gets an entry when it leaves the cache. A flush, which
//                 returns when all writes before it are complete, empties what was in the buffer when it was sent.
//   none          nothing is checked: wrong results are possible.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "sim/models/atomic_unit/host_interface.h"

namespace syncline::sim::atomic_unit {

enum class HazardScheme { kNone, kAcknowledge, kFlush };
inline constexpr const char* hazard_scheme_names[] = {"none", "acknowledge", "flush"};

class HazardBuffer {
  public:
    HazardBuffer(HazardScheme scheme, uint64_t entries, HostInterface* host)
        : scheme_(scheme), capacity_(entries), host_(host) {}

    // Returns whether a read of `word` may be sent. If not, it may be sent once `word` has left the buffer; with flush,
    // a flush is under way from now on.
    bool may_read(uint64_t word);
    // Sends a write, or keeps it until an earlier one is acknowledged. False: there is no room now.
    bool write(uint64_t word, uint64_t value);
    // `word` leaves the cache, or was never in it, and may have been written. False: there is no room now.
    bool evict(uint64_t word);

    // Returns true if reads of `word` may now be sent.
    bool acknowledged(uint64_t word);
    void flushed();

    size_t used() const { return entries_.size(); }
    bool empty() const { return entries_.empty(); }
    uint64_t merged() const { return merged_; }

  private:
    struct Entry {
        uint64_t value = 0;
        bool waiting = false;   // `value` is to be written after the acknowledgement
        bool in_flush = false;  // the entry was there when the flush was sent
    };

    void start_flush();

    const HazardScheme scheme_;
    const uint64_t capacity_;
    HostInterface* const host_;
    std::unordered_map<uint64_t, Entry> entries_;
    bool flushing_ = false;
    uint64_t merged_ = 0;
};

}  // namespace syncline::sim::atomic_unit
