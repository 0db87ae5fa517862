// SPDX-License-Identifier: BSD-3-Clause
// Puts, gets, accumulates and lists of pieces, seen from the PE that starts them. The memory and the sums are checked
// after each measurement.
#include <algorithm>
#include <cstring>

#include "base/clock.h"
#include "bench/pe/pe.h"

namespace syncline::bench {
namespace {

constexpr uint64_t piece_step = 1024;  // from the start of one to that of the next

void ignore_batch(uint64_t, int status, void*) {
    must(status);
}

class BulkOperations {
  public:
    BulkOperations(const Pe& pe, const Command& command);

    // One, complete when it returns.
    void once();
    // Takes the completions of once() that it has not waited for by a request.
    static void settle() {
        while (syncline_poll(ignore_batch, nullptr, 64) > 0) {
        }
    }
    // Throws Failure unless the memory is as `times` of once() leave it.
    void check(uint64_t times) const;

  private:
    bool is_get() const { return bulk_ == Bulk::kGet || bulk_ == Bulk::kGetPieces || bulk_ == Bulk::kGetEach; }
    std::vector<uint8_t> far() const;

    const Bulk bulk_;
    const int target_;
    const syncline_address_t area_;
    std::vector<syncline_piece_t> pieces_;  // of the area; one is the whole
    std::vector<uint8_t> local_;            // their bytes, one behind the other
    std::vector<uint8_t> expected_;         // that a get brings
};

BulkOperations::BulkOperations(const Pe& pe, const Command& command)
    : bulk_(command.bulk), target_(static_cast<int>(command.target)), area_(pe.table + command.offset) {
    for (uint64_t i = 0; i < std::max<uint64_t>(command.pieces, 1); i++) {
        pieces_.push_back({i * piece_step, command.bytes});
    }
    local_ = random_bytes(pieces_.size() * command.bytes, command.seed);
    if (is_get()) {
        uint64_t at = 0;
        for (const auto& [offset, bytes] : pieces_) {
            must(syncline_put(target_, area_ + offset, &local_[at], bytes));
            at += bytes;
        }
        expected_ = local_;
        std::fill(local_.begin(), local_.end(), 0);
    } else if (bulk_ == Bulk::kAccumulate) {
        must(syncline_put(target_, area_, std::vector<uint8_t>(local_.size()).data(), local_.size()));
        const double one = 1;
        for (uint64_t at = 0; at < local_.size(); at += sizeof(one)) {
            std::memcpy(&local_[at], &one, sizeof(one));
        }
    }
}

void BulkOperations::once() {
    uint64_t at = 0;
    switch (bulk_) {
        case Bulk::kPut:
            must(syncline_put(target_, area_, local_.data(), local_.size()));
            must(syncline_quiet());
            break;
        case Bulk::kGet:
            must(syncline_get(target_, area_, local_.data(), local_.size()));
            break;
        case Bulk::kAccumulate:
            must(syncline_accumulate(target_, area_, SYNCLINE_DOUBLE, local_.data(), local_.size() / sizeof(double)));
            break;
        case Bulk::kPutPieces:
            must(syncline_put_pieces(target_, area_, pieces_.data(), pieces_.size(), local_.data()));
            break;
        case Bulk::kGetPieces:
            must(syncline_get_pieces(target_, area_, pieces_.data(), pieces_.size(), local_.data()));
            break;
        case Bulk::kPutEach:
            for (const auto& [offset, bytes] : pieces_) {
                must(syncline_put_nb(target_, area_ + offset, &local_[at], bytes, 0, nullptr));
                at += bytes;
            }
            must(syncline_quiet());
            break;
        case Bulk::kGetEach:
            for (const auto& [offset, bytes] : pieces_) {
                must(syncline_get_nb(target_, area_ + offset, &local_[at], bytes, 0, nullptr));
                at += bytes;
            }
            must(syncline_quiet());
            break;
    }
}

// The pieces as they are at the target.
std::vector<uint8_t> BulkOperations::far() const {
    std::vector<uint8_t> found(local_.size());
    uint64_t at = 0;
    for (const auto& [offset, bytes] : pieces_) {
        must(syncline_get(target_, area_ + offset, &found[at], bytes));
        at += bytes;
    }
    return found;
}

void BulkOperations::check(uint64_t times) const {
    if (bulk_ == Bulk::kAccumulate) {
        const std::vector<uint8_t> found = far();
        for (uint64_t at = 0; at < found.size(); at += sizeof(double)) {
            double sum;
            std::memcpy(&sum, &found[at], sizeof(sum));
            if (sum != static_cast<double>(times)) {
                fail(SYNCLINE_ERR_PROTOCOL, "wrong sum of accumulates: {} instead of {}", sum, times);
            }
        }
    } else if (is_get() ? local_ != expected_ : far() != local_) {
        fail(SYNCLINE_ERR_PROTOCOL, "wrong bytes after a {} of {} bytes", is_get() ? "get" : "put", local_.size());
    }
}

}  // namespace

Outcome move_bulk(const Pe& pe, const Command& command) {
    BulkOperations operations(pe, command);
    const uint64_t warm_up = 5 + command.count / 10;
    Outcome outcome;
    const uint64_t begin = now_ns();
    uint64_t look = begin + look_interval_ns;
    for (bool stopped = false; !stopped;) {
        const uint64_t start = now_ns();
        operations.once();
        const uint64_t end = now_ns();
        BulkOperations::settle();
        outcome.operations++;
        if (command.count != 0) {
            if (outcome.operations > warm_up) {
                outcome.samples.push_back(sample(start, end));
            }
            stopped = outcome.samples.size() == command.count;
        } else if (end >= look) {
            look = end + look_interval_ns;
            stopped = pe.told();
        }
    }
    outcome.elapsed_ns = now_ns() - begin;
    operations.check(outcome.operations);
    return outcome;
}

}  // namespace syncline::bench
