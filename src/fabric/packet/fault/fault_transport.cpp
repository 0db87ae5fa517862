// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/packet/fault/fault_transport.h"

#include <charconv>
#include <cstdlib>
#include <string>

#include "base/clock.h"
#include "base/failure.h"
#include "firmware/wire.h"

namespace syncline {

namespace {
constexpr uint64_t hold_ns_max = 2 * ns_per_ms;
}

FaultTransport::FaultTransport(std::unique_ptr<Transport> inner, const FaultRates& rates, uint64_t salt)
    : inner_(std::move(inner)), rates_(rates), prng_(rates.seed * 0x9E3779B97F4A7C15u + salt) {}

int FaultTransport::copies_now(std::vector<uint8_t>* bytes, uint32_t node, uint32_t pad_to, std::deque<Held>* held) {
    if (prng_.chance(rates_.loss)) {
        return 0;
    }
    if (prng_.chance(rates_.corrupt)) {
        const uint64_t bit = prng_.below(bytes->size() * 8);
        (*bytes)[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
    }
    if (prng_.chance(rates_.reorder)) {
        held->push_back({*bytes, node, pad_to, now_ns() + prng_.below(hold_ns_max)});
        return 0;
    }
    return prng_.chance(rates_.duplicate) ? 2 : 1;
}

void FaultTransport::release_sends() {
    const uint64_t now = now_ns();
    for (size_t i = 0; i < held_sends_.size();) {
        if (held_sends_[i].release_ns > now) {
            i++;
            continue;
        }
        const Held held = std::move(held_sends_[i]);
        held_sends_.erase(held_sends_.begin() + static_cast<std::ptrdiff_t>(i));
        inner_->send(held.node, held.bytes.data(), static_cast<uint32_t>(held.bytes.size()), held.pad_to);
    }
}

int FaultTransport::send(uint32_t node, const uint8_t* packet, uint32_t length, uint32_t pad_to) {
    std::vector<uint8_t> bytes(packet, packet + length);
    int status = SYNCLINE_OK;
    for (int copies = copies_now(&bytes, node, pad_to, &held_sends_); copies > 0; copies--) {
        status = inner_->send(node, bytes.data(), length, pad_to);
    }
    release_sends();
    return status;
}

int FaultTransport::poll(const Sink& sink) {
    int count = 0;
    if (!held_sends_.empty()) {
        release_sends();
    }
    const auto deliver = [&](std::vector<uint8_t> bytes) {
        const auto length = static_cast<uint32_t>(bytes.size());
        bytes.resize(SLW_PACKET_MAX);
        sink(bytes.data(), length);
        count++;
    };
    inner_->poll([&](uint8_t* packet, uint32_t length) {
        std::vector<uint8_t> bytes(packet, packet + length);
        for (int copies = copies_now(&bytes, 0, 0, &held_receives_); copies > 0; copies--) {
            deliver(bytes);
        }
    });
    const uint64_t now = held_receives_.empty() ? 0 : now_ns();
    while (!held_receives_.empty() && held_receives_.front().release_ns <= now) {
        deliver(std::move(held_receives_.front().bytes));
        held_receives_.pop_front();
    }
    return count;
}

FaultRates parse_fault_rates(const char* text) {
    FaultRates rates;
    const std::string all = text;
    for (size_t start = 0; start < all.size();) {
        size_t end = all.find(',', start);
        end = end == std::string::npos ? all.size() : end;
        const std::string item = all.substr(start, end - start);
        start = end + 1;
        const size_t equals = item.find('=');
        const std::string name = item.substr(0, equals);
        const std::string number = equals == std::string::npos ? "" : item.substr(equals + 1);
        const char* const number_end = number.data() + number.size();
        if (name == "seed") {
            const auto read = std::from_chars(number.data(), number_end, rates.seed);
            if (number.empty() || read.ec != std::errc() || read.ptr != number_end) {
                fail(SYNCLINE_ERR_INVALID,
                     "the seed '{}' of the faults (loss=, duplicate=, reorder=, corrupt=, seed=) is not a whole number",
                     number);
            }
            continue;
        }
        char* rest = nullptr;
        const double value = std::strtod(number.c_str(), &rest);
        const bool is_number = !number.empty() && rest == number_end;
        double* const rate = name == "loss"        ? &rates.loss
                             : name == "duplicate" ? &rates.duplicate
                             : name == "reorder"   ? &rates.reorder
                             : name == "corrupt"   ? &rates.corrupt
                                                   : nullptr;
        if (rate == nullptr || !is_number || !(value >= 0 && value <= 1)) {
            fail(SYNCLINE_ERR_INVALID,
                 "the fault '{}' is not one of loss=, duplicate=, reorder=, corrupt= with a rate from 0 to 1, or seed=",
                 item);
        }
        *rate = value;
    }
    return rates;
}

}  // namespace syncline
