// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/memory/reserved.h"

namespace syncline {

int Reserved::read(uint32_t rank, syncline_address_t address, uint64_t* value) {
    AtomicCall look = {
        .operation = SYNCLINE_ADD | SYNCLINE_64 | SYNCLINE_FETCH, .rank = static_cast<int>(rank), .target = address};
    look.result = value;
    look.runtime = true;
    return atomics_->execute(look);
}

int Reserved::store_to(Completion* completion, uint32_t rank, syncline_address_t address, const uint64_t* values,
                       uint32_t count) {
    const auto target = static_cast<int>(rank);
    Accumulate words = {.rank = target,
                        .target = address,
                        .element = Accumulate::Element::kInt64,
                        .combine = Accumulate::Combine::kReplace,
                        .values = reinterpret_cast<const uint8_t*>(values),
                        .count = count,
                        .runtime = true};
    Fabric& fabric = fabrics_->of(target);
    return waiting_->start([&] { return fabric.accumulate(&words, completion); });
}

}  // namespace syncline
