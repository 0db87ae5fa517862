// SPDX-License-Identifier: BSD-3-Clause
// Put and get. Bytes that come to a slot are random ones, where zeros were before.
#include <algorithm>
#include <cstring>

#include "bench/timing/timed_calls.h"
#include "tools/perf/flight.h"
#include "tools/perf/operation.h"
#include "tools/perf/slots.h"

namespace syncline::perf {
namespace {

using bench::must;

constexpr uint64_t seed = 4711;

class Move : public Operation {
  protected:
    explicit Move(const Task& task)
        : to_(task.pair.to),
          slots_(task),
          flight_(task.window),
          source_(bench::random_bytes(slots_.all_bytes(), seed)) {}

    // Begins one operation in each of the slots in turn; `start(slot, request)`.
    template <typename Start>
    void stream_through(uint64_t count, Start&& start) {
        uint32_t slot = 0;
        for (uint64_t i = 0; i < count; i++) {
            must(start(slot, flight_.request(flight_.next_slot())));
            slot = slots_.after(slot);
        }
        flight_.land();
        used_ = std::max(used_, std::min<uint64_t>(count, slots_.count()));
    }

    // Throws Failure unless the slots that were used hold the source's bytes.
    void compare(const std::vector<uint8_t>& found) const {
        const uint64_t bytes = used_ * slots_.bytes();
        const auto [wrong, right] =
            std::mismatch(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(bytes), source_.begin());
        if (right != source_.begin() + static_cast<std::ptrdiff_t>(bytes)) {
            fail(SYNCLINE_ERR_PROTOCOL,
                 "byte {} of {} is wrong after puts or gets of {} bytes at PE {}: {} instead of {}",
                 wrong - found.begin(), bytes, slots_.bytes(), to_, *wrong, *right);
        }
    }

    const int to_;
    const Slots slots_;
    Flight flight_;
    const std::vector<uint8_t> source_;  // of all slots
    uint64_t used_ = 1;                  // slots; run() uses the first one
};

class Put : public Move {
  public:
    explicit Put(const Task& task) : Move(task) { slots_.put(std::vector<uint8_t>(slots_.all_bytes())); }

    void run(uint64_t count) override {
        for (uint64_t i = 0; i < count; i++) {
            must(syncline_put(to_, slots_.address(0), source_.data(), slots_.bytes()));
        }
    }
    void stream(uint64_t count) override {
        stream_through(count, [&](uint32_t slot, syncline_request_t* request) {
            return syncline_put_nb(to_, slots_.address(slot), &source_[slot * slots_.bytes()], slots_.bytes(), 0,
                                   request);
        });
    }
    void check() override { compare(slots_.get()); }
};

class Get : public Move {
  public:
    explicit Get(const Task& task) : Move(task), target_(slots_.all_bytes()) { slots_.put(source_); }

    void run(uint64_t count) override {
        for (uint64_t i = 0; i < count; i++) {
            must(syncline_get(to_, slots_.address(0), target_.data(), slots_.bytes()));
        }
    }
    void stream(uint64_t count) override {
        stream_through(count, [&](uint32_t slot, syncline_request_t* request) {
            return syncline_get_nb(to_, slots_.address(slot), &target_[slot * slots_.bytes()], slots_.bytes(), 0,
                                   request);
        });
    }
    void check() override { compare(target_); }

  private:
    std::vector<uint8_t> target_;
};

}  // namespace

std::unique_ptr<Operation> make_move(const std::string& name, const Task& task) {
    if (name == "put") {
        return std::make_unique<Put>(task);
    }
    return name == "get" ? std::make_unique<Get>(task) : nullptr;
}

}  // namespace syncline::perf
