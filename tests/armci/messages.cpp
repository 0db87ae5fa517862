// SPDX-License-Identifier: BSD-3-Clause
// Messages between two processes: any length, many at once, both ways at once, in order for each sender and tag.
#include "check.h"

using namespace armci_test;

namespace {

std::vector<uint8_t> letter(int from, int number, size_t length) {
    std::vector<uint8_t> bytes(length);
    Random(static_cast<uint64_t>(from * 1000 + number)).fill(bytes.data(), length);
    return bytes;
}

void send(int tag, int number, size_t length, int to) {
    std::vector<uint8_t> bytes = letter(me(), number, length);
    armci_msg_snd(tag, bytes.data(), static_cast<int>(length), to);
    std::fill(bytes.begin(), bytes.end(), 0);  // the buffer may be reused
}

void check_received(const std::vector<uint8_t>& buffer, int length, int from, int number, size_t expected) {
    CHECK_THAT(length == static_cast<int>(expected), "message {} of {}: {} bytes", number, from, length);
    CHECK_SAME(buffer.data(), letter(from, number, expected).data(), expected);
    for (size_t i = expected; i < buffer.size(); i++) {
        CHECK(buffer[i] == 0xee);  // no more is written
    }
}

void receive(int tag, int number, size_t expected, int from) {
    std::vector<uint8_t> buffer(expected + 9, 0xee);
    int length = -1;
    armci_msg_rcv(tag, buffer.data(), static_cast<int>(buffer.size()), &length, from);
    check_received(buffer, length, from, number, expected);
}

constexpr size_t lengths[] = {0, 1, 8, 100, 4063, 4064, 4065, 4096, 8128, 8129, 70'000, 1 << 20};
constexpr int length_count = sizeof(lengths) / sizeof(*lengths);

}  // namespace

// Round the ring, to itself, and in the other order of tags.
void run_messages() {
    const int before = next(size() - 1);
    for (int i = 0; i < length_count; i++) {
        if (me() % 2 == 0 || me() == next()) {
            send(i, i, lengths[i], next());
            receive(i, i, lengths[i], before);
        } else {
            receive(i, i, lengths[i], before);
            send(i, i, lengths[i], next());
        }
        send(1 << 30, i, lengths[i], me());
        receive(1 << 30, i, lengths[i], me());
    }
    // The length is not asked for, the buffer is just as long as the message.
    std::vector<uint8_t> bytes = letter(me(), 0, 50), found(50);
    armci_msg_snd(0, bytes.data(), 50, next());
    armci_msg_rcv(0, found.data(), 50, nullptr, before);
    CHECK_SAME(found.data(), letter(before, 0, 50).data(), 50);
    constexpr int many = 40;  // that wait at once; the last tag first
    for (int i = 0; i < many; i++) {
        send(i % 4, i, static_cast<size_t>(i * 13), next());
    }
    for (int tag = 3; tag >= 0; tag--) {
        for (int i = tag; i < many; i += 4) {
            receive(tag, i, static_cast<size_t>(i * 13), before);
        }
    }
}

// All send much to all before any of them receives; none waits for ever, though the rings are full.
void run_crossing() {
    constexpr int turns = 3;
    constexpr size_t length = 300'000;  // more than a ring has room for
    for (int turn = 0; turn < turns; turn++) {
        for (int distance = 1; distance < size(); distance++) {
            send(turn, turn, length, next(distance));
        }
    }
    for (int distance = 1; distance < size(); distance++) {
        for (int turn = 0; turn < turns; turn++) {
            receive(turn, turn, length, next(distance));
        }
    }
    armci_msg_barrier();
    for (int i = 0; i < 300; i++) {  // short ones, more than there are cells
        send(7, i, 5, next());
    }
    for (int i = 0; i < 300; i++) {
        receive(7, i, 5, next(size() - 1));
    }
}

// Process 0 takes from all: the messages of each sender in order, those of others meanwhile.
void run_any_sender() {
    constexpr int turns = 50;
    if (me() == 0) {
        std::vector<int> came(static_cast<size_t>(size()));
        for (int i = 0; i < turns * (size() - 1); i++) {
            std::vector<uint8_t> buffer(6000, 0xee);
            int length = -1;
            const int from = armci_msg_rcvany(5, buffer.data(), static_cast<int>(buffer.size()), &length);
            CHECK(from > 0 && from < size());
            const int number = came[static_cast<size_t>(from)]++;
            check_received(buffer, length, from, number, static_cast<size_t>(number * 113));
        }
        for (int from = 1; from < size(); from++) {
            CHECK(came[static_cast<size_t>(from)] == turns);
            receive(6, 99, 3, from);
        }
    } else {
        send(6, 99, 3, 0);
        for (int number = 0; number < turns; number++) {
            send(5, number, static_cast<size_t>(number * 113), 0);
        }
    }
    armci_msg_barrier();
}
