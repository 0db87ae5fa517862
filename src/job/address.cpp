// SPDX-License-Identifier: BSD-3-Clause
#include "job/address.h"

#include <arpa/inet.h>

#include <algorithm>

#include "base/failure.h"

namespace syncline {
namespace {

struct Kind {
    AddressKind kind;
    size_t bytes;
    int family;  // for the functions that read and write it
};

constexpr Kind kinds[] = {
    {AddressKind::kIp4, sizeof(in_addr), AF_INET},
    {AddressKind::kIp6, sizeof(in6_addr), AF_INET6},
};

const Kind* find(AddressKind kind) {
    const Kind* const found = std::ranges::find(kinds, kind, &Kind::kind);
    return found == std::end(kinds) ? nullptr : found;
}

}  // namespace

NodeAddress::NodeAddress(AddressKind kind, std::span<const uint8_t> bytes)
    : kind_(kind), length_(static_cast<uint8_t>(bytes.size())) {
    const Kind* const known = find(kind);
    if (known == nullptr) {
        fail(SYNCLINE_ERR_INVALID, "a node's address is of kind {}, which is unknown here", static_cast<int>(kind));
    }
    if (bytes.size() != known->bytes) {
        fail(SYNCLINE_ERR_INVALID, "a node's address of kind {} has {} bytes instead of {}", static_cast<int>(kind),
             bytes.size(), known->bytes);
    }
    static_assert(std::ranges::all_of(kinds, [](const Kind& one) { return one.bytes <= bytes_max; }));
    std::ranges::copy(bytes, bytes_.begin());
}

NodeAddress NodeAddress::parse(const std::string& text) {
    for (const Kind& kind : kinds) {
        std::array<uint8_t, bytes_max> bytes;
        if (::inet_pton(kind.family, text.c_str(), bytes.data()) == 1) {
            return {kind.kind, std::span(bytes).first(kind.bytes)};
        }
    }
    fail(SYNCLINE_ERR_INVALID, "'{}' is neither an IPv4 nor an IPv6 address", text);
}

std::string NodeAddress::text() const {
    const Kind* const known = find(kind_);
    char text[INET6_ADDRSTRLEN] = "?";
    if (known != nullptr) {
        ::inet_ntop(known->family, bytes_.data(), text, sizeof(text));
    }
    return text;
}

}  // namespace syncline
