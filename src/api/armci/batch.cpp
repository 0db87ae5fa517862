// SPDX-License-Identifier: BSD-3-Clause
#include "api/armci/batch.h"

#include <algorithm>
#include <cstring>

namespace syncline::armci {
namespace {

constexpr size_t pieces_max = 8192;
constexpr uint64_t gathered_bytes_max = 1 << 20;
constexpr int segment_shift = 40;  // in an address

}  // namespace

void Batch::clear() {
    pieces.clear();
    rows.clear();
    total = 0;
    one_part = true;
    low = high = nullptr;
}

bool Batch::add(const Row& row, const Block& of) {
    const syncline_address_t address = of.address_of(row.remote);
    const bool first = rows.empty();
    const bool follows = first || rows.back().local + rows.back().bytes == row.local;
    if (!first &&
        (address >> segment_shift != base >> segment_shift || pieces.size() == pieces_max ||
         (ascends && row.remote < high) || (!(one_part && follows) && total + row.bytes > gathered_bytes_max))) {
        return false;
    }
    if (first) {
        base = address >> segment_shift << segment_shift;
        block = of.address;
        is_mapped = of.is_mapped;
        low = row.remote;
    }
    const uint64_t offset = address - base;
    if (!pieces.empty() && pieces.back().offset + pieces.back().bytes == offset) {
        pieces.back().bytes += row.bytes;
    } else {
        pieces.push_back({offset, row.bytes});
    }
    one_part = one_part && follows;
    low = std::min<const uint8_t*>(low, row.remote);
    high = std::max<const uint8_t*>(high, row.remote + row.bytes);
    rows.push_back(row);
    total += row.bytes;
    return true;
}

void Batch::gather_into(std::vector<uint8_t>* bytes) const {
    bytes->resize(std::max(bytes->size(), total));
    uint8_t* at = bytes->data();
    for (const Row& row : rows) {
        std::memcpy(at, row.local, row.bytes);
        at += row.bytes;
    }
}

void scatter(const std::vector<Row>& rows, const uint8_t* bytes) {
    for (const Row& row : rows) {
        std::memcpy(row.local, bytes, row.bytes);
        bytes += row.bytes;
    }
}

}  // namespace syncline::armci
