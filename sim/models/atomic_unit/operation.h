// SPDX-License-Identifier: BSD-3-Clause
// The requests to an atomic unit.
#pragma once

#include <bit>
#include <cstdint>

namespace syncline::sim::atomic_unit {

enum class Operation : uint8_t { kAdd, kXor, kSwap, kCompareSwap, kAddDouble };
inline constexpr const char* operation_names[] = {"add", "xor", "swap", "compare-swap", "add-double"};

struct Request {
    uint64_t word = 0;  // index of an 8-byte word of the node's memory
    uint64_t operand = 0;
    uint64_t comparand = 0;
    uint32_t initiator = 0;  // PE
    Operation operation = Operation::kAdd;
    bool fetch = false;  // the initiator wants the old value
};

inline uint64_t apply(const Request& request, uint64_t old) {
    switch (request.operation) {
        case Operation::kAdd:
            return old + request.operand;
        case Operation::kXor:
            return old ^ request.operand;
        case Operation::kSwap:
            return request.operand;
        case Operation::kCompareSwap:
            return old == request.comparand ? request.operand : old;
        case Operation::kAddDouble:
            return std::bit_cast<uint64_t>(std::bit_cast<double>(old) + std::bit_cast<double>(request.operand));
    }
    return old;
}

}  // namespace syncline::sim::atomic_unit
