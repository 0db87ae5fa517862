// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/operations/flusher.h"

namespace syncline {

namespace {
constexpr uint64_t delay_ns = 500 * ns_per_us;
}

Flusher::~Flusher() {
    ending_.store(true);
    bell_->ring();
    thread_.reset();
}

void Flusher::wake() {
    posted_.store(true);
    bell_->ring();
    std::call_once(started_, [this] { thread_ = run_in_background([this] { run(); }); });
}

void Flusher::run() {
    while (!ending_.load()) {
        bell_->wait();
        sleep_on({}, delay_ns);
        posted_.store(false);  // before the flush, so that the next post rings again
        (void)batches_->is_complete(batch_);
    }
}

}  // namespace syncline
