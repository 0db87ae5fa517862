// SPDX-License-Identifier: BSD-3-Clause
// Method: processes write bytes next to each other's, in the same pages and words, between the same barriers, wherever
// the pages have their homes; and each byte is looked at by all.
#include <vector>

#include "check.h"

namespace dsm_live {
namespace {

constexpr size_t shared_pages = 5;
constexpr size_t shared_bytes = shared_pages * 4096;
constexpr uint8_t rounds = 6;

uint8_t value_of(size_t byte, uint8_t round) {
    return static_cast<uint8_t>(byte * 7 + round * 31 + 1);
}

// In each round another process writes a byte, and some bytes are left as they are.
void share(const Shared<uint8_t>& bytes) {
    const auto processes = static_cast<size_t>(size());
    std::vector<uint8_t> expected(shared_bytes);
    for (uint8_t round = 0; round < rounds; round++) {
        for (size_t byte = 0; byte < shared_bytes; byte++) {
            if ((byte + round) % 5 == 4) {
                continue;
            }
            expected[byte] = value_of(byte, round);
            if ((byte + round) % processes == static_cast<size_t>(me())) {
                bytes[byte] = expected[byte];
            }
        }
        barrier();
        for (size_t byte = 0; byte < shared_bytes; byte++) {
            CHECK_THAT(bytes[byte] == expected[byte], "byte {} is {} and not {} in round {}", byte,
                       uint8_t{bytes[byte]}, expected[byte], round);
        }
        barrier();
    }
}

}  // namespace
}  // namespace dsm_live

using namespace dsm_live;

void run_false_sharing() {
    for (const int homes : {SYNCLINE_DSM_BLOCK, SYNCLINE_DSM_CYCLIC, SYNCLINE_DSM_MINE, SYNCLINE_DSM_FIRST_TOUCH}) {
        const Shared<uint8_t> bytes(shared_bytes, homes);
        for (size_t byte = static_cast<size_t>(me()); byte < shared_bytes; byte += static_cast<size_t>(size())) {
            bytes[byte] = 0;
        }
        barrier();
        share(bytes);
    }
}
