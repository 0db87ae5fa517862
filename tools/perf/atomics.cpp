// SPDX-License-Identifier: BSD-3-Clause
// Atomics. This PE alone changes the words, so the value that each operation finds and the one that it leaves are
// known.
#include <vector>

#include "bench/timing/timed_calls.h"
#include "tools/perf/flight.h"
#include "tools/perf/operation.h"

namespace syncline::perf {
namespace {

using bench::must;

using Pair128 = unsigned __int128;  // in memory a syncline_pair_t

// `next`: what the operation makes of `old`, as in syncline/operations.h.
#define SYNCLINE_PERF_FETCHING_(operation, bits, type, next)                                                          \
    struct operation##bits {                                                                                          \
        using Word = type;                                                                                            \
        static int call(int to, syncline_address_t at, Word, Word operand, Word* old) {                               \
            return syncline_##operation##bits(to, at, operand, old);                                                  \
        }                                                                                                             \
        static int start(int to, syncline_address_t at, Word, Word operand, Word* old, syncline_request_t* request) { \
            return syncline_##operation##bits##_nb(to, at, operand, old, 0, request);                                 \
        }                                                                                                             \
        static Word after([[maybe_unused]] Word old, Word operand) {                                                  \
            return static_cast<Word>(next);                                                                           \
        }                                                                                                             \
    };
#define SYNCLINE_PERF_POSTED_(operation, bits, type, next)             \
    struct posted_##operation##bits {                                  \
        using Word = type;                                             \
        static int post(int to, syncline_address_t at, Word operand) { \
            return syncline_##operation##bits(to, at, operand);        \
        }                                                              \
        static Word after([[maybe_unused]] Word old, Word operand) {   \
            return static_cast<Word>(next);                            \
        }                                                              \
    };
#define SYNCLINE_PERF_INSTRUCTION_(name, bits, type, next)  \
    SYNCLINE_PERF_FETCHING_(fetch_##name, bits, type, next) \
    SYNCLINE_PERF_POSTED_(name, bits, type, next)
#define SYNCLINE_PERF_LOOP_(name, bits, type, next) SYNCLINE_PERF_INSTRUCTION_(name, bits, type, next)
#define SYNCLINE_PERF_EXCHANGE_(name, bits, type, next) \
    SYNCLINE_PERF_FETCHING_(name, bits, type, next)     \
    SYNCLINE_PERF_POSTED_(store, bits, type, next)
// It is given what the word holds, so it always hits.
#define SYNCLINE_PERF_COMPARE_(name, bits, type, next)                                       \
    struct name##bits {                                                                      \
        using Word = type;                                                                   \
        static int call(int to, syncline_address_t at, Word held, Word operand, Word* old) { \
            return syncline_##name##bits(to, at, held, operand, old);                        \
        }                                                                                    \
        static int start(int to, syncline_address_t at, Word held, Word operand, Word* old,  \
                         syncline_request_t* request) {                                      \
            return syncline_##name##bits##_nb(to, at, held, operand, old, 0, request);       \
        }                                                                                    \
        static Word after(Word, Word operand) {                                              \
            return operand;                                                                  \
        }                                                                                    \
    };
#define SYNCLINE_PERF_KINDS_(name, NAME, number, forms, how, sign, next) \
    SYNCLINE_PERF_##how##_(name, 32, sign##32##_t, next) SYNCLINE_PERF_##how##_(name, 64, sign##64##_t, next)
SYNCLINE_OPERATIONS_(SYNCLINE_PERF_KINDS_)

template <int operation>
struct Wide {
    using Word = Pair128;
    static constexpr int code = operation | SYNCLINE_128 | SYNCLINE_FETCH;
    static const Word* comparand(const Word* before) { return operation == SYNCLINE_CAS ? before : nullptr; }
    static int call(int to, syncline_address_t at, Word before, Word operand, Word* old) {
        return syncline_atomic(code, to, at, &operand, comparand(&before), old);
    }
    static int start(int to, syncline_address_t at, Word before, Word operand, Word* old, syncline_request_t* request) {
        return syncline_atomic_nb(code, to, at, &operand, comparand(&before), old, 0, request);
    }
    static Word after(Word, Word operand) { return operand; }
};

// Words at the target, and what they hold once all operations are complete.
template <typename Word>
class Words {
  public:
    Words(const Task& task, uint32_t count)
        : to_(task.pair.to), words_(task.ground.words), held_(count, static_cast<Word>(0x5a5a5a5a5a5a5a5aull)) {
        must(syncline_put(to_, words_, held_.data(), count * sizeof(Word)));
    }

    int to() const { return to_; }
    syncline_address_t address(uint32_t word) const { return words_ + word * sizeof(Word); }
    Word& held(uint32_t word) { return held_[word]; }
    uint32_t count() const { return static_cast<uint32_t>(held_.size()); }

    void check() const {
        std::vector<Word> found(held_.size());
        must(syncline_get(to_, words_, found.data(), found.size() * sizeof(Word)));
        for (size_t i = 0; i < found.size(); i++) {
            compare(found[i], held_[i]);
        }
    }
    void compare(Word found, Word expected) const {
        if (found != expected) {
            fail(SYNCLINE_ERR_PROTOCOL, "an atomic of {} bits at PE {} is wrong: {:#x} instead of {:#x}",
                 8 * sizeof(Word), to_, static_cast<uint64_t>(found), static_cast<uint64_t>(expected));
        }
    }

  private:
    const int to_;
    const syncline_address_t words_;
    std::vector<Word> held_;
};

template <typename Kind>
class Fetching : public Operation {
    using Word = typename Kind::Word;

  public:
    explicit Fetching(const Task& task)
        : words_(task, task.window), flight_(task.window), expected_(task.window, words_.held(0)), old_(expected_) {}

    void run(uint64_t count) override {
        Word before = words_.held(0);
        for (uint64_t i = 0; i < count; i++) {
            const auto operand = static_cast<Word>(bench::next_random(&random_));
            Word old;
            must(Kind::call(words_.to(), words_.address(0), before, operand, &old));
            words_.compare(old, before);
            before = Kind::after(before, operand);
        }
        words_.held(0) = before;
    }

    // One word for each operation under way.
    void stream(uint64_t count) override {
        for (uint64_t i = 0; i < count; i++) {
            const uint32_t slot = flight_.next_slot();
            words_.compare(old_[slot], expected_[slot]);
            const Word before = words_.held(slot);
            const auto operand = static_cast<Word>(bench::next_random(&random_));
            expected_[slot] = before;
            words_.held(slot) = Kind::after(before, operand);
            must(Kind::start(words_.to(), words_.address(slot), before, operand, &old_[slot], flight_.request(slot)));
        }
        flight_.land();
    }

    void check() override {
        for (size_t slot = 0; slot < old_.size(); slot++) {
            words_.compare(old_[slot], expected_[slot]);
        }
        words_.check();
    }

  private:
    Words<Word> words_;
    Flight flight_;
    std::vector<Word> expected_;  // that the last operation of each slot finds
    std::vector<Word> old_;       // that it has found
    uint64_t random_ = 4711;
};

// Posted, and complete at a fence: behind each one, or where many stream, behind one at each word.
template <typename Kind>
class Posted : public Operation {
    using Word = typename Kind::Word;

  public:
    explicit Posted(const Task& task) : words_(task, static_cast<uint32_t>(words_bytes / sizeof(Word))) {}

    void run(uint64_t count) override {
        for (uint64_t i = 0; i < count; i++) {
            post(0);
            must(syncline_fence(words_.to()));
        }
    }

    void stream(uint64_t count) override {
        uint32_t word = 0;
        for (uint64_t i = 0; i < count; i++) {
            post(word);
            if (++word == words_.count()) {
                word = 0;
                must(syncline_fence(words_.to()));
            }
        }
        must(syncline_fence(words_.to()));
    }

    void check() override { words_.check(); }

  private:
    void post(uint32_t word) {
        const auto operand = static_cast<Word>(bench::next_random(&random_));
        must(Kind::post(words_.to(), words_.address(word), operand));
        words_.held(word) = Kind::after(words_.held(word), operand);
    }

    Words<Word> words_;
    uint64_t random_ = 4711;
};

template <typename Made>
std::unique_ptr<Operation> make(const Task& task) {
    return std::make_unique<Made>(task);
}

struct Maker {
    const char* name;
    std::unique_ptr<Operation> (*make)(const Task& task);
};

#define SYNCLINE_PERF_MAKER_(name, kind) {name, make<kind>},
#define SYNCLINE_PERF_MAKERS_INSTRUCTION_(name, bits)                        \
    SYNCLINE_PERF_MAKER_("fetch_" #name #bits, Fetching<fetch_##name##bits>) \
    SYNCLINE_PERF_MAKER_(#name #bits, Posted<posted_##name##bits>)
#define SYNCLINE_PERF_MAKERS_LOOP_(name, bits) SYNCLINE_PERF_MAKERS_INSTRUCTION_(name, bits)
#define SYNCLINE_PERF_MAKERS_EXCHANGE_(name, bits)          \
    SYNCLINE_PERF_MAKER_(#name #bits, Fetching<name##bits>) \
    SYNCLINE_PERF_MAKER_("store" #bits, Posted<posted_store##bits>)
#define SYNCLINE_PERF_MAKERS_COMPARE_(name, bits) SYNCLINE_PERF_MAKER_(#name #bits, Fetching<name##bits>)
#define SYNCLINE_PERF_MAKERS_(name, NAME, number, forms, how, sign, next) \
    SYNCLINE_PERF_MAKERS_##how##_(name, 32) SYNCLINE_PERF_MAKERS_##how##_(name, 64)
constexpr Maker makers[] = {
    SYNCLINE_OPERATIONS_(SYNCLINE_PERF_MAKERS_){"swap128", make<Fetching<Wide<SYNCLINE_SWAP>>>},
    {"cas128", make<Fetching<Wide<SYNCLINE_CAS>>>},
};

}  // namespace

std::unique_ptr<Operation> make_atomic(const std::string& name, const Task& task) {
    for (const Maker& maker : makers) {
        if (name == maker.name) {
            return maker.make(task);
        }
    }
    return nullptr;
}

}  // namespace syncline::perf
