// SPDX-License-Identifier: BSD-3-Clause
// --quick makes measurements shorter. An option that is not given is 0 or empty, which no option may be set to.
#pragma once

#include <type_traits>
#include <utility>

namespace syncline::bench {

// Sets an option that is not given to `few` with --quick, else to `usual`.
template <typename Value>
void set_default(Value* value, bool quick, std::type_identity_t<Value> few, std::type_identity_t<Value> usual) {
    if (*value == Value()) {
        *value = quick ? std::move(few) : std::move(usual);
    }
}

}  // namespace syncline::bench
