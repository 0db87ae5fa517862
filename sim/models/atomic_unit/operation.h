// SPDX-License-Identifier: BSD-3-Clause
// The requests to an atomic unit.
#pragma once

#include <bit>
#include <cstdint>

#include "syncline/operations.h"

namespace syncline::sim::atomic_unit {

// ADD, AND, OR, XOR, SWAP, CAS and so on, as in syncline/operations.h, and the sum of two doubles.
#define SYNCLINE_SIM_NAME_(name, NAME, number, forms, how, sign, next) NAME,
#define SYNCLINE_SIM_TEXT_(name, NAME, number, forms, how, sign, next) #name,
enum class Operation : uint8_t { SYNCLINE_OPERATIONS_(SYNCLINE_SIM_NAME_) ADD_DOUBLE };
inline constexpr const char* operation_names[] = {SYNCLINE_OPERATIONS_(SYNCLINE_SIM_TEXT_) "add-double"};
#undef SYNCLINE_SIM_TEXT_
#undef SYNCLINE_SIM_NAME_

struct Request {
    uint64_t word = 0;  // index of an 8-byte word of the node's memory
    uint64_t operand = 0;
    uint64_t comparand = 0;
    uint32_t initiator = 0;  // PE
    Operation operation = Operation::ADD;
    bool fetch = false;  // the initiator wants the old value
};

inline uint64_t apply(const Request& request, uint64_t before) {
#define SYNCLINE_SIM_NEXT_(name, NAME, number, forms, how, sign, next)                        \
    case Operation::NAME: {                                                                   \
        [[maybe_unused]] const auto old = static_cast<sign##64##_t>(before);                  \
        [[maybe_unused]] const auto operand = static_cast<sign##64##_t>(request.operand);     \
        [[maybe_unused]] const auto comparand = static_cast<sign##64##_t>(request.comparand); \
        return static_cast<uint64_t>(next);                                                   \
    }
    switch (request.operation) {
        SYNCLINE_OPERATIONS_(SYNCLINE_SIM_NEXT_)
        case Operation::ADD_DOUBLE:
            return std::bit_cast<uint64_t>(std::bit_cast<double>(before) + std::bit_cast<double>(request.operand));
    }
#undef SYNCLINE_SIM_NEXT_
    __builtin_trap();
}

}  // namespace syncline::sim::atomic_unit
