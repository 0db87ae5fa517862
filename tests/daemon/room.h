// SPDX-License-Identifier: BSD-3-Clause
// A launcher within one process: threads stand for the processes that it has started.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/failure.h"
#include "job/launchers/launcher.h"

namespace syncline::testing_daemon {

// The processes of one launch meet here, and read what others have published.
class Room {
  public:
    explicit Room(uint32_t processes) : processes_(processes) {}

    void show(uint32_t rank, const std::string& name, const Launcher::Bytes& bytes) {
        const std::lock_guard<std::mutex> guard(mutex_);
        shown_[{rank, name}] = bytes;
    }
    std::optional<Launcher::Bytes> shown_by(uint32_t rank, const std::string& name) {
        const std::lock_guard<std::mutex> guard(mutex_);
        const auto found = shown_.find({rank, name});
        return found == shown_.end() ? std::nullopt : std::optional(found->second);
    }
    bool meet(uint32_t timeout_ms) {
        std::unique_lock<std::mutex> lock(mutex_);
        const uint64_t meeting = (arrived_ + processes_) / processes_;
        arrived_++;
        changed_.notify_all();
        return changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                                 [&] { return arrived_ >= meeting * processes_; });
    }

  private:
    const uint64_t processes_;
    std::mutex mutex_;
    std::condition_variable changed_;
    uint64_t arrived_ = 0;
    std::map<std::pair<uint32_t, std::string>, Launcher::Bytes> shown_;
};

class Guest final : public Launcher {
  public:
    Guest(Room* room, uint32_t rank, uint32_t ranks, std::vector<uint32_t> here)
        : room_(room), rank_(rank), ranks_(ranks), here_(std::move(here)) {}

    uint32_t rank() const override { return rank_; }
    uint32_t ranks() const override { return ranks_; }
    const std::vector<uint32_t>& ranks_here() const override { return here_; }
    void show(const std::string& name, const Bytes& bytes) override { room_->show(rank_, name, bytes); }
    void exchange(uint32_t timeout_ms, const Meanwhile&) override {
        if (!room_->meet(timeout_ms)) {
            fail(SYNCLINE_ERR_TIMEOUT, "not all have come");
        }
        if (after_first_exchange) {
            std::exchange(after_first_exchange, nullptr)();
        }
    }
    std::optional<Bytes> shown_by(uint32_t rank, const std::string& name) override {
        return room_->shown_by(rank, name);
    }
    Marks marks() const override { return {}; }
    std::optional<Ended> ended() override { return std::nullopt; }
    void abort(int) override {}

    std::function<void()> after_first_exchange;

  private:
    Room* const room_;
    const uint32_t rank_, ranks_;
    const std::vector<uint32_t> here_;
};

}  // namespace syncline::testing_daemon
