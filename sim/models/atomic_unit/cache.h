// SPDX-License-Identifier: BSD-3-Clause
// The cache of the atomic unit: lines of one word each, set-associative, replaced least recently used first. The cache
// only stores and finds lines; the unit decides when a line may be read or written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace syncline::sim::atomic_unit {

class Cache {
  public:
    struct Line {
        uint64_t word = 0;
        uint64_t value = 0;
        uint64_t used = 0;   // time of the last use, in accesses
        bool valid = false;  // has a word; its value may still be under way:
        bool filling = false;
        bool busy = false;     // read and not written back yet, or wanted by a follower: the line stays
        bool dirty = false;    // write-back only: the host does not know the value
        uint64_t dirtied = 0;  // how often the line became dirty
    };

    // `lines` is a multiple of `ways`, and lines / ways a power of two; 0 lines: no cache.
    Cache(uint64_t lines, uint64_t ways) : lines_(lines), ways_(ways), sets_(ways == 0 ? 0 : lines / ways) {}

    bool present() const { return !lines_.empty(); }

    Line* find(uint64_t word) {
        for (Line* line = first_of(word); line != end_of(word); line++) {
            if (line->valid && line->word == word) {
                return line;
            }
        }
        return nullptr;
    }

    // Returns the line that `word` may take: nullptr if all lines of its set are busy.
    Line* victim(uint64_t word) {
        Line* least = nullptr;
        for (Line* line = first_of(word); line != end_of(word); line++) {
            if (line->busy || line->filling) {
                continue;
            }
            if (least == nullptr || !line->valid || (least->valid && line->used < least->used)) {
                least = line;
            }
        }
        return least;
    }

    uint64_t set_of(uint64_t word) const { return word & (sets_ - 1); }

    void touch(Line* line) { line->used = ++accesses_; }

    size_t index_of(const Line* line) const { return static_cast<size_t>(line - lines_.data()); }
    Line* at(size_t index) { return &lines_[index]; }

  private:
    // Neighbouring words go to different sets.
    Line* first_of(uint64_t word) { return sets_ == 0 ? nullptr : &lines_[set_of(word) * ways_]; }
    Line* end_of(uint64_t word) { return sets_ == 0 ? nullptr : first_of(word) + ways_; }

    std::vector<Line> lines_;
    const uint64_t ways_;
    const uint64_t sets_;
    uint64_t accesses_ = 0;
};

}  // namespace syncline::sim::atomic_unit
