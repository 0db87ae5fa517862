// SPDX-License-Identifier: BSD-3-Clause
// Method: the small programs by which models of memory are told apart, many times over, with all synchronisation that
// they need. Processes have copies of the pages from the turn before, so what is not brought up to date is seen.
#include <vector>

#include "check.h"

namespace dsm_live {
namespace {

constexpr uint64_t turns = 25;

// A message of several pages, of which each word says which turn it is of.
class Message {
  public:
    Message() : words_(3 * page_words + 5) {}
    void write(uint64_t turn) const {
        for (size_t i = 0; i < count; i++) {
            words_[i * stride] = turn * 1000 + i;
        }
    }
    void check(uint64_t turn) const {
        for (size_t i = 0; i < count; i++) {
            const uint64_t found = words_[i * stride];
            CHECK_THAT(found == turn * 1000 + i, "word {} of turn {} is {}", i, turn, found);
        }
    }

  private:
    static constexpr size_t count = 50, stride = 30;
    Shared<uint64_t> words_;
};

int writer_of(uint64_t turn) {
    return static_cast<int>(turn % static_cast<uint64_t>(size()));
}

}  // namespace
}  // namespace dsm_live

using namespace dsm_live;

void run_message_by_lock() {
    const Message message;
    const Shared<uint64_t> told(1);
    for (uint64_t turn = 1; turn <= turns; turn++) {
        if (me() == writer_of(turn)) {
            message.write(turn);
            const Locked locked(1);
            told[0] = turn;
        }
        for (bool seen = false; !seen;) {
            const Locked locked(1);
            seen = told[0] == turn;
        }
        message.check(turn);
        barrier();
    }
}

void run_message_by_flag() {
    const Message message;
    const uint32_t flag = take_numbers(1);
    for (uint64_t turn = 1; turn <= turns; turn++) {
        if (me() == writer_of(turn)) {
            message.write(turn);
            CHECK_OK(syncline_dsm_flag_set(flag, turn));
        }
        uint64_t seen = 0;
        CHECK_OK(syncline_dsm_flag_wait(flag, turn, &seen));
        CHECK(seen == turn);
        message.check(turn);
        barrier();
    }
}

void run_message_by_barrier() {
    const Message message;
    for (uint64_t turn = 1; turn <= turns; turn++) {
        if (me() == writer_of(turn)) {
            message.write(turn);
        }
        barrier();
        message.check(turn);
        barrier();
    }
}

void run_message_by_condition() {
    const Message message;
    const Shared<uint64_t> told(1);
    const uint32_t condition = take_numbers(1);
    for (uint64_t turn = 1; turn <= turns; turn++) {
        if (me() == writer_of(turn)) {
            message.write(turn);
            const Locked locked(2);
            told[0] = turn;
            CHECK_OK(syncline_dsm_cond_broadcast(condition));
        } else {
            const Locked locked(2);
            while (told[0] != turn) {
                CHECK_OK(syncline_dsm_cond_wait(condition, 2));
            }
        }
        message.check(turn);
        barrier();
    }
}

// Each of two processes writes its own word and then reads the other's: not both may miss the other.
void run_store_buffering() {
    const Shared<uint64_t> words(2);  // on one page
    const Shared<uint64_t> found(2);
    for (uint64_t turn = 1; turn <= turns; turn++) {
        for (int pair = 0; pair + 1 < size(); pair += 2) {
            const int role = me() - pair;
            if (role == 0 || role == 1) {
                const auto own = static_cast<uint32_t>(role);
                {
                    const Locked locked(10 + own);
                    words[own] = turn * 100 + static_cast<uint64_t>(pair);
                }
                uint64_t seen = 0;
                {
                    const Locked locked(11 - own);
                    seen = words[1 - own];
                }
                found[own] = seen == turn * 100 + static_cast<uint64_t>(pair);
            }
            barrier();
            CHECK_THAT(found[0] + found[1] != 0, "both processes miss the other's store in turn {}", turn);
            barrier();
        }
    }
}

// Two processes write one word each, and all others read both in one of two orders: the readers agree on which was the
// first.
void run_independent_writes() {
    const Shared<uint64_t> words(2);
    const Shared<uint64_t> found(2 * static_cast<size_t>(size()));
    for (uint64_t turn = 1; turn <= turns; turn++) {
        const auto order = static_cast<uint32_t>(me() % 2);
        if (me() < 2) {
            const Locked locked(20 + order);
            words[order] = turn;
        } else {
            for (const uint32_t word : {order, 1 - order}) {
                const Locked locked(20 + word);
                found[2 * static_cast<size_t>(me()) + word] = words[word];
            }
        }
        barrier();
        bool first_zero = false, first_one = false;  // seen as the only one so far
        for (size_t reader = 2; reader < static_cast<size_t>(size()); reader++) {
            const bool zero = found[2 * reader] == turn, one = found[2 * reader + 1] == turn;
            first_zero = first_zero || (reader % 2 == 0 && zero && !one);
            first_one = first_one || (reader % 2 == 1 && one && !zero);
        }
        CHECK_THAT(!(first_zero && first_one), "in turn {} readers see the two stores in different orders", turn);
        barrier();
    }
}

// All that the first process writes reaches the last one through locks of which each is known to two of them only.
void run_chain() {
    const Message message;
    const Shared<uint64_t> told(static_cast<size_t>(size()) * page_words);  // a page for each link
    for (uint64_t turn = 1; turn <= turns; turn++) {
        const auto place = static_cast<uint64_t>((me() + size() - writer_of(turn)) % size());
        if (place == 0) {
            message.write(turn);
        }
        for (bool seen = place == 0; !seen;) {
            const Locked locked(30 + static_cast<uint32_t>(place));
            seen = told[place * page_words] == turn;
        }
        if (place + 1 < static_cast<uint64_t>(size())) {
            const Locked locked(31 + static_cast<uint32_t>(place));
            told[(place + 1) * page_words] = turn;
        } else {
            message.check(turn);
        }
        barrier();
    }
    barrier();
}

// A token goes round by flags, and what it stands for with it: each process changes it.
void run_ring() {
    const Shared<uint64_t> sum(2 * page_words);
    const uint32_t first = take_numbers(static_cast<uint32_t>(size()));
    const auto next = first + static_cast<uint32_t>((me() + 1) % size());
    for (uint64_t turn = 1; turn <= turns; turn++) {
        if (me() != 0 || turn > 1) {
            CHECK_OK(syncline_dsm_flag_wait(first + static_cast<uint32_t>(me()), me() == 0 ? turn - 1 : turn, nullptr));
        }
        const uint64_t expected = (turn - 1) * static_cast<uint64_t>(size()) + static_cast<uint64_t>(me());
        for (const size_t word : {size_t{0}, page_words + 3}) {
            CHECK_THAT(sum[word] == expected, "{} instead of {} in turn {}", uint64_t{sum[word]}, expected, turn);
            sum[word] = expected + 1;
        }
        CHECK_OK(syncline_dsm_flag_set(next, turn));
    }
}

// Parts of a page that are never written, or only by this process, stay as they are while others write the rest.
void run_parts_of_a_page() {
    const Shared<uint64_t> words(page_words);
    const auto own = 64 + static_cast<size_t>(me());
    if (me() == 0) {
        for (size_t i = 0; i < 64; i++) {
            words[i] = 7;
        }
    }
    barrier();
    for (uint64_t turn = 1; turn <= 20 * turns; turn++) {
        words[own] = turn;
        for (size_t i = 0; i < 64; i++) {
            CHECK_THAT(words[i] == 7, "word {} is {}", i, uint64_t{words[i]});
        }
        if (turn % 3 == 0) {
            const Locked locked(40 + static_cast<uint32_t>(turn % 2));
            words[256 + turn % 2] = words[256 + turn % 2] + 1;
        }
        CHECK_THAT(words[own] == turn, "the own word is {} in turn {}", uint64_t{words[own]}, turn);
    }
    barrier();
    for (size_t process = 0; process < static_cast<size_t>(size()); process++) {
        CHECK_THAT(words[64 + process] == 20 * turns, "process {} has left {}", process, uint64_t{words[64 + process]});
    }
    const uint64_t sections = words[256] + words[257];
    CHECK_THAT(sections == 20 * turns / 3 * static_cast<uint64_t>(size()), "{} sections", sections);
}
