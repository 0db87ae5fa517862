// SPDX-License-Identifier: BSD-3-Clause
// Sections of arrays and lists of pieces, drawn at random, and plain loops that move them, with which the tests compare
// the library.
#pragma once

#include <algorithm>
#include <numeric>

#include "check.h"

namespace armci_test {

// A section in the form of ARMCI's strided calls, between memory here and memory of another process.
struct Section {
    int levels = 0;
    int count[ARMCI_MAX_STRIDE_LEVEL + 1] = {};
    int local[ARMCI_MAX_STRIDE_LEVEL] = {};
    int remote[ARMCI_MAX_STRIDE_LEVEL] = {};
};

// Calls f(offset here, offset there) for each run of count[0] bytes.
template <typename F>
void for_each_run(const Section& section, F f) {
    int at[ARMCI_MAX_STRIDE_LEVEL] = {};
    for (int level = 1; level <= section.levels; level++) {
        if (section.count[level] == 0) {
            return;
        }
    }
    for (;;) {
        size_t here = 0, there = 0;
        for (int level = 0; level < section.levels; level++) {
            here += static_cast<size_t>(at[level]) * static_cast<size_t>(section.local[level]);
            there += static_cast<size_t>(at[level]) * static_cast<size_t>(section.remote[level]);
        }
        f(here, there);
        int level = 0;
        while (level < section.levels && ++at[level] == section.count[level + 1]) {
            at[level++] = 0;
        }
        if (level == section.levels) {
            return;
        }
    }
}

// Draws strides in which no two runs overlap and all end before `limit`, nested in a random order; a count that has no
// room becomes 1.
inline void draw_strides(Random* random, size_t unit, size_t limit, Section* section, int* strides) {
    std::vector<int> order(static_cast<size_t>(section->levels));
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = order.size(); i > 1; i--) {
        std::swap(order[i - 1], order[random->below(i)]);
    }
    size_t span = static_cast<size_t>(section->count[0]);
    for (const int level : order) {
        const size_t stride = span + unit * random->below(4);
        const size_t whole = stride * static_cast<size_t>(section->count[level + 1] - 1) + span;
        if (whole > limit) {
            section->count[level + 1] = 1;
        } else {
            span = whole;
        }
        strides[level] = static_cast<int>(stride);
    }
}

// Draws a section of numbers of `unit` bytes, within `limit` bytes on both sides.
inline Section draw_section(Random* random, size_t unit, size_t limit) {
    Section section;
    section.levels = random->between(0, ARMCI_MAX_STRIDE_LEVEL);
    const int longest = section.levels == 0 ? static_cast<int>(limit / unit) : section.levels < 3 ? 40 : 5;
    section.count[0] = static_cast<int>(unit) * random->between(1, longest);
    for (int level = 1; level <= section.levels; level++) {
        section.count[level] = random->between(1, section.levels < 3 ? 9 : 3);
    }
    draw_strides(random, unit, limit, &section, section.local);
    draw_strides(random, unit, limit, &section, section.remote);
    return section;
}

// A list in the form of ARMCI's vector calls, by offsets; runs do not overlap on either side.
struct List {
    std::vector<std::vector<size_t>> here, there;  // offsets of each entry
    std::vector<int> bytes;
};

// Draws up to six entries of different lengths, some empty.
inline List draw_list(Random* random, size_t unit, size_t limit) {
    List list;
    const size_t slot = unit * 16;  // each piece has a slot of its own, on both sides
    std::vector<size_t> here(limit / slot), there(limit / slot);
    std::iota(here.begin(), here.end(), 0);
    for (size_t i = here.size(); i > 1; i--) {
        std::swap(here[i - 1], here[random->below(i)]);
    }
    there = here;
    std::rotate(there.begin(), there.begin() + static_cast<ptrdiff_t>(random->below(there.size())), there.end());
    size_t used = 0;
    for (int entry = random->between(1, 6); entry > 0; entry--) {
        const size_t pieces = std::min(random->below(9), here.size() - used);
        list.bytes.push_back(static_cast<int>(unit) * random->between(entry == 2 ? 0 : 1, 16));
        list.here.emplace_back();
        list.there.emplace_back();
        for (size_t i = 0; i < pieces; i++, used++) {
            list.here.back().push_back(here[used] * slot);
            list.there.back().push_back(there[used] * slot);
        }
    }
    return list;
}

template <typename F>
void for_each_piece(const List& list, F f) {  // f(offset here, offset there, bytes)
    for (size_t entry = 0; entry < list.bytes.size(); entry++) {
        for (size_t i = 0; i < list.here[entry].size(); i++) {
            f(list.here[entry][i], list.there[entry][i], static_cast<size_t>(list.bytes[entry]));
        }
    }
}

// The list with addresses in place of offsets.
class Giov {
  public:
    Giov(const List& list, void* source, bool source_is_here, void* target) {
        const size_t entries = list.bytes.size();
        sources_.resize(entries);
        targets_.resize(entries);
        for (size_t entry = 0; entry < entries; entry++) {
            for (size_t i = 0; i < list.here[entry].size(); i++) {
                const size_t from = source_is_here ? list.here[entry][i] : list.there[entry][i];
                const size_t to = source_is_here ? list.there[entry][i] : list.here[entry][i];
                sources_[entry].push_back(static_cast<char*>(source) + from);
                targets_[entry].push_back(static_cast<char*>(target) + to);
            }
            pieces_.push_back({sources_[entry].data(), targets_[entry].data(), static_cast<int>(sources_[entry].size()),
                               list.bytes[entry]});
        }
    }
    armci_giov_t* data() { return pieces_.data(); }
    int length() const { return static_cast<int>(pieces_.size()); }

  private:
    std::vector<std::vector<void*>> sources_, targets_;
    std::vector<armci_giov_t> pieces_;
};

}  // namespace armci_test
