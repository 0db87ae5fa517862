// SPDX-License-Identifier: BSD-3-Clause
// A program without data races, drawn from a seed, that several actors run on shared memory: threads of some processes.
//
// A variable is some elements, side by side or apart, whose bytes lie between those of others. Version 0 is zeros; each
// later version changes some of the elements, to values that are drawn from the seed. So an actor that knows a
// variable's version knows its bytes (actor.h). It knows the version
//   of a phase's variable, from the program: in each phase, between two barriers, it has one writer, or readers only;
//   of a guarded variable, from a word beside it, which its lock guards as well;
//   of a token's variable, from the token: who has the token may use the variable, and tokens lie in boxes, which locks
//       guard, or are in the pocket of an actor. So bytes travel far from their writers, along chains of
//       locks that have nothing else to do with them;
//   of a rumour's variable, which one actor writes once in a phase, from any lock under which another actor has told it
//       in this phase. An actor that has heard it tells it under other locks, and need not write anything else there;
//   of a stream's slots, from the program: a flag says how many have been written in this phase;
//   of a pool's payloads, as of tokens; takers wait for a condition.
//
// No actor waits for ever: the order in which a phase is drawn is one in which it can happen, takers of a pool take as
// much as others put there, and do that last.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/prng.h"

namespace syncline::dsm_test {

struct Variable {
    uint64_t at;
    uint32_t elements;
    uint32_t element_bytes;
    uint32_t stride;  // from one element to the next
    uint32_t bytes() const { return elements * element_bytes; }
    bool is_dense() const { return stride == element_bytes; }
};

enum class Step : uint8_t {
    kRead,       // `what`: a variable, whose version is `value`
    kWrite,      // to version `value`
    kLock,       // `what`: a lock
    kTryLock,    // skips `value` operations if it is taken
    kUnlock,     //
    kFind,       // `what`: a guarded variable
    kChange,     //
    kUseToken,   // one of the pocket: reads its variable, perhaps writes it
    kGive,       // one of the pocket into the box of lock `what`
    kGiveAll,    //
    kTake,       // from there, if there is one
    kBegin,      // `what`: a rumour: writes its variable to version `value`
    kHear,       // `what`: a lock; `value`: the phase. Hears and tells all rumours
    kSetFlag,    // `what`: a stream
    kWaitFlag,   //
    kPut,        // `what`: a pool; `value`: a token
    kPutAndAll,  // the same, and all that wait wake
    kGet,        // waits for it
    kPrefetch,   // `what`: a page; `value`: pages * 2 + write
    kCompute,    //
    kBarrier,    //
    kTally,      // tells the others how often this actor has changed each guarded variable
    kCheckAll,   // nothing changes any more
};

struct Operation {
    Step step;
    uint32_t what = 0;
    uint64_t value = 0;
};

// A token names a variable and its version.
constexpr uint64_t token_of(uint32_t variable, uint64_t version) {
    return uint64_t{variable} << 40 | version;
}
constexpr uint32_t variable_of(uint64_t token) {
    return static_cast<uint32_t>(token >> 40);
}
constexpr uint64_t version_of(uint64_t token) {
    return token & ((uint64_t{1} << 40) - 1);
}

class Program {
  public:
    struct Size {
        uint32_t actors;
        uint64_t bytes;
        uint32_t locks;  // as many flags and conditions
        uint32_t phases;
        uint32_t moves;  // of all actors, in a phase
    };
    struct Guarded {
        uint32_t variable;
        uint32_t lock;
        uint64_t version_at;
    };
    struct Pool {
        uint32_t lock;
        uint32_t condition;
        uint64_t at;  // a count and tokens
        std::vector<uint32_t> payloads;
    };
    struct Stream {
        uint32_t flag;
        std::vector<uint32_t> slots;
        uint64_t value;  // at the end
    };

    Program(uint64_t seed, const Size& size);

    uint64_t seed() const { return seed_; }
    const Size& size() const { return size_; }
    const std::vector<Operation>& of(uint32_t actor) const { return operations_[actor]; }
    const std::vector<Variable>& variables() const { return variables_; }
    const std::vector<Guarded>& guarded() const { return guarded_; }
    const std::vector<Pool>& pools() const { return pools_; }
    const std::vector<Stream>& streams() const { return streams_; }
    // Variables that tokens speak for. The pockets are full at first.
    const std::vector<uint32_t>& tokens() const { return tokens_; }
    uint64_t box(uint32_t lock) const { return boxes_[lock]; }
    uint64_t tally(uint32_t actor) const { return tallies_[actor]; }
    const std::vector<uint32_t>& rumours() const { return rumours_; }  // their variables
    uint64_t told(uint32_t lock, uint32_t rumour) const { return told_[lock] + uint64_t{rumour} * 8; }
    // That its variable has in a phase; 0: no actor writes it.
    uint64_t rumour_version(uint64_t phase, uint32_t rumour) const { return rumour_versions_[phase][rumour]; }
    // At the end, of variables whose version the program says.
    const std::vector<uint32_t>& phased() const { return phased_; }
    uint64_t version(uint32_t variable) const { return versions_[variable]; }
    uint64_t version_max() const { return version_max_; }  // no variable has more

  private:
    struct Phase;

    bool place(uint32_t elements, uint32_t element_bytes, uint32_t stride, Variable* variable);
    uint32_t draw_variable();
    uint64_t draw_words(uint32_t count);
    void place_small(const std::function<uint32_t()>& elements, uint32_t width, Variable* variable);
    void make_room();
    void draw_memory();
    void draw_rumours(const std::vector<uint64_t>& pages);
    std::vector<uint64_t> reserve_pages();
    void draw_phase();
    void draw_move(Phase* phase);
    void move_variable(const Phase& phase, uint32_t actor);
    void move_section(const Phase& phase, uint32_t actor, uint32_t first_lock, bool is_sure);
    void move_inside(const Phase& phase, uint32_t actor, uint32_t lock, bool is_sure);
    void move_rumour(uint32_t actor);
    void move_hearing(uint32_t actor, uint32_t lock);
    void move_stream(Phase* phase, uint32_t actor);
    void move_pool(Phase* phase);
    void move_prefetch(uint32_t actor);
    void take_all(const Phase& phase);
    void end();
    void add(uint32_t actor, Operation operation) { operations_[actor].push_back(operation); }
    void add_for_all(Operation operation);
    // One of the numbers from 0 on, as often as the weights say.
    uint32_t weighted(const std::vector<uint32_t>& weights);
    uint32_t below(uint64_t bound) { return static_cast<uint32_t>(prng_.below(bound)); }

    const uint64_t seed_;
    const Size size_;
    Prng prng_;
    bool passes_tokens_ = false;    // most of the time, so that chains of them are long
    bool spreads_rumours_ = false;  // most of the time; else there are none
    bool has_few_locks_ = false;    // so that barriers alone say what was written
    std::vector<uint8_t> taken_;    // for each byte: 1 if it is
    uint64_t used_ = 0;
    std::vector<Variable> variables_;
    std::vector<uint64_t> versions_;
    std::vector<uint32_t> phased_, ranged_, tokens_;  // ranged_: phased ones that are neither slots nor payloads
    std::vector<Guarded> guarded_;
    std::vector<Pool> pools_;
    std::vector<Stream> streams_;
    std::vector<uint32_t> rumours_;
    std::vector<uint64_t> boxes_, tallies_, told_;
    std::vector<std::vector<uint64_t>> rumour_versions_;  // by phase
    std::vector<std::vector<Operation>> operations_;
    uint64_t version_max_ = 0;
};

}  // namespace syncline::dsm_test
