// SPDX-License-Identifier: BSD-3-Clause
// Method: the barrier of signals among up to 40 members in one thread. Signals take effect in an order that a seed
// draws, and lie in two places for each step, as those of a numbered barrier do; a signal that overwrites one that has
// not been taken is a mistake. Checked: no member leaves a round that another has not started; all results are those of
// the same values combined one after another, and all members' are equal; each member sends as many signals as the
// algorithm's formula says.
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <memory>
#include <vector>

#include "base/prng.h"
#include "firmware/native.h"
#include "runtime/collective/signal_barrier.h"

namespace syncline {
namespace {

class Mesh {
  public:
    struct Signal {
        uint64_t round, value;
    };
    using Place = std::tuple<int, uint32_t, uint64_t>;  // member, step, parity

    explicit Mesh(uint64_t seed) : prng_(seed) {}

    void send(int to, const Signals::Step& step, uint64_t value) {
        under_way_.push_back({{to, step.number, step.round & 1}, {step.round, value}});
        sent_++;
    }
    bool take(int me, const Signals::Step& step, uint64_t* value) {
        const auto found = places_.find({me, step.number, step.round & 1});
        if (found == places_.end() || found->second.round != step.round) {
            return false;
        }
        *value = found->second.value;
        places_.erase(found);
        return true;
    }
    // Delivers one of the signals that are under way.
    void deliver() {
        if (under_way_.empty()) {
            return;
        }
        const auto at = under_way_.begin() + static_cast<std::ptrdiff_t>(prng_.below(under_way_.size()));
        EXPECT_TRUE(places_.insert(*at).second) << "a signal was overwritten";
        under_way_.erase(at);
    }
    Prng* prng() { return &prng_; }
    size_t sent() const { return sent_; }
    bool is_empty() const { return under_way_.empty() && places_.empty(); }

  private:
    Prng prng_;
    std::vector<std::pair<Place, Signal>> under_way_;
    std::map<Place, Signal> places_;
    size_t sent_ = 0;
};

class Member final : public Signals {
  public:
    Member(Mesh* mesh, int members, int me) : mesh_(mesh), me_(me), barrier_(this, members, me) {}

    SignalBarrier& barrier() { return barrier_; }

    int send(int member, const Step& step, uint64_t value) override {
        EXPECT_NE(member, me_);
        mesh_->send(member, step, value);
        return SYNCLINE_OK;
    }
    bool take(int, const Step& step, uint64_t* value) override { return mesh_->take(me_, step, value); }
    int await(int, const Step&, uint64_t*) override { return SYNCLINE_ERR_INVALID; }  // one thread never waits

    uint64_t rounds = 0;  // started

  private:
    Mesh* const mesh_;
    const int me_;
    SignalBarrier barrier_;
};

constexpr fw_combine ways[] = {FW_COMBINE_NONE, FW_COMBINE_SUM, FW_COMBINE_MIN,        FW_COMBINE_MAX,
                               FW_COMBINE_AND,  FW_COMBINE_OR,  FW_COMBINE_SUM_DOUBLE, FW_COMBINE_XOR};

fw_combine way_of(uint64_t round) {
    return ways[round % std::size(ways)];
}

uint64_t value_of(size_t member, uint64_t round) {
    const uint64_t drawn = (member + 1) * 0x9E3779B97F4A7C15u * round;
    return way_of(round) == FW_COMBINE_SUM_DOUBLE ? std::bit_cast<uint64_t>(static_cast<double>(drawn & 0xffff))
                                                  : drawn;
}

uint64_t expected(size_t members, uint64_t round) {
    uint64_t all = value_of(0, round);
    for (size_t member = 1; member < members; member++) {
        all = fw_combine_values(way_of(round), all, value_of(member, round));
    }
    return all;
}

size_t signals_of(size_t members, uint64_t round) {
    if (way_of(round) == FW_COMBINE_NONE) {
        return members * static_cast<size_t>(std::bit_width(members - 1));
    }
    const size_t power = std::bit_floor(members);
    return power * static_cast<size_t>(std::countr_zero(power)) + 2 * (members - power);
}

void run(int size, uint64_t seed) {
    constexpr uint64_t rounds = 2 * std::size(ways);
    Mesh mesh(seed);
    std::vector<std::unique_ptr<Member>> members;
    for (int i = 0; i < size; i++) {
        members.push_back(std::make_unique<Member>(&mesh, size, i));
    }
    const auto all_started = [&](uint64_t round) {
        return std::all_of(members.begin(), members.end(), [&](const auto& one) { return one->rounds >= round; });
    };
    const auto all_done = [&] {
        return all_started(rounds) && std::none_of(members.begin(), members.end(),
                                                   [](const auto& one) { return one->barrier().is_running(); });
    };
    for (uint64_t turn = 0; !all_done(); turn++) {
        ASSERT_LT(turn, 1'000'000u) << "a member waits for ever";
        const size_t i = mesh.prng()->below(members.size());
        Member& member = *members[i];
        if (mesh.prng()->below(2) == 0) {
            mesh.deliver();
        } else if (!member.barrier().is_running() && member.rounds < rounds) {
            member.rounds++;
            const auto how = static_cast<Reduction>(way_of(member.rounds));
            ASSERT_EQ(member.barrier().start(how, value_of(i, member.rounds)), SYNCLINE_OK);
        } else {
            int done = 0;
            ASSERT_EQ(member.barrier().test(&done), SYNCLINE_OK);
        }
        if (!member.barrier().is_running() && member.rounds != 0) {
            ASSERT_TRUE(all_started(member.rounds)) << "member " << i << " left round " << member.rounds;
            if (way_of(member.rounds) != FW_COMBINE_NONE) {
                ASSERT_EQ(member.barrier().result(), expected(members.size(), member.rounds))
                    << "round " << member.rounds;
            }
        }
    }
    size_t signals = 0;
    for (uint64_t round = 1; round <= rounds; round++) {
        signals += signals_of(members.size(), round);
    }
    EXPECT_EQ(mesh.sent(), signals);
    EXPECT_TRUE(mesh.is_empty());
}

TEST(SignalBarrier, KeepsItsPromisesForEveryNumberOfMembers) {
    for (int size = 1; size <= 40; size++) {
        for (uint64_t seed = 1; seed <= 5; seed++) {
            run(size, seed);
            ASSERT_FALSE(testing::Test::HasFailure()) << size << " members, seed " << seed;
        }
    }
}

TEST(SignalBarrier, RefusesASecondStart) {
    Mesh mesh(1);
    Member one(&mesh, 2, 0);
    ASSERT_EQ(one.barrier().start(Reduction::kNone, 0), SYNCLINE_OK);
    EXPECT_EQ(one.barrier().start(Reduction::kNone, 0), SYNCLINE_ERR_INVALID);
    EXPECT_TRUE(one.barrier().is_running());
}

}  // namespace
}  // namespace syncline
