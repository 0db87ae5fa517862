// SPDX-License-Identifier: BSD-3-Clause
// Method: the tag of bodies that NH hashes first, against a second implementation in this file that follows the
// formulas of docs/PROTOCOL.md: sums of products of 32-bit words over the whole chunk, for each of the two passes by
// itself. Then every single bit of packets of each length is flipped, and each must be refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/prng.h"
#include "native_target.h"
#include "packet.h"

namespace syncline::test {
namespace {

constexpr uint32_t lengths[] = {0, 8, 56, 64, 72, 128, 136, 1016, 1024, 1032, 2048, 4104, 8904, 8912};

uint64_t word_of(const uint8_t* at) {
    uint64_t word = 0;
    for (int i = 7; i >= 0; i--) {
        word = word << 8 | at[i];
    }
    return word;
}

uint64_t rotated(uint64_t word, int bits) {
    return word << bits | word >> (64 - bits);
}

// SipHash-2-4 of words, the last of which has the length in it.
uint64_t sip_hash(const uint64_t key[2], const std::vector<uint64_t>& message) {
    uint64_t v[4] = {key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
                     key[1] ^ 0x7465646279746573};
    const auto rounds = [&](int count) {
        for (int i = 0; i < count; i++) {
            v[0] += v[1];
            v[1] = rotated(v[1], 13) ^ v[0];
            v[0] = rotated(v[0], 32);
            v[2] += v[3];
            v[3] = rotated(v[3], 16) ^ v[2];
            v[0] += v[3];
            v[3] = rotated(v[3], 21) ^ v[0];
            v[2] += v[1];
            v[1] = rotated(v[1], 17) ^ v[2];
            v[2] = rotated(v[2], 32);
        }
    };
    for (const uint64_t word : message) {
        v[3] ^= word;
        rounds(2);
        v[0] ^= word;
    }
    v[2] ^= 0xff;
    rounds(4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

// The key of NH, K[0] to K[259].
std::vector<uint32_t> nh_key(const uint64_t key[2]) {
    std::vector<uint32_t> words;
    for (uint64_t i = 0; i < 130; i++) {
        const uint64_t word = sip_hash(key, {0x6e68000000000000 + i, 8ull << 56});
        words.push_back(static_cast<uint32_t>(word));
        words.push_back(static_cast<uint32_t>(word >> 32));
    }
    return words;
}

uint64_t nh(const std::vector<uint32_t>& key, std::span<const uint8_t> chunk, size_t pass) {
    uint64_t sum = 0;
    for (size_t j = 0; j < chunk.size() / 8; j++) {
        const uint64_t word = word_of(chunk.data() + 8 * j);
        const uint32_t low = static_cast<uint32_t>(word) + key[2 * j + 4 * pass];
        const uint32_t high = static_cast<uint32_t>(word >> 32) + key[2 * j + 1 + 4 * pass];
        sum += static_cast<uint64_t>(low) * high;
    }
    return sum;
}

uint64_t tag_of(const uint64_t key[2], std::span<const uint8_t> packet) {
    std::vector<uint64_t> message = {word_of(&packet[0]), word_of(&packet[8]), word_of(&packet[16])};
    const std::span<const uint8_t> body = packet.subspan(32);
    const bool is_short = body.size() <= 64;
    if (is_short) {
        for (size_t at = 0; at < body.size(); at += 8) {
            message.push_back(word_of(&body[at]));
        }
    } else {
        const std::vector<uint32_t> words = nh_key(key);
        for (size_t at = 0; at < body.size(); at += 1024) {
            const std::span<const uint8_t> chunk = body.subspan(at, std::min<size_t>(1024, body.size() - at));
            message.push_back(nh(words, chunk, 0));
            message.push_back(nh(words, chunk, 1));
        }
    }
    message.push_back((message.size() * 8 & 255) << 56 | (is_short ? 0 : 1));
    return sip_hash(key, message);
}

class Nh : public testing::Test {
  protected:
    Nh() : target_(shape_) {}

    // A reply of node 0 to port 1's slot 2, with a body of that many bytes.
    Bytes reply(uint32_t bytes) {
        slw_header header = Request::from(shape_.config, 4, 1, 2, 9).header;
        header.target_node = 0;
        Bytes data(bytes);
        std::generate(data.begin(), data.end(), [&] { return static_cast<uint8_t>(prng_.next()); });
        return reply_packet(shape_.config, header, data);
    }

    fw_verdict deliver(const Bytes& packet) {
        Bytes buffer = packet;
        buffer.resize(SLW_PACKET_MAX);
        uint32_t length = 0;
        return fw_execute_packet(&target_.target(), buffer.data(), static_cast<uint32_t>(packet.size()), &length);
    }

    const TargetShape shape_ = TargetShape::small(true);
    NativeTarget target_;
    Prng prng_{5};
};

TEST_F(Nh, SipHash_of_this_file_is_SipHash) {
    const Bytes bytes = reply(240);
    for (size_t words = 0; words <= 30; words++) {
        std::vector<uint64_t> message;
        for (size_t i = 0; i < words; i++) {
            message.push_back(word_of(&bytes[8 * i]));
        }
        message.push_back((words * 8 & 255) << 56);
        EXPECT_EQ(sip_hash(shape_.config.key, message),
                  fw_siphash(shape_.config.key, bytes.data(), static_cast<uint32_t>(8 * words)));
    }
}

TEST_F(Nh, key_is_derived_from_the_jobs) {
    const std::vector<uint32_t> words = nh_key(shape_.config.key);
    for (size_t i = 0; i < FW_NH_WORDS; i++) {
        EXPECT_EQ(shape_.config.nh[i], static_cast<uint64_t>(words[2 * i + 1]) << 32 | words[2 * i]) << i;
    }
}

TEST_F(Nh, tags_are_those_of_the_formulas) {
    for (const uint32_t length : lengths) {
        for (int round = 0; round < 20; round++) {
            const Bytes packet = reply(length);
            EXPECT_EQ(header_of(packet).tag, tag_of(shape_.config.key, packet)) << length << " bytes";
        }
    }
    for (uint32_t length = 0; length <= SLW_BODY_MAX; length += 8) {
        const Bytes packet = reply(length);
        ASSERT_EQ(header_of(packet).tag, tag_of(shape_.config.key, packet)) << length << " bytes";
    }
}

// A carry is lost where it must be: words whose sum with the key is 2^32, less one, and more.
TEST_F(Nh, tags_of_words_next_to_the_keys_complement) {
    const std::vector<uint32_t> words = nh_key(shape_.config.key);
    Bytes packet = reply(SLW_BODY_MAX);
    for (size_t j = 0; j < SLW_BODY_MAX / 8; j++) {
        const uint32_t low = static_cast<uint32_t>(j % 3) - 1 - words[2 * (j % 128)];
        const uint32_t high = static_cast<uint32_t>(j / 3 % 3) - 1 - words[2 * (j % 128) + 1];
        std::memcpy(&packet[32 + 8 * j], &low, sizeof low);
        std::memcpy(&packet[36 + 8 * j], &high, sizeof high);
    }
    fw_seal(&shape_.config, packet.data());
    EXPECT_EQ(header_of(packet).tag, tag_of(shape_.config.key, packet));
}

TEST_F(Nh, one_flipped_bit_is_refused) {
    fw_completion& completion = target_.completion(1, 2);
    for (const uint32_t length : lengths) {
        const Bytes packet = reply(length);
        completion.state = fw_request_id(0, 2, 9) | FW_COMPLETION_ARMED;
        for (size_t bit = 0; bit < packet.size() * 8; bit++) {
            Bytes flipped = packet;
            flipped[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
            ASSERT_EQ(deliver(flipped), FW_DROP) << "bit " << bit << " of " << length << " bytes";
        }
        EXPECT_EQ(completion.state, fw_request_id(0, 2, 9) | FW_COMPLETION_ARMED);
        EXPECT_EQ(deliver(packet), FW_CONSUMED);
        EXPECT_EQ(completion.length, length);
        EXPECT_TRUE(std::equal(packet.begin() + 32, packet.end(), completion.data)) << length << " bytes";
    }
}

// The sums of a chunk do not depend on the order of its words, but for their key.
TEST_F(Nh, exchanged_words_are_refused) {
    Bytes packet = reply(SLW_BODY_MAX);
    fw_completion& completion = target_.completion(1, 2);
    completion.state = fw_request_id(0, 2, 9) | FW_COMPLETION_ARMED;
    for (const size_t apart : {8u, 16u, 1024u}) {
        for (size_t at = 32; at + apart + 8 <= packet.size(); at += 8) {
            Bytes exchanged = packet;
            std::swap_ranges(exchanged.begin() + static_cast<ptrdiff_t>(at),
                             exchanged.begin() + static_cast<ptrdiff_t>(at + 8),
                             exchanged.begin() + static_cast<ptrdiff_t>(at + apart));
            ASSERT_EQ(deliver(exchanged), FW_DROP);
        }
    }
}

// A short body that equals the hashes of a long one does not have its tag.
TEST_F(Nh, hashes_of_a_long_body_are_not_that_body) {
    const std::vector<uint32_t> words = nh_key(shape_.config.key);
    Bytes packet = reply(1024);
    const uint64_t long_tag = header_of(packet).tag;
    const std::span<const uint8_t> body(packet.data() + 32, 1024);
    const uint64_t hashes[2] = {nh(words, body, 0), nh(words, body, 1)};
    const std::vector<uint64_t> header = {word_of(&packet[0]), word_of(&packet[8]), word_of(&packet[16])};
    EXPECT_EQ(long_tag,
              sip_hash(shape_.config.key, {header[0], header[1], header[2], hashes[0], hashes[1], 40ull << 56 | 1}));
    EXPECT_NE(long_tag,
              sip_hash(shape_.config.key, {header[0], header[1], header[2], hashes[0], hashes[1], 40ull << 56}));
}

}  // namespace
}  // namespace syncline::test
