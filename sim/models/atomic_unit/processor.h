// SPDX-License-Identifier: BSD-3-Clause
// A processor (PE), as far as the workloads need one. It applies the updates that have come in messages, and issues its
// next operation whenever the NIC can take the operation and not too many are outstanding.
#pragma once

#include <deque>
#include <optional>

#include "sim/models/atomic_unit/node.h"

namespace syncline::sim::atomic_unit {

// The operations of a PE, one after the other.
class Stream {
  public:
    struct Item {
        Packet packet;
        Time not_before = 0;
        bool own = false;  // the word is in the PE's own memory: the PE applies the operation itself
    };
    virtual ~Stream() = default;
    virtual std::optional<Item> next() = 0;
};

class Processor final : public Component {
  public:
    Processor(Kernel* kernel, const Parameters& parameters, Node* node, Stream* stream);

    void begin() { wake(); }
    void completed();
    void message(const Packet& packet);
    void wake();

    void handle(uint64_t what) override;

    bool finished() const { return !item_ && outstanding_ == 0 && received_.empty(); }
    uint64_t issued() const { return issued_; }
    uint64_t applied() const { return applied_; }
    uint64_t completions() const { return completions_; }
    Time last_completion() const { return last_completion_; }
    Time last_applied() const { return last_applied_; }
    Time latencies() const { return latencies_; }

  private:
    enum Event : uint64_t { kTurn, kItsTime };

    bool apply_one();
    bool issue_one();
    void apply(const Packet& packet);
    void busy_until(Time time);
    void wait_until(Time time);

    Kernel* const kernel_;
    const Time issue_time_, apply_time_;
    const uint64_t outstanding_most_;
    Node* const node_;
    Stream* const stream_;
    std::optional<Stream::Item> item_;
    std::deque<Packet> received_;
    std::deque<Time> issued_at_;
    bool busy_ = false, waiting_ = false;
    uint64_t outstanding_ = 0, issued_ = 0, applied_ = 0, completions_ = 0;
    Time last_completion_ = 0, last_applied_ = 0, latencies_ = 0;
};

}  // namespace syncline::sim::atomic_unit
