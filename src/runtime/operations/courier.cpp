// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/operations/courier.h"

#include <algorithm>

#include "base/check.h"
namespace syncline {

namespace {
constexpr size_t bytes_min = 32 * 1024;
constexpr size_t piece_bytes = 16 * 1024;
}  // namespace

Courier::~Courier() {
    {
        const Lock lock(guard_);
        ending_ = true;
    }
    bell_->ring();
    thread_.reset();
}

bool Courier::take(Batch* batch, int pe, syncline_address_t target, const void* source, size_t bytes) {
    if (bytes < bytes_min || waiting_->is_crowded() || fabrics_->of(pe).capabilities().local_completion) {
        return false;
    }
    {
        const Lock lock(guard_);
        puts_.push_back({batch, pe, target, static_cast<const uint8_t*>(source), bytes});
        used_.store(true, std::memory_order_relaxed);
        if (!thread_) {
            thread_ = run_in_background([this] { run(); });
        }
    }
    bell_->ring();
    return true;
}

// Sends the beginning of a put, and releases the lock meanwhile.
void Courier::send_piece(Lock& lock, const std::deque<Put>::iterator& put) {
    const Put piece = {put->batch, put->pe, put->target, put->source, std::min(put->bytes, piece_bytes)};
    put->target += piece.bytes;
    put->source += piece.bytes;
    SYNCLINE_ASSERT(piece.bytes != 0 && piece.bytes <= put->bytes, "%zu of %zu bytes", piece.bytes, put->bytes);
    put->bytes -= piece.bytes;
    if (put->bytes == 0) {
        puts_.erase(put);
    }
    in_hand_[piece.batch]++;
    lock.unlock();
    const int status = batches_->put(piece.batch, piece.pe, piece.target, piece.source, piece.bytes, true);
    lock.lock();
    SYNCLINE_ASSERT(in_hand_[piece.batch] != 0, "a piece of %zu bytes", piece.bytes);
    if (--in_hand_[piece.batch] == 0) {
        in_hand_.erase(piece.batch);
    }
    if (status != SYNCLINE_OK) {
        errors_.try_emplace(piece.batch, status);
    }
}

void Courier::run() {
    Lock lock(guard_);
    for (;;) {
        if (ending_) {
            return;
        }
        if (!puts_.empty()) {
            send_piece(lock, puts_.begin());
            continue;
        }
        lock.unlock();
        bell_->wait();
        lock.lock();
    }
}

int Courier::send_rest(Batch* batch) {
    Lock lock(guard_);
    for (;;) {
        const auto mine = std::find_if(puts_.begin(), puts_.end(), [&](const Put& put) { return put.batch == batch; });
        if (mine != puts_.end()) {
            send_piece(lock, mine);
        } else if (in_hand_.contains(batch)) {
            lock.unlock();
            yield_cpu();
            lock.lock();
        } else {
            break;
        }
    }
    const auto error = errors_.find(batch);
    const int status = error != errors_.end() ? error->second : SYNCLINE_OK;
    if (error != errors_.end()) {
        errors_.erase(error);
    }
    used_.store(!puts_.empty() || !in_hand_.empty() || !errors_.empty(), std::memory_order_relaxed);
    return status;
}

}  // namespace syncline
