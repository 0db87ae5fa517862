// SPDX-License-Identifier: BSD-3-Clause
// Method: SipHash-2-4 against the 64 reference vectors of its authors (key 00..0f, message 00..n-1; the one of 15 bytes
// is also in the appendix of their paper). Then, in both modes, every single bit of packets of several kinds is
// flipped, and the firmware must reject each of them without touching memory.
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "native_target.h"
#include "packet.h"

namespace syncline::test {
namespace {

constexpr std::array<uint64_t, 64> vectors = {
    0x726fdb47dd0e0e31, 0x74f839c593dc67fd, 0x0d6c8009d9a94f5a, 0x85676696d7fb7e2d, 0xcf2794e0277187b7,
    0x18765564cd99a68d, 0xcbc9466e58fee3ce, 0xab0200f58b01d137, 0x93f5f5799a932462, 0x9e0082df0ba9e4b0,
    0x7a5dbbc594ddb9f3, 0xf4b32f46226bada7, 0x751e8fbc860ee5fb, 0x14ea5627c0843d90, 0xf723ca908e7af2ee,
    0xa129ca6149be45e5, 0x3f2acc7f57c29bdb, 0x699ae9f52cbe4794, 0x4bc1b3f0968dd39c, 0xbb6dc91da77961bd,
    0xbed65cf21aa2ee98, 0xd0f2cbb02e3b67c7, 0x93536795e3a33e88, 0xa80c038ccd5ccec8, 0xb8ad50c6f649af94,
    0xbce192de8a85b8ea, 0x17d835b85bbb15f3, 0x2f2e6163076bcfad, 0xde4daaaca71dc9a5, 0xa6a2506687956571,
    0xad87a3535c49ef28, 0x32d892fad841c342, 0x7127512f72f27cce, 0xa7f32346f95978e3, 0x12e0b01abb051238,
    0x15e034d40fa197ae, 0x314dffbe0815a3b4, 0x027990f029623981, 0xcadcd4e59ef40c4d, 0x9abfd8766a33735c,
    0x0e3ea96b5304a7d0, 0xad0c42d6fc585992, 0x187306c89bc215a9, 0xd4a60abcf3792b95, 0xf935451de4f21df2,
    0xa9538f0419755787, 0xdb9acddff56ca510, 0xd06c98cd5c0975eb, 0xe612a3cb9ecba951, 0xc766e62cfcadaf96,
    0xee64435a9752fe72, 0xa192d576b245165a, 0x0a8787bf8ecb74b2, 0x81b3e73d20b49b6f, 0x7fa8220ba3b2ecea,
    0x245731c13ca42499, 0xb78dbfaf3a8d83bd, 0xea1ad565322a1a0b, 0x60e61c23a3795013, 0x6606d7e446282b93,
    0x6ca4ecb15c5f91e1, 0x9f626da15c9625f3, 0xe51b38608ef25f57, 0x958a324ceb064572,
};

TEST(SipHash, agrees_with_the_reference_vectors) {
    const uint64_t key[2] = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
    std::array<uint8_t, 64> message;
    std::iota(message.begin(), message.end(), uint8_t{0});
    for (uint32_t length = 0; length < vectors.size(); length++) {
        EXPECT_EQ(fw_siphash(key, message.data(), length), vectors[length]) << length << " bytes";
    }
}

class Tag : public testing::TestWithParam<bool> {
  protected:
    Tag() : shape_(TargetShape::small(GetParam())), target_(shape_) {}

    // Delivers every copy of the packet with one bit flipped, and then the packet itself.
    void expect_only_whole(const Bytes& packet) {
        uint32_t reply_length = 0;
        for (size_t bit = 0; bit < packet.size() * 8; bit++) {
            Bytes buffer(SLW_PACKET_MAX);
            std::copy(packet.begin(), packet.end(), buffer.begin());
            buffer[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
            const fw_verdict verdict = fw_execute_packet(&target_.target(), buffer.data(),
                                                         static_cast<uint32_t>(packet.size()), &reply_length);
            ASSERT_EQ(verdict, FW_DROP) << "bit " << bit;
        }
        const fw_counters counters = target_.counters();
        EXPECT_EQ(counters.value[FW_COUNT_requests], 0u);
        EXPECT_GT(counters.value[FW_COUNT_rejected_tag], 0u);
        Bytes buffer = packet;
        buffer.resize(SLW_PACKET_MAX);
        EXPECT_EQ(
            fw_execute_packet(&target_.target(), buffer.data(), static_cast<uint32_t>(packet.size()), &reply_length),
            FW_REPLY);
    }

    Request request() { return Request::from(shape_.config, 2, 2, 1, 7); }

    const TargetShape shape_;
    NativeTarget target_;
};

TEST_P(Tag, covers_every_bit_of_an_atomic) {
    const uint64_t comparand[] = {0};
    expect_only_whole(request().add(SLW_CAS | SLW_WIDTH_64 | SLW_FETCH, 0, 0, 64, 5, comparand).packet(shape_.config));
}

TEST_P(Tag, covers_every_bit_of_a_put) {
    Request put = request().add(SLW_PUT, 0, 0, 3, 101);
    put.data.assign(101, 0xa5);
    expect_only_whole(put.packet(shape_.config));
}

TEST_P(Tag, covers_every_bit_of_a_full_packet) {
    Request full = request();
    for (uint64_t i = 0; i < SLW_UNITS_MAX; i++) {
        full.add(SLW_ADD | SLW_WIDTH_64, 0, 0, 8 * i, i);
    }
    expect_only_whole(full.packet(shape_.config));
}

// No field lies behind the packet: a request for a get brings space for its reply.
TEST_P(Tag, does_not_cover_what_is_behind_the_packet) {
    Bytes packet = request().add(SLW_GET, 0, 0, 0, 64).packet(shape_.config, SLW_HEADER_BYTES + 64);
    const uint32_t length = static_cast<uint32_t>(packet.size());
    packet.resize(SLW_PACKET_MAX);
    packet[length - 1] ^= 0xff;
    uint32_t reply_length = 0;
    EXPECT_EQ(fw_execute_packet(&target_.target(), packet.data(), length, &reply_length), FW_REPLY);
}

// The tag of a reply is over the reply, and the padding behind its data is zeros.
TEST_P(Tag, is_right_in_replies) {
    std::span<uint8_t> memory = target_.memory(shape_.segments[0]);
    std::fill(memory.begin(), memory.end(), uint8_t{0xee});
    Bytes packet = request().add(SLW_GET, 0, 0, 0, 13).packet(shape_.config);
    const uint32_t length = static_cast<uint32_t>(packet.size());
    packet.resize(SLW_PACKET_MAX);
    uint32_t reply_length = 0;
    ASSERT_EQ(fw_execute_packet(&target_.target(), packet.data(), length, &reply_length), FW_REPLY);
    ASSERT_EQ(reply_length, SLW_HEADER_BYTES + 16u);
    Bytes sealed(packet.begin(), packet.begin() + reply_length);
    EXPECT_EQ(Bytes(sealed.end() - 3, sealed.end()), Bytes(3));
    const uint64_t tag = header_of(sealed).tag;
    fw_seal(&shape_.config, sealed.data());
    EXPECT_EQ(header_of(sealed).tag, tag);
}

INSTANTIATE_TEST_SUITE_P(Mode, Tag, testing::Bool(),
                         [](const auto& tested) { return tested.param ? "siphash" : "checksum"; });

}  // namespace
}  // namespace syncline::test
