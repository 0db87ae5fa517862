// SPDX-License-Identifier: BSD-3-Clause
// Method: one operation, or three that are under way together, on a few words that all PEs use, each way that
// the interface has. What is written is never written twice, so that a value says which operation left it.
#include <array>

#include "tests/linearizability/pe.h"

namespace linearizability {
namespace {

constexpr int words_max = 3;
constexpr size_t word_spacing = 64;
constexpr int burst_max = 3;

// One operation under way.
struct Flight {
    int word = 0;
    Operation operation{};
    uint64_t argument = 0;
    uint64_t comparand = 0;
    uint64_t value = 0;
    syncline_request_t request = 0;
    Record* record = nullptr;
    int status = SYNCLINE_OK;
};

class Actor {
  public:
    Actor(const Plan& plan, History* history, syncline::Prng* random)
        : plan_(plan), history_(history), random_(random), base_(allocate(words_max * word_spacing)) {
        for (int word = 0; word < words_max; word++) {
            objects_[word] = history->add_object(word_kind, home(word));
        }
        must(syncline_barrier(), "barrier");
    }

    void act() {
        std::array<Flight, burst_max> flights;
        const size_t count = random_->below(4) == 0 ? burst_max : 1;
        for (size_t i = 0; i < count; i++) {
            start(&flights[i], count == 1 && random_->below(2) == 0);
        }
        for (size_t i = 0; i < count; i++) {
            finish(&flights[i]);
        }
    }
    bool noticed_death() const { return gone_[0]; }

  private:
    // The first word is at the PE that may be killed.
    static int home(int word) { return (syncline_size() - 1 + word) % syncline_size(); }
    syncline_address_t address(int word) const { return base_ + static_cast<size_t>(word) * word_spacing; }

    int draw_word() {
        int word = 0;
        do {
            word = static_cast<int>(random_->below(words_max));
        } while (gone_[word]);
        return word;
    }

    static Operation draw_operation(syncline::Prng* random) {
        constexpr Operation often[] = {Operation::kAdd, Operation::kAdd,  Operation::kSwap,      Operation::kCas,
                                       Operation::kCas, Operation::kRead, Operation::kRead,      Operation::kWrite,
                                       Operation::kAdd, Operation::kCas,  Operation::kAddBlindly};
        return often[random->below(std::size(often))];
    }

    // Small steps between values that are far apart.
    uint64_t draw_argument(Operation operation) {
        if (operation == Operation::kAdd || operation == Operation::kAddBlindly) {
            return 1 + random_->below(3);
        }
        return (static_cast<uint64_t>(syncline_rank()) + 1) << 56 | ++written_ << 24;
    }

    void start(Flight* flight, bool blocking) {
        flight->word = draw_word();
        flight->operation = draw_operation(random_);
        flight->argument = flight->operation == Operation::kRead ? 0 : draw_argument(flight->operation);
        flight->comparand = flight->operation == Operation::kCas ? seen_[flight->word] : 0;
        flight->record = history_->call(objects_[flight->word], flight->operation, flight->argument, flight->comparand);
        flight->status = blocking ? call(flight) : call_nb(flight);
    }

    void finish(Flight* flight) {
        if (flight->status == SYNCLINE_OK && flight->operation == Operation::kAddBlindly) {
            flight->status = syncline_fence(home(flight->word));
        } else if (flight->status == SYNCLINE_OK && flight->request != 0) {
            flight->status = syncline_wait(flight->request);
        }
        if (flight->status == SYNCLINE_OK) {
            History::done(flight->record, Outcome::kDone, flight->value);
            seen_[flight->word] = left_behind(*flight);
            return;
        }
        History::done(flight->record, Outcome::kUnknown);
        if (!plan_.mortal || flight->status != SYNCLINE_ERR_PEER) {
            fail(std::string("an operation on a PE that lives: ") + syncline_last_error());
        }
        gone_[flight->word] = true;
    }

    // What the word then held, as far as this PE can tell.
    uint64_t left_behind(const Flight& flight) const {
        switch (flight.operation) {
            case Operation::kAdd:
                return flight.value + flight.argument;
            case Operation::kCas:
                return flight.value == flight.comparand ? flight.argument : flight.value;
            case Operation::kRead:
                return flight.value;
            case Operation::kAddBlindly:
                return seen_[flight.word];
            default:
                return flight.argument;
        }
    }

    int call(Flight* flight) const {
        const int rank = home(flight->word);
        const syncline_address_t target = address(flight->word);
        switch (flight->operation) {
            case Operation::kAdd:
                return syncline_fetch_add64(rank, target, flight->argument, &flight->value);
            case Operation::kAddBlindly:
                return syncline_add64(rank, target, flight->argument);
            case Operation::kSwap:
                return syncline_swap64(rank, target, flight->argument, &flight->value);
            case Operation::kCas:
                return syncline_cas64(rank, target, flight->comparand, flight->argument, &flight->value);
            case Operation::kRead:
                return syncline_get(rank, target, &flight->value, sizeof(uint64_t));
            default:
                return syncline_put(rank, target, &flight->argument, sizeof(uint64_t));
        }
    }

    int call_nb(Flight* flight) const {
        const int rank = home(flight->word);
        const syncline_address_t target = address(flight->word);
        syncline_request_t* const request = &flight->request;
        switch (flight->operation) {
            case Operation::kAdd:
                return syncline_fetch_add64_nb(rank, target, flight->argument, &flight->value, 0, request);
            case Operation::kAddBlindly:
                return syncline_add64(rank, target, flight->argument);
            case Operation::kSwap:
                return syncline_swap64_nb(rank, target, flight->argument, &flight->value, 0, request);
            case Operation::kCas:
                return syncline_cas64_nb(rank, target, flight->comparand, flight->argument, &flight->value, 0, request);
            case Operation::kRead:
                return syncline_get_nb(rank, target, &flight->value, sizeof(uint64_t), 0, request);
            default:
                return syncline_put_nb(rank, target, &flight->argument, sizeof(uint64_t), 0, request);
        }
    }

    const Plan& plan_;
    History* const history_;
    syncline::Prng* const random_;
    const syncline_address_t base_;
    uint32_t objects_[words_max] = {};
    bool gone_[words_max] = {};
    uint64_t seen_[words_max] = {};  // last, so that a compare&swap often hits
    uint64_t written_ = 0;
};

}  // namespace

void use_words(const Plan& plan, History* history, syncline::Prng* random) {
    Actor actor(plan, history, random);
    act_on(plan, [&] { actor.act(); }, [&] { return actor.noticed_death(); });
}

}  // namespace linearizability
