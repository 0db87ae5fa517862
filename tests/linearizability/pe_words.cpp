// SPDX-License-Identifier: BSD-3-Clause
// Method: one operation, or three that are under way together, on a few words and a pair of longs that all PEs use,
// each way that the interface has. No value is ever written twice, so that a value says which operation left
// it.
#include <algorithm>
#include <array>

#include "tests/linearizability/flight.h"
#include "tests/linearizability/pe.h"

namespace linearizability {
namespace {

constexpr size_t words = 4;
constexpr size_t pair_word = words - 1;
constexpr size_t word_spacing = 64;
constexpr size_t burst = 3;

class Actor {
  public:
    Actor(const Plan& plan, History* history, syncline::Prng* random)
        : plan_(plan), history_(history), random_(random), base_(allocate(words * word_spacing)) {
        for (size_t word = 0; word < words; word++) {
            objects_[word] = history->add_object(word == pair_word ? pair_kind : word_kind, home(word));
        }
        *static_cast<syncline_pair_t*>(syncline_local(address(pair_word))) = pair_of(0);
        must(syncline_barrier(), "barrier");
    }

    void act() {
        std::array<Flight, burst> flights;
        const size_t count = random_->below(4) == 0 ? burst : 1;
        for (size_t i = 0; i < count; i++) {
            begin(&flights[i], count == 1 && random_->below(2) == 0);
        }
        for (size_t i = 0; i < count; i++) {
            end(&flights[i]);
        }
    }
    bool noticed_death() const { return gone_[0]; }

  private:
    // The first word is at the PE that may be killed. Another PE of its node has the pair, if the node has another.
    static int home(size_t word) {
        const int last = syncline_size() - 1;
        return word == pair_word ? std::max(last - 1, 0) : (last + static_cast<int>(word)) % syncline_size();
    }
    syncline_address_t address(size_t word) const { return base_ + word * word_spacing; }

    size_t draw_word() {
        size_t word = 0;
        do {
            word = random_->below(words);
        } while (gone_[word]);
        return word;
    }

    Operation draw_operation(bool pair) {
        using enum Operation;
        constexpr Operation often[] = {kSwap, kCas, kCas, kCas,        kRead, kRead, kWrite,
                                       kAdd,  kAdd, kAdd, kAddBlindly, kMin,  kMax};
        return often[random_->below(pair ? 6 : std::size(often))];
    }

    // Small steps between values that are far apart: checker/damage.go relies on it.
    uint64_t draw_argument(Operation operation) {
        if (operation == Operation::kAdd || operation == Operation::kAddBlindly) {
            return 1 + random_->below(3);
        }
        return (static_cast<uint64_t>(syncline_rank()) + 1) << 56 | ++written_ << 24;
    }

    void begin(Flight* flight, bool blocking) {
        const size_t word = draw_word();
        flight->word = static_cast<int>(word);
        flight->rank = home(word);
        flight->target = address(word);
        flight->pair = word == pair_word;
        flight->operation = draw_operation(flight->pair);
        flight->argument = flight->operation == Operation::kRead ? 0 : draw_argument(flight->operation);
        flight->comparand = flight->operation == Operation::kCas ? seen_[word] : 0;
        flight->record = history_->call(objects_[word], flight->operation, flight->argument, flight->comparand);
        start(flight, blocking);
    }

    void end(Flight* flight) {
        finish(flight);
        if (flight->status == SYNCLINE_OK) {
            History::done(flight->record, Outcome::kDone, flight->value);
            note(*flight);
            return;
        }
        History::done(flight->record, Outcome::kUnknown);
        if (!plan_.mortal || flight->status != SYNCLINE_ERR_PEER) {
            fail(std::string("an operation on a PE that lives: ") + syncline_last_error());
        }
        gone_[static_cast<size_t>(flight->word)] = true;
    }

    // The value of the word then, as far as this PE can tell.
    void note(const Flight& flight) {
        uint64_t& seen = seen_[static_cast<size_t>(flight.word)];
        switch (flight.operation) {
            case Operation::kAdd:
                seen = flight.value + flight.argument;
                break;
            case Operation::kCas:
                seen = flight.value == flight.comparand ? flight.argument : flight.value;
                break;
            case Operation::kMin:
                seen = std::min(flight.value, flight.argument);
                break;
            case Operation::kMax:
                seen = std::max(flight.value, flight.argument);
                break;
            case Operation::kRead:
                seen = flight.value;
                break;
            case Operation::kAddBlindly:
                break;
            default:
                seen = flight.argument;
        }
    }

    const Plan& plan_;
    History* const history_;
    syncline::Prng* const random_;
    const syncline_address_t base_;
    std::array<uint32_t, words> objects_ = {};
    std::array<bool, words> gone_ = {};
    std::array<uint64_t, words> seen_ = {};  // last, so that a compare&swap often hits
    uint64_t written_ = 0;
};

}  // namespace

void use_words(const Plan& plan, History* history, syncline::Prng* random) {
    Actor actor(plan, history, random);
    act_on(plan, [&] { actor.act(); }, [&] { return actor.noticed_death(); });
}

}  // namespace linearizability
