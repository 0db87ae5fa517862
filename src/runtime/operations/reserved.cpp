// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/operations/reserved.h"

#include "runtime/ground/runtime_words.h"

namespace syncline {

// Where only a card's atomics exclude each other, a fetch&add of 0 might undo a store of the word's owner.
int Reserved::read(uint32_t rank, syncline_address_t address, uint64_t* value) {
    if (!fabrics_->cpu_may_change_words()) {
        Transfer word = {static_cast<int>(rank), address, reinterpret_cast<uint8_t*>(value), sizeof(*value)};
        Fabric& fabric = fabrics_->of(word.rank);
        Completion completion;
        const int started = waiting_->start([&] { return fabric.move(Direction::kGet, &word, &completion); });
        return started == SYNCLINE_OK ? waiting_->finish(&completion) : started;
    }
    AtomicCall look = {
        .operation = SYNCLINE_ADD | SYNCLINE_64 | SYNCLINE_FETCH, .rank = static_cast<int>(rank), .target = address};
    look.result = value;
    look.runtime = true;
    return atomics_->execute(look);
}

int Reserved::probe(uint32_t rank) {
    uint64_t ignored;
    return read(rank, RuntimeWords::probe, &ignored);
}

int Reserved::store_to(Completion* completion, uint32_t rank, syncline_address_t address, const uint64_t* values,
                       uint32_t count) {
    SYNCLINE_ASSERT(address % 8 == 0 && address + uint64_t{count} * 8 <= heap_reserved_bytes, "%u words at %#lx", count,
                    address);
    const auto target = static_cast<int>(rank);
    Accumulate words = {.rank = target,
                        .target = address,
                        .element = Accumulate::Element::kInt64,
                        .combine = Accumulate::Combine::kReplace,
                        .values = reinterpret_cast<const uint8_t*>(values),
                        .count = count,
                        .runtime = true};
    Fabric& fabric = fabrics_->of(target, words.element, words.combine);
    return waiting_->start([&] { return fabric.accumulate(&words, completion); });
}

}  // namespace syncline
