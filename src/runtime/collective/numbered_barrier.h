// SPDX-License-Identifier: BSD-3-Clause
// A numbered barrier of signals (signal_barrier.h), for members that no NICs' barrier joins, and for programs that ask
// for dissemination. Its words are in the runtime's part of each member's heap.
//
// Each word of a signal has the round's tag in one half and a half of the value in the other. A signal is one word, or
// two where the round has a value. The tag tells by itself whether the word has come. A place (barrier_words.h) belongs
// to a step and to odd or even rounds. In a round, one member writes it, by atomic stores; its owner reads it with
// acquire. No member writes it for the round after the next before its owner is through this round (signal_barrier.h).
//
// Opening: a member clears its places, then adds itself to the leader's word `entered`, and waits until all members
// have. So no signal comes before its place is clear. `entered` has the instance in it, so a member that comes after
// the others have given up is not counted. A member that finds another one gone writes the instance into the word
// `broken` of all members, whose waits then end.
#pragma once

#include <vector>

#include "runtime/collective/barrier_agreement.h"
#include "runtime/collective/signal_barrier.h"

namespace syncline {

class NumberedSignals : public Signals {
  public:
    NumberedSignals(const NumberedSignals&) = delete;
    NumberedSignals& operator=(const NumberedSignals&) = delete;

    int send(int member, const Step& step, uint64_t value) override;
    bool take(int member, const Step& step, uint64_t* value) override;
    int await(int member, const Step& step, uint64_t* value) override;
    int look_after(int member) override;

  protected:
    // Returns once all members have called it. Throws Failure.
    NumberedSignals(Endpoint* endpoint, BarrierHistory* history, uint32_t number, std::vector<uint32_t> ranks);
    ~NumberedSignals() override;

    int members() const { return static_cast<int>(ranks_.size()); }
    int me() const;
    // Differs from the first rounds of the instances before, so that their tags do, too.
    uint64_t first_round() const { return uint64_t{agreement_.instance() & 0xff} << 24 | 1; }
    int close();

  private:
    void open();
    void end();
    void clear();
    bool enter();
    void await_members();
    syncline_address_t place(const Step& step) const;
    bool is_broken() const;
    void break_it();
    void ask(int member);
    BarrierAgreement::State state() {
        return {[this] { return !is_broken(); }, [this] { break_it(); }};
    }
    int complain(int status) const { return agreement_.complain(status); }

    Endpoint* const endpoint_;
    BarrierHistory* const history_;
    const uint32_t number_;
    const std::vector<uint32_t> ranks_;
    BarrierAgreement agreement_;
    Completion sent_;  // of the signals, whose errors are no concern of a quiet
    uint32_t looks_ = 0;
    uint32_t probes_ = 0;
    uint64_t next_probe_ns_ = 0;
};

class NumberedBarrier final : private NumberedSignals, public SignalBarrier {
  public:
    NumberedBarrier(Endpoint* endpoint, BarrierHistory* history, uint32_t number, std::vector<uint32_t> ranks)
        : NumberedSignals(endpoint, history, number, std::move(ranks)),
          SignalBarrier(this, members(), me(), first_round()) {}

    int close() override {
        const int status = wait();
        return status == SYNCLINE_OK ? NumberedSignals::close() : status;
    }
};

}  // namespace syncline
