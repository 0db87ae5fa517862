// SPDX-License-Identifier: BSD-3-Clause
// The random numbers of HPCC RandomAccess: x^63 + x^2 + x + 1 over GF(2), shifted by one place for each number.
#pragma once

#include <array>
#include <cstdint>

namespace syncline::sim::atomic_unit {

class HpccRandom {
  public:
    // Begins with number `position` of the sequence, counted from 0.
    explicit HpccRandom(uint64_t position) {
        // Returns column i of the matrix of 2^k steps: the number that bit i alone becomes.
        std::array<uint64_t, 64> columns;
        for (uint64_t i = 0; i < 64; i++) {
            columns[i] = step(uint64_t{1} << i);
        }
        for (; position != 0; position >>= 1) {
            if ((position & 1) != 0) {
                value_ = times(columns, value_);
            }
            std::array<uint64_t, 64> squared;
            for (uint64_t i = 0; i < 64; i++) {
                squared[i] = times(columns, columns[i]);
            }
            columns = squared;
        }
    }

    uint64_t next() { return value_ = step(value_); }

  private:
    static uint64_t step(uint64_t value) { return value << 1 ^ (value >> 63 != 0 ? 7 : 0); }

    static uint64_t times(const std::array<uint64_t, 64>& columns, uint64_t value) {
        uint64_t sum = 0;
        for (uint64_t i = 0; i < 64; i++) {
            sum ^= (value >> i & 1) != 0 ? columns[i] : 0;
        }
        return sum;
    }

    uint64_t value_ = 1;
};

}  // namespace syncline::sim::atomic_unit
