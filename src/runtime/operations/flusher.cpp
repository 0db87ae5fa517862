// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/operations/flusher.h"

#include <csignal>

namespace syncline {

namespace {
constexpr auto delay = std::chrono::microseconds(500);
}

Flusher::~Flusher() {
    ending_.store(true);
    posted_.store(true);
    posted_.notify_one();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Flusher::wake() {
    posted_.store(true);
    posted_.notify_one();
    std::call_once(started_, [this] {
        // Signals are for the program's own threads.
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        thread_ = std::thread([this] { run(); });
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    });
}

void Flusher::run() {
    while (!ending_.load()) {
        posted_.wait(false);
        std::this_thread::sleep_for(delay);
        posted_.store(false);  // before the flush: what is posted from here on wakes it again
        (void)endpoint_->batch_is_complete(batch_);
    }
}

}  // namespace syncline
