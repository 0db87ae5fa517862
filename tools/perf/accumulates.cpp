// SPDX-License-Identifier: BSD-3-Clause
// Accumulates of each type, which add ones to numbers that begin as zeros.
#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "bench/timing/timed_calls.h"
#include "tools/perf/flight.h"
#include "tools/perf/operation.h"
#include "tools/perf/slots.h"

namespace syncline::perf {
namespace {

using bench::must;

// So many ones, added one by one. Integers wrap; floating-point numbers stop where the next number is 2 further.
template <typename Number>
Number sum_of_ones(uint64_t count) {
    if constexpr (std::is_floating_point_v<Number>) {
        return static_cast<Number>(std::min(count, uint64_t{1} << std::numeric_limits<Number>::digits));
    } else {
        return static_cast<Number>(count);
    }
}

template <typename Number>
class Accumulate : public Operation {
  public:
    Accumulate(const Task& task, int element, uint64_t numbers)
        : to_(task.pair.to),
          element_(element),
          slots_(task),
          flight_(task.window),
          elements_(task.bytes / (numbers * sizeof(Number))),
          ones_(task.bytes / sizeof(Number), Number{1}),
          added_(slots_.count()) {
        slots_.put(std::vector<uint8_t>(slots_.all_bytes()));
    }

    void run(uint64_t count) override {
        for (uint64_t i = 0; i < count; i++) {
            must(syncline_accumulate(to_, slots_.address(0), element_, ones_.data(), elements_));
        }
        added_[0] += count;
    }

    void stream(uint64_t count) override {
        uint32_t slot = 0;
        for (uint64_t i = 0; i < count; i++) {
            syncline_request_t* const request = flight_.request(flight_.next_slot());
            must(syncline_accumulate_nb(to_, slots_.address(slot), element_, ones_.data(), elements_, 0, request));
            added_[slot]++;
            slot = slots_.after(slot);
        }
        flight_.land();
    }

    void check() override {
        const std::vector<uint8_t> found = slots_.get();
        for (uint64_t at = 0; at < found.size(); at += sizeof(Number)) {
            Number sum;
            std::memcpy(&sum, &found[at], sizeof(sum));
            if (const auto expected = sum_of_ones<Number>(added_[at / slots_.bytes()]); sum != expected) {
                fail(SYNCLINE_ERR_PROTOCOL, "wrong sum of accumulates of {} bytes at PE {}: {} instead of {}",
                     slots_.bytes(), to_, sum, expected);
            }
        }
    }

  private:
    const int to_;
    const int element_;
    const Slots slots_;
    Flight flight_;
    const uint64_t elements_;
    const std::vector<Number> ones_;
    std::vector<uint64_t> added_;  // ones, to each number of each slot
};

}  // namespace

std::unique_ptr<Operation> make_accumulate(const std::string& name, const Task& task) {
    if (name == "accumulate_int32") {
        return std::make_unique<Accumulate<uint32_t>>(task, SYNCLINE_INT32, 1);
    }
    if (name == "accumulate_int64") {
        return std::make_unique<Accumulate<uint64_t>>(task, SYNCLINE_INT64, 1);
    }
    if (name == "accumulate_float") {
        return std::make_unique<Accumulate<float>>(task, SYNCLINE_FLOAT, 1);
    }
    if (name == "accumulate_double") {
        return std::make_unique<Accumulate<double>>(task, SYNCLINE_DOUBLE, 1);
    }
    if (name == "accumulate_complex_float") {
        return std::make_unique<Accumulate<float>>(task, SYNCLINE_COMPLEX_FLOAT, 2);
    }
    return name == "accumulate_complex_double" ? std::make_unique<Accumulate<double>>(task, SYNCLINE_COMPLEX_DOUBLE, 2)
                                               : nullptr;
}

}  // namespace syncline::perf
