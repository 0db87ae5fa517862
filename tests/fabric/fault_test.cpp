// SPDX-License-Identifier: BSD-3-Clause
// Method: parse_fault_rates() on good and bad texts; then FaultTransport around a transport that records: the same seed
// gives the same faults, another seed others, the rates are kept roughly, and what is held back comes later once.
#include "fabric/packet/fault/fault_transport.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "base/failure.h"

namespace syncline {
namespace {

using Packets = std::vector<std::vector<uint8_t>>;

// Records what is sent; delivers what it is given.
class Recorder final : public Transport {
  public:
    const TransportCapabilities& capabilities() const override {
        static constexpr TransportCapabilities plain = {"recorder", false, false, true, 1000};
        return plain;
    }
    int send(uint32_t, const uint8_t* packet, uint32_t length, uint32_t) override {
        sent.emplace_back(packet, packet + length);
        return SYNCLINE_OK;
    }
    int poll(const Sink& sink) override {
        for (std::vector<uint8_t>& packet : arriving) {
            sink(packet.data(), static_cast<uint32_t>(packet.size()));
        }
        const auto count = static_cast<int>(arriving.size());
        arriving.clear();
        return count;
    }

    Packets sent;
    Packets arriving;
};

std::vector<uint8_t> numbered(uint32_t number) {
    std::vector<uint8_t> packet(64, static_cast<uint8_t>(number * 7));
    std::memcpy(packet.data(), &number, sizeof(number));
    return packet;
}

// By their numbers.
bool is_before(const std::vector<uint8_t>& one, const std::vector<uint8_t>& other) {
    return std::memcmp(one.data(), other.data(), sizeof(uint32_t)) < 0;
}

// The packets that are left of `count`, sent through faults.
Packets through(const FaultRates& rates, uint64_t salt, uint32_t count) {
    auto recorder = std::make_unique<Recorder>();
    Recorder* const seen = recorder.get();
    FaultTransport faults(std::move(recorder), rates, salt);
    for (uint32_t i = 0; i < count; i++) {
        const std::vector<uint8_t> packet = numbered(i);
        faults.send(0, packet.data(), static_cast<uint32_t>(packet.size()), 0);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // longer than anything is held back
    faults.poll([](uint8_t*, uint32_t) {});
    return seen->sent;
}

FaultRates rates_of(const char* text) {
    return parse_fault_rates(text);
}

TEST(FaultRates, ReadsAll) {
    const FaultRates rates = rates_of("loss=0.1,duplicate=0.05,reorder=1,corrupt=0,seed=7");
    EXPECT_EQ(rates.loss, 0.1);
    EXPECT_EQ(rates.duplicate, 0.05);
    EXPECT_EQ(rates.reorder, 1.0);
    EXPECT_EQ(rates.corrupt, 0.0);
    EXPECT_EQ(rates.seed, 7u);
    EXPECT_TRUE(rates.any());
}

TEST(FaultRates, NothingAndSeedAloneAreNoFaults) {
    EXPECT_FALSE(rates_of("").any());
    EXPECT_FALSE(rates_of("seed=9").any());
    EXPECT_EQ(rates_of("seed=18446744073709551615").seed, UINT64_MAX);
    EXPECT_FALSE(rates_of("loss=0.3,loss=0").any()) << "the last one counts";
}

TEST(FaultRates, RefusesNonsenseAndNamesIt) {
    for (const char* const bad : {"loss", "loss=", "loss=x", "loss=0.1x", "loss=-0.1", "loss=1.1", "loss=nan",
                                  "drop=0.1", "=0.1", "loss=0.1,,seed=1", "loss=0.1;seed=1", "seed=", "seed=x",
                                  "seed=1.5", "seed=-1", "seed=18446744073709551616", "LOSS=0.1", "loss=inf"}) {
        try {
            parse_fault_rates(bad);
            ADD_FAILURE() << "'" << bad << "' was taken";
        } catch (const Failure& failure) {
            EXPECT_EQ(failure.status(), SYNCLINE_ERR_INVALID) << bad;
            EXPECT_NE(std::string(failure.what()).find("loss="), std::string::npos) << failure.what();
        }
    }
}

TEST(FaultTransport, TheSameSeedGivesTheSameFaults) {
    const FaultRates rates = rates_of("loss=0.2,duplicate=0.2,corrupt=0.2,seed=5");
    const Packets first = through(rates, 3, 500);
    EXPECT_EQ(first, through(rates, 3, 500));
    EXPECT_NE(first, through(rates, 4, 500)) << "every PE has faults of its own";
    EXPECT_NE(first, through(rates_of("loss=0.2,duplicate=0.2,corrupt=0.2,seed=6"), 3, 500));
}

TEST(FaultTransport, ReorderedPacketsAreTheSameSet) {
    const FaultRates rates = rates_of("loss=0.1,reorder=0.5,seed=5");
    Packets first = through(rates, 1, 300);
    Packets second = through(rates, 1, 300);
    EXPECT_FALSE(std::is_sorted(first.begin(), first.end(), is_before));
    std::sort(first.begin(), first.end(), is_before);
    std::sort(second.begin(), second.end(), is_before);
    EXPECT_EQ(first, second);
    EXPECT_EQ(std::unique(first.begin(), first.end()), first.end()) << "held back, not repeated";
}

TEST(FaultTransport, RatesAreKept) {
    EXPECT_NEAR(static_cast<double>(through(rates_of("loss=0.3,seed=1"), 0, 10000).size()), 7000, 300);
    EXPECT_NEAR(static_cast<double>(through(rates_of("duplicate=0.3,seed=1"), 0, 10000).size()), 13000, 300);
    EXPECT_EQ(through(rates_of("loss=1,seed=1"), 0, 100).size(), 0u);
    const Packets damaged = through(rates_of("corrupt=1,seed=1"), 0, 200);
    ASSERT_EQ(damaged.size(), 200u);
    for (uint32_t i = 0; i < 200; i++) {
        const std::vector<uint8_t> whole = numbered(i);
        int bits = 0;
        for (size_t byte = 0; byte < whole.size(); byte++) {
            bits += __builtin_popcount(static_cast<unsigned>(whole[byte] ^ damaged[i][byte]));
        }
        EXPECT_EQ(bits, 1);
    }
}

TEST(FaultTransport, ReceivesAreDamagedAsWell) {
    auto recorder = std::make_unique<Recorder>();
    for (uint32_t i = 0; i < 2000; i++) {
        recorder->arriving.push_back(numbered(i));
    }
    FaultTransport faults(std::move(recorder), rates_of("loss=0.25,reorder=0.1,seed=2"), 0);
    Packets taken;
    const Transport::Sink sink = [&](uint8_t* packet, uint32_t length) { taken.emplace_back(packet, packet + length); };
    int count = faults.poll(sink);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    while (const int more = faults.poll(sink)) {
        count += more;
    }
    EXPECT_EQ(static_cast<size_t>(count), taken.size());
    EXPECT_NEAR(static_cast<double>(taken.size()), 1500, 100);
}

}  // namespace
}  // namespace syncline
