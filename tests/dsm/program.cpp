// SPDX-License-Identifier: BSD-3-Clause
#include "program.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace syncline::dsm_test {
namespace {

constexpr uint32_t page_bytes = 4096;
constexpr uint32_t places_tried = 30;
constexpr uint32_t small_bytes = 256;

}  // namespace

// The actors' parts between two barriers.
struct Program::Phase {
    struct Stream {
        uint32_t writer;
        uint32_t set = 0;
    };
    struct Pool {
        std::vector<uint32_t> putters, takers;
        uint32_t put = 0;
    };
    std::vector<uint32_t> writers;  // of ranged_; an actor that there is not: readers only
    std::vector<Stream> streams;
    std::vector<Pool> pools;
};

Program::Program(uint64_t seed, const Size& size)
    : seed_(seed), size_(size), prng_(seed * 0x9E3779B97F4A7C15u + 1), taken_(size.bytes), operations_(size.actors) {
    const uint32_t kind = below(6);
    passes_tokens_ = kind < 2;
    spreads_rumours_ = kind == 2;
    has_few_locks_ = kind == 3;
    draw_memory();
    for (uint32_t phase = 0; phase < size.phases; phase++) {
        draw_phase();
    }
    end();
}

// Finds room for a variable among the others.
bool Program::place(uint32_t elements, uint32_t element_bytes, uint32_t stride, Variable* variable) {
    const uint64_t length = uint64_t{elements - 1} * stride + element_bytes;
    const uint64_t bytes = uint64_t{elements} * element_bytes;
    const bool has_room = length <= size_.bytes && (bytes <= small_bytes || used_ + bytes <= size_.bytes / 2);
    for (uint32_t tries = 0; tries < places_tried && has_room; tries++) {
        const uint64_t at = prng_.below((size_.bytes - length) / element_bytes + 1) * element_bytes;
        uint8_t* const taken = taken_.data() + at;
        bool is_free = true;
        for (uint64_t i = 0; i < elements && is_free; i++) {
            is_free = std::memchr(taken + i * stride, 1, element_bytes) == nullptr;
        }
        if (is_free) {
            for (uint64_t i = 0; i < elements; i++) {
                std::memset(taken + i * stride, 1, element_bytes);
            }
            used_ += bytes;
            *variable = {at, elements, element_bytes, stride};
            return true;
        }
    }
    return false;
}

// Words, bytes, ranges that may cross pages, every some bytes, one byte of many pages.
uint32_t Program::draw_variable() {
    const uint32_t widths[] = {1, 1, 2, 4, 8};
    const uint32_t width = widths[below(5)];
    Variable drawn = {};
    bool placed = false;
    switch (below(6)) {
        case 0:
            placed = place(1 + below(200), width, width, &drawn);
            break;
        case 1:
            placed = place((page_bytes + below(page_bytes)) / width, width, width, &drawn);
            break;
        case 2:
            placed = place(2 + below(300), width, width * (2 + below(4)), &drawn);
            break;
        case 3:
            placed = place(2 + below(size_.bytes / page_bytes - 2), width, page_bytes, &drawn);
            break;
        default:
            break;
    }
    if (!placed) {
        place_small([this] { return 1 + below(8); }, width, &drawn);
    }
    variables_.push_back(drawn);
    versions_.push_back(0);
    return static_cast<uint32_t>(variables_.size() - 1);
}

uint64_t Program::draw_words(uint32_t count) {
    Variable words = {};
    place_small([count] { return count; }, 8, &words);
    return words.at;
}

// Ends in any case: variables that lie scattered may leave no eight bytes together, and room is made then.
void Program::place_small(const std::function<uint32_t()>& elements, uint32_t width, Variable* variable) {
    constexpr uint32_t tries_most = 1000;
    for (uint32_t tries = 1; !place(elements(), width, width, variable); tries++) {
        if (tries % tries_most == 0) {
            make_room();
        }
    }
}

// The longest variable becomes half as long, of those that are no rumours.
void Program::make_room() {
    Variable* longest = nullptr;
    for (uint32_t i = 0; i < variables_.size(); i++) {
        const bool is_rumour = std::find(rumours_.begin(), rumours_.end(), i) != rumours_.end();
        if (!is_rumour && (longest == nullptr || variables_[i].elements > longest->elements)) {
            longest = &variables_[i];
        }
    }
    if (longest == nullptr || longest->elements < 2) {
        return;
    }
    const uint32_t kept = longest->elements / 2;
    for (uint64_t i = kept; i < longest->elements; i++) {
        std::fill_n(taken_.begin() + static_cast<int64_t>(longest->at + i * longest->stride), longest->element_bytes,
                    uint8_t{0});
    }
    used_ -= uint64_t{longest->elements - kept} * longest->element_bytes;
    longest->elements = kept;
}

// A page that nothing else is on: no other notice makes a process give its old copy up.
std::vector<uint64_t> Program::reserve_pages() {
    const uint64_t pages = size_.bytes / page_bytes;
    std::vector<uint64_t> reserved;
    for (uint64_t i = spreads_rumours_ && pages >= 6 ? 1 + prng_.below(2) : 0; i > 0; i--) {
        const uint64_t page = prng_.below(pages);
        if (taken_[page * page_bytes] == 0) {
            std::fill_n(taken_.begin() + static_cast<int64_t>(page * page_bytes), page_bytes, uint8_t{1});
            reserved.push_back(page);
        }
    }
    return reserved;
}

void Program::draw_rumours(const std::vector<uint64_t>& pages) {
    for (const uint64_t page : pages) {
        variables_.push_back({page * page_bytes + prng_.below(page_bytes / 2), 1 + below(200), 1, 1 + below(2)});
        versions_.push_back(0);
        rumours_.push_back(static_cast<uint32_t>(variables_.size() - 1));
    }
    if (!spreads_rumours_) {
        return;
    }
    rumours_.push_back(draw_variable());
    for (uint32_t lock = 0; lock < size_.locks; lock++) {
        told_.push_back(draw_words(static_cast<uint32_t>(rumours_.size())));
    }
}

void Program::draw_memory() {
    const std::vector<uint64_t> reserved = reserve_pages();
    // A signal is for one waiter, so those of different pools wait for different conditions.
    for (uint32_t i = 1 + below(std::min(size_.locks, 3u)); i > 0; i--) {
        pools_.push_back({below(size_.locks), i - 1, 0, {}});
        for (uint32_t payload = 1 + below(4); payload > 0; payload--) {
            pools_.back().payloads.push_back(draw_variable());
        }
        pools_.back().at = draw_words(1 + static_cast<uint32_t>(pools_.back().payloads.size()));
    }
    for (uint32_t flag = below(std::min(size_.locks, 3u) + 1); flag > 0; flag--) {
        streams_.push_back({flag - 1, {}, 0});
        for (uint32_t slot = 1 + below(3); slot > 0; slot--) {
            streams_.back().slots.push_back(draw_variable());
        }
    }
    for (uint32_t i = 2 + below(10); i > 0; i--) {
        ranged_.push_back(draw_variable());
    }
    for (uint32_t i = 1 + below(8); i > 0; i--) {
        tokens_.push_back(draw_variable());
    }
    for (uint32_t lock = 0; lock < size_.locks; lock++) {
        for (uint32_t i = below(4); i > 0; i--) {
            guarded_.push_back({draw_variable(), lock, draw_words(1)});
        }
        boxes_.push_back(draw_words(1 + static_cast<uint32_t>(tokens_.size())));
    }
    draw_rumours(reserved);
    for (uint32_t actor = 0; actor < size_.actors; actor++) {
        tallies_.push_back(draw_words(1 + static_cast<uint32_t>(guarded_.size())));
    }
    phased_ = ranged_;
    phased_.insert(phased_.end(), rumours_.begin(), rumours_.end());
    for (const Stream& stream : streams_) {
        phased_.insert(phased_.end(), stream.slots.begin(), stream.slots.end());
    }
    for (const Pool& pool : pools_) {
        phased_.insert(phased_.end(), pool.payloads.begin(), pool.payloads.end());
    }
}

void Program::add_for_all(Operation operation) {
    for (uint32_t actor = 0; actor < size_.actors; actor++) {
        add(actor, operation);
    }
}

void Program::draw_phase() {
    Phase phase;
    rumour_versions_.emplace_back(rumours_.size());
    for (size_t i = 0; i < ranged_.size(); i++) {
        phase.writers.push_back(below(size_.actors + 2));
    }
    for (size_t i = 0; i < streams_.size(); i++) {
        phase.streams.push_back({below(size_.actors)});
    }
    for (size_t i = 0; i < pools_.size(); i++) {
        phase.pools.emplace_back();
        for (uint32_t actor = 0; actor < size_.actors; actor++) {
            const uint32_t role = below(3);
            if (role < 2) {
                (role == 0 ? phase.pools[i].putters : phase.pools[i].takers).push_back(actor);
            }
        }
    }
    for (uint32_t i = 0; i < size_.moves; i++) {
        draw_move(&phase);
    }
    take_all(phase);
    add_for_all({Step::kBarrier});
}

uint32_t Program::weighted(const std::vector<uint32_t>& weights) {
    uint32_t drawn = below(std::accumulate(weights.begin(), weights.end(), 0u));
    uint32_t number = 0;
    while (drawn >= weights[number]) {
        drawn -= weights[number++];
    }
    return number;
}

void Program::draw_move(Phase* phase) {
    const uint32_t actor = below(size_.actors);
    const std::vector<uint32_t> weights = passes_tokens_     ? std::vector<uint32_t>{1, 3, 1, 0, 1, 1, 8}
                                          : spreads_rumours_ ? std::vector<uint32_t>{2, 1, 0, 0, 1, 1, 1, 12}
                                          : has_few_locks_   ? std::vector<uint32_t>{12, 1, 0, 0, 2, 1}
                                                             : std::vector<uint32_t>{3, 1, 1, 1, 1, 1, 4};
    switch (weighted(weights)) {
        case 0:
            move_variable(*phase, actor);
            break;
        case 1:
            add(actor, {Step::kUseToken});
            break;
        case 2:
            move_stream(phase, actor);
            break;
        case 3:
            move_pool(phase);
            break;
        case 4:
            move_prefetch(actor);
            break;
        case 5:
            add(actor, {Step::kCompute});
            break;
        case 7:
            move_rumour(actor);
            break;
        default:
            move_section(*phase, actor, 0, true);
    }
}

void Program::move_variable(const Phase& phase, uint32_t actor) {
    const uint32_t place = below(ranged_.size());
    const uint32_t variable = ranged_[place];
    if (phase.writers[place] == actor && below(3) != 0) {
        add(actor, {Step::kWrite, variable, ++versions_[variable]});
    } else if (phase.writers[place] == actor || phase.writers[place] >= size_.actors) {
        add(actor, {Step::kRead, variable, versions_[variable]});
    }
}

// A critical section, which may have others in it. An actor that has a lock waits for greater ones only. In a section
// that may be skipped, because its lock is taken, nothing stands that others count on.
void Program::move_section(const Phase& phase, uint32_t actor, uint32_t first_lock, bool is_sure) {
    if (first_lock >= size_.locks) {
        return;
    }
    const uint32_t lock = first_lock + below(size_.locks - first_lock);
    const bool tries = below(5) == 0;
    const size_t start = operations_[actor].size();
    add(actor, {tries ? Step::kTryLock : Step::kLock, lock});
    for (uint32_t i = below(5); i > 0; i--) {
        if (below(8) == 0) {
            move_section(phase, actor, lock + 1, is_sure && !tries);
        } else {
            move_inside(phase, actor, lock, is_sure && !tries);
        }
    }
    add(actor, {Step::kUnlock, lock});
    operations_[actor][start].value = operations_[actor].size() - start - 1;
}

void Program::move_inside(const Phase& phase, uint32_t actor, uint32_t lock, bool is_sure) {
    std::vector<uint32_t> own;
    for (uint32_t i = 0; i < guarded_.size(); i++) {
        if (guarded_[i].lock == lock) {
            own.push_back(i);
        }
    }
    switch (passes_tokens_ ? weighted({4, 4, 1, 1, 2}) : weighted({1, 1, 1, 1, 3})) {
        case 0:
            add(actor, {Step::kGive, lock});
            break;
        case 1:
            add(actor, {Step::kTake, lock});
            break;
        case 2:
            add(actor, {Step::kUseToken});
            break;
        case 3:
            if (is_sure) {
                move_variable(phase, actor);
            }
            break;
        default:
            if (!own.empty()) {
                add(actor, {below(3) == 0 ? Step::kFind : Step::kChange, own[below(own.size())]});
            }
    }
}

// The first move of a rumour in a phase is its beginning. Other actors may have a copy of its page before; they hear it
// along a chain of locks.
void Program::move_rumour(uint32_t actor) {
    const uint32_t number = below(rumours_.size());
    const uint32_t variable = rumours_[number];
    uint64_t& version = rumour_versions_.back()[number];
    if (version == 0) {
        version = ++versions_[variable];
        for (uint32_t other = 0; other < size_.actors; other++) {
            add(other, {Step::kPrefetch, static_cast<uint32_t>(variables_[variable].at / page_bytes), 2});
        }
        add(actor, {Step::kCompute});
        add(actor, {Step::kBegin, number, version});
    }
    const uint32_t first = below(size_.locks);
    const uint32_t second = below(size_.locks);
    move_hearing(actor, first);
    const uint32_t between = below(size_.actors);
    add(between, {Step::kCompute});
    move_hearing(between, first);
    move_hearing(between, second);
    const uint32_t last = below(size_.actors);
    add(last, {Step::kCompute});
    move_hearing(last, second);
}

void Program::move_hearing(uint32_t actor, uint32_t lock) {
    add(actor, {Step::kLock, lock});
    add(actor, {Step::kHear, lock, rumour_versions_.size() - 1});
    add(actor, {Step::kUnlock, lock});
}

// The writer fills the next slot and says so, or another actor waits for what has been said.
void Program::move_stream(Phase* phase, uint32_t actor) {
    if (streams_.empty()) {
        return;
    }
    const uint32_t number = below(streams_.size());
    Stream& stream = streams_[number];
    Phase::Stream& now = phase->streams[number];
    if (below(2) == 0 && now.set < stream.slots.size()) {
        const uint32_t slot = stream.slots[now.set++];
        add(now.writer, {Step::kWrite, slot, ++versions_[slot]});
        add(now.writer, {Step::kSetFlag, number, ++stream.value});
    } else if (now.set > 0) {
        const uint32_t wanted = 1 + below(now.set);
        add(actor, {Step::kWaitFlag, number, stream.value - now.set + wanted});
        const uint32_t slot = stream.slots[below(wanted)];
        add(actor, {Step::kRead, slot, versions_[slot]});
    }
}

void Program::move_pool(Phase* phase) {
    const uint32_t number = below(pools_.size());
    Phase::Pool& now = phase->pools[number];
    const Pool& pool = pools_[number];
    if (now.putters.empty() || now.takers.empty() || now.put == pool.payloads.size()) {
        return;
    }
    const uint32_t putter = now.putters[below(now.putters.size())];
    const uint32_t payload = pool.payloads[now.put++];
    versions_[payload] += 2;  // the second one is the taker's
    add(putter, {Step::kWrite, payload, versions_[payload] - 1});
    add(putter, {below(3) == 0 ? Step::kPutAndAll : Step::kPut, number, token_of(payload, versions_[payload] - 1)});
}

void Program::move_prefetch(uint32_t actor) {
    const uint64_t pages = size_.bytes / page_bytes;
    const uint32_t first = below(pages);
    add(actor, {Step::kPrefetch, first, (1 + prng_.below(pages - first)) * 2 + below(2)});
}

void Program::take_all(const Phase& phase) {
    for (uint32_t number = 0; number < pools_.size(); number++) {
        const Phase::Pool& now = phase.pools[number];
        for (uint32_t i = 0; i < now.put; i++) {
            add(now.takers[below(now.takers.size())], {Step::kGet, number});
        }
    }
}

// The tokens lie in boxes.
void Program::end() {
    for (uint32_t actor = 0; actor < size_.actors; actor++) {
        const uint32_t lock = below(size_.locks);
        add(actor, {Step::kLock, lock});
        add(actor, {Step::kGiveAll, lock});
        add(actor, {Step::kUnlock, lock});
    }
    for (const Operation operation :
         {Operation{Step::kTally}, Operation{Step::kBarrier}, Operation{Step::kCheckAll}, Operation{Step::kBarrier}}) {
        add_for_all(operation);
    }
    for (const std::vector<Operation>& operations : operations_) {
        version_max_ += operations.size();
    }
}

}  // namespace syncline::dsm_test
