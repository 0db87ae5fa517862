// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/handler/message.h"

namespace syncline::dsm {

Message& Message::add_bytes(const void* bytes, size_t count) {
    const auto* const first = static_cast<const uint8_t*>(bytes);
    bytes_.insert(bytes_.end(), first, first + count);
    return *this;
}

}  // namespace syncline::dsm
