// SPDX-License-Identifier: BSD-3-Clause
// Method: puts, gets and accumulates, of ranges and of pieces, waited for and not, between posted words and atomics, in
// runs like those of the locks (see locks_test.cpp). Links of the nodes are short, long or something in between, and
// packets that are too long for a link are lost. Each PE has bytes of its own at every PE, and knows what they are; all
// PEs add to the same numbers, which are whole, so that sums of floats and doubles are exact. In some seeds other CPUs
// are quicker than an add, again and again. In half of the seeds a PE is killed, or its node. In half of them paths
// become shorter on the way, once or twice, and perhaps as long as they were again.
//
// Checked: a get brings what was put there; each number is the sum of what was added, once each, or at most once by a
// call that failed or a PE that died; no call fails unless a PE has died, and none waits for ever; no packet but a
// probe is longer than its path, until that shrinks.
//
// Which seeds are run, and how to replay one: tests/seeds.h.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/sizes.h"
#include "base/status.h"
#include "runtime/collective/job_barrier.h"
#include "runtime/ground/error_text.h"
#include "tests/deterministic/coverage.h"
#include "tests/deterministic/draw.h"
#include "tests/seeds.h"

namespace syncline::deterministic {
namespace {

constexpr uint64_t bulk_seeds = (DETERMINISTIC_SEEDS + 2) / 3;
constexpr uint64_t bulk_time_limit_ns = 120 * ns_per_s;
constexpr uint64_t bulk_turns = 7;

// In each PE's heap: numbers of each kind, then each PE's bytes. Both are longer than a block.
constexpr uint32_t numbers = 3000;
constexpr int kinds = 4;  // SYNCLINE_INT32, _INT64, _FLOAT and _DOUBLE
constexpr syncline_address_t numbers_of[kinds + 1] = {
    heap_reserved_bytes, heap_reserved_bytes + 4 * numbers, heap_reserved_bytes + 12 * numbers,
    heap_reserved_bytes + 16 * numbers, heap_reserved_bytes + 24 * numbers};
constexpr uint32_t area_bytes = 30000;

constexpr uint32_t width_of(int kind) {
    return kind % 2 == 0 ? 4 : 8;
}
constexpr syncline_address_t area_of(uint32_t source) {
    return numbers_of[kinds] + uint64_t{source} * area_bytes;
}

void write_number(int kind, uint64_t value, uint8_t* at) {
    const auto number = static_cast<double>(value);
    const auto single = static_cast<float>(value);
    const void* const from = kind == SYNCLINE_FLOAT    ? static_cast<const void*>(&single)
                             : kind == SYNCLINE_DOUBLE ? static_cast<const void*>(&number)
                                                       : &value;
    std::memcpy(at, from, width_of(kind));
}

uint64_t read_number(int kind, const uint8_t* at) {
    uint64_t value = 0;
    double number = 0;
    float single = 0;
    void* const to = kind == SYNCLINE_FLOAT    ? static_cast<void*>(&single)
                     : kind == SYNCLINE_DOUBLE ? static_cast<void*>(&number)
                                               : &value;
    std::memcpy(to, at, width_of(kind));
    return value + static_cast<uint64_t>(number) + static_cast<uint64_t>(single);
}

enum class Doing { kNothing, kPut, kGet, kPutPieces, kGetPieces, kAdd, kAddPieces, kLater, kPost, kEnd };
constexpr const char* const doings[] = {
    "nothing",         "put",   "get",    "put of pieces", "get of pieces", "accumulate", "accumulate of pieces",
    "without waiting", "posts", "the end"};
constexpr uint64_t calls = 6;  // from kPut on
constexpr auto ends = static_cast<uint64_t>(Doing::kEnd);

const char* name_of(Doing doing) {
    return doings[static_cast<int>(doing)];
}

// A call: what it moves or adds, and what is to come of it.
struct Call {
    Doing what = Doing::kNothing;
    uint32_t rank = 0;
    syncline_address_t base = 0;
    int element = 0;
    std::vector<Piece> pieces;  // one: a range
    std::vector<uint8_t> local;
    std::vector<uint8_t> expected;  // of a get

    bool gets() const { return what == Doing::kGet || what == Doing::kGetPieces; }
    bool puts() const { return what == Doing::kPut || what == Doing::kPutPieces; }
    bool adds() const { return what == Doing::kAdd || what == Doing::kAddPieces; }
    int kind() const { return element < kinds ? element : element - 2; }  // a complex number's halves
    int start(Endpoint* endpoint, const Bulk::Later* later);
};

int Call::start(Endpoint* endpoint, const Bulk::Later* later) {
    Bulk& bulk = endpoint->bulk();
    const auto to = static_cast<int>(rank);
    const Pieces all = {to, base, pieces.data(), pieces.size(), local.data()};
    const syncline_address_t first = base + pieces[0].offset;
    switch (what) {
        case Doing::kPut:
            return later == nullptr ? bulk.put(to, first, local.data(), local.size())
                                    : bulk.put_nb(to, first, local.data(), local.size(), later->tag, later->request);
        case Doing::kGet:
            return later == nullptr ? bulk.get(to, first, local.data(), local.size())
                                    : bulk.get_nb(to, first, local.data(), local.size(), later->tag, later->request);
        case Doing::kPutPieces:
            return bulk.move_pieces(Direction::kPut, all, later);
        case Doing::kGetPieces:
            return bulk.move_pieces(Direction::kGet, all, later);
        case Doing::kAdd:
            return bulk.accumulate(to, first, element, local.data(),
                                   local.size() / width_of(kind()) / (element < kinds ? 1 : 2), later);
        default:
            return bulk.accumulate_pieces(element, all, later);
    }
}

class BulkRun {
  public:
    explicit BulkRun(uint64_t seed, bool forgetful = false);
    // An account of what went wrong, or "".
    std::string run();
    // Properties of the run, and where its victim was struck.
    Elements reached() const;
    uint64_t digest() const { return world_->scheduler().digest(); }

  private:
    struct Area {  // a PE's bytes at another
        std::vector<uint8_t> bytes = std::vector<uint8_t>(area_bytes);
        uint32_t uncertain = 0;  // puts that have begun and were not successful yet
    };
    struct Number {
        uint64_t added = 0, perhaps_added = 0;
    };

    Prng& prng() { return world_->scheduler().prng(); }
    void draw_crash();
    void draw_shrinks();
    void strike();
    void program(Endpoint* endpoint);
    void take_turn(Endpoint* endpoint, uint64_t turn);
    Doing draw_turn(uint32_t rank, uint64_t turn);
    void call(Endpoint* endpoint, Doing what);
    void call_without_waiting(Endpoint* endpoint);
    void post(Endpoint* endpoint);
    Call draw(Doing what, uint32_t source, uint32_t rank, uint32_t first, uint32_t bytes);
    void draw_bytes(Call* call, uint32_t first, uint32_t bytes);
    void draw_numbers(Call* call);
    void begin(uint32_t source, Call* call);
    void end(uint32_t source, const Call& call, int status);
    template <typename Visit>
    void visit_numbers(const Call& call, Visit&& visit);
    bool told(uint32_t rank, Doing doing, int status);
    void check_numbers(uint32_t rank);
    void check_area(uint32_t rank, uint32_t source);
    std::vector<uint8_t> peek(uint32_t rank, syncline_address_t address, uint32_t bytes) const;
    void wrong(const std::string& what);

    Prng prng_;
    WorldOptions options_;
    uint64_t pause_ns_ = 0;  // a PE computes for up to that between calls
    bool crashes_ = false;
    bool whole_node_ = false;
    uint32_t victim_ = 0;
    Doing struck_in_ = Doing::kNothing;  // so many steps after the victim has begun that, in this turn
    uint64_t struck_turn_ = 0;
    uint64_t steps_ = 0;
    std::unique_ptr<World> world_;
    std::vector<Doing> doing_;                              // of each PE
    std::vector<std::vector<Area>> areas_;                  // by rank and source
    std::vector<std::vector<std::vector<Number>>> number_;  // by rank, kind and index
    Elements struck_;
    std::string wrong_;
};

BulkRun::BulkRun(uint64_t seed, bool forgetful) : prng_(seed * 5) {
    draw_world(&prng_, &options_);
    const size_t size = std::accumulate(options_.ports.begin(), options_.ports.end(), size_t{0});
    options_.forgetful = forgetful;
    options_.heap_bytes = round_up(area_of(static_cast<uint32_t>(size)), SLW_BLOCK_BYTES);
    options_.rivals = static_cast<uint32_t>(one_of(&prng_, {0, 20, 1000}));
    pause_ns_ = one_of(&prng_, {0, 30 * ns_per_ms});
    crashes_ = prng_.below(2) == 0;
    whole_node_ = crashes_ && prng_.below(4) == 0;
    options_.endpoint.peer_timeout_ms = 5000;
    if (whole_node_) {  // silence must be told from loss
        options_.endpoint.peer_timeout_ms = 300;
        options_.faults.loss = std::min(options_.faults.loss, 0.01);
    }
    world_ = std::make_unique<World>(seed, options_);
    doing_.resize(size);
    areas_.assign(size, std::vector<Area>(size));
    number_.assign(size, std::vector<std::vector<Number>>(kinds, std::vector<Number>(numbers)));
    world_->at_rivals([this](uint32_t rank, syncline_address_t address, uint8_t* word, uint32_t) {
        const int kind = address < numbers_of[SYNCLINE_DOUBLE] ? SYNCLINE_FLOAT : SYNCLINE_DOUBLE;
        write_number(kind, read_number(kind, word) + 1, word);
        number_[rank][static_cast<size_t>(kind)][(address - numbers_of[kind]) / width_of(kind)].added++;
    });
    draw_crash();
    draw_shrinks();
}

void BulkRun::draw_shrinks() {
    const uint64_t shrinks = prng_.below(2) * (1 + prng_.below(2));
    for (uint64_t i = 0; i < shrinks; i++) {
        const uint64_t between = SLW_PACKET_LEAST + prng_.below(SLW_PACKET_MAX - SLW_PACKET_LEAST);
        world_->add_shrink({1 + prng_.below(one_of(&prng_, {30, 300, 2000})),
                            static_cast<uint32_t>(prng_.below(options_.ports.size())),
                            static_cast<uint32_t>(one_of(&prng_, {SLW_PACKET_LEAST, between, SLW_PACKET_MAX}))});
    }
}

void BulkRun::draw_crash() {
    victim_ = static_cast<uint32_t>(prng_.below(world_->size()));
    struck_in_ = static_cast<Doing>(1 + prng_.below(ends));
    struck_turn_ = struck_in_ == Doing::kEnd ? bulk_turns : prng_.below(bulk_turns);
    steps_ = 1 + prng_.below(one_of(&prng_, {4, 40, 200}));
}

void BulkRun::strike() {
    const std::string fault = whole_node_ ? "killed node" : "killed process";
    struck_ = {fault, fault + ": " + name_of(doing_[victim_])};
    if (whole_node_) {
        world_->kill_node(world_->node_of(victim_));
    } else {
        world_->kill(victim_);
    }
}

void BulkRun::wrong(const std::string& what) {
    if (wrong_.empty()) {
        wrong_ = fmt::format("at {} us: {}", world_->scheduler().now() / ns_per_us, what);
        world_->scheduler().stop();
    }
}

bool BulkRun::told(uint32_t rank, Doing doing, int status) {
    if (status != SYNCLINE_OK && !crashes_) {
        wrong(fmt::format("PE {}, {}: '{}', though no PE has died: {}", rank, name_of(doing), status_text(status),
                          last_error_text()));
    }
    return status == SYNCLINE_OK;
}

// A range, or disjoint pieces in any order; of `bytes` from `first` of the area.
void BulkRun::draw_bytes(Call* call, uint32_t first, uint32_t bytes) {
    if (call->what == Doing::kPut || call->what == Doing::kGet) {
        const uint64_t length = 1 + prng().below(std::min<uint64_t>(bytes, one_of(&prng(), {8, 1500, 9000, bytes})));
        call->pieces = {{first + prng().below(bytes - length + 1), length}};
        return;
    }
    const uint64_t longest = one_of(&prng(), {8, 100, 3000});
    const uint64_t gap = one_of(&prng(), {1, 50});
    const uint64_t most = one_of(&prng(), {1, 4, 300});
    for (uint64_t at = prng().below(100); call->pieces.size() < most;) {
        const uint64_t length = prng().below(longest + 1);
        if (at + length > bytes) {
            break;
        }
        call->pieces.push_back({first + at, length});
        at += length + prng().below(gap);
    }
    if (call->pieces.empty()) {
        call->pieces = {{first, 1}};
    }
    for (size_t i = prng().below(2) == 0 ? call->pieces.size() - 1 : 0; i > 0; i--) {
        std::swap(call->pieces[i], call->pieces[prng().below(i + 1)]);
    }
}

// A range, or pieces in any order that may overlap.
void BulkRun::draw_numbers(Call* call) {
    call->element = static_cast<int>(prng().below(6));
    const int kind = call->kind();
    const uint64_t whole = call->element < kinds ? 1 : 2;  // numbers of an element
    const bool range = call->what == Doing::kAdd;
    const uint64_t longest = range ? one_of(&prng(), {1, 30, 700, numbers / 2}) : one_of(&prng(), {1, 10, 400});
    const uint64_t count = range ? 1 : one_of(&prng(), {1, 3, 100});
    call->base = numbers_of[kind];
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t length = (1 + prng().below(longest)) * whole;
        call->pieces.push_back({prng().below(numbers - length + 1) * width_of(kind), length * width_of(kind)});
    }
}

// Within `bytes` from `first` of the source's bytes at the PE, or of numbers.
Call BulkRun::draw(Doing what, uint32_t source, uint32_t rank, uint32_t first, uint32_t bytes) {
    Call call;
    call.what = what;
    call.rank = rank;
    if (call.adds()) {
        draw_numbers(&call);
    } else {
        call.base = area_of(source);
        draw_bytes(&call, first, bytes);
    }
    uint64_t length = 0;
    for (const Piece& piece : call.pieces) {
        length += piece.bytes;
    }
    call.local.resize(length);
    if (call.adds()) {
        for (uint64_t at = 0; at < length; at += width_of(call.kind())) {
            write_number(call.kind(), 1 + prng().below(50), &call.local[at]);
        }
    } else {
        std::generate(call.local.begin(), call.local.end(), [&] { return static_cast<uint8_t>(prng().next()); });
    }
    return call;
}

// Calls visit(number, value) for all that an accumulate adds.
template <typename Visit>
void BulkRun::visit_numbers(const Call& call, Visit&& visit) {
    const int kind = call.kind();
    const uint32_t width = width_of(kind);
    const uint8_t* value = call.local.data();
    for (const Piece& piece : call.pieces) {
        for (uint64_t at = piece.offset; at < piece.offset + piece.bytes; at += width, value += width) {
            visit(&number_[call.rank][static_cast<size_t>(kind)][at / width], read_number(kind, value));
        }
    }
}

void BulkRun::begin(uint32_t source, Call* call) {
    if (call->adds()) {
        visit_numbers(*call, [](Number* number, uint64_t value) { number->perhaps_added += value; });
        return;
    }
    Area& area = areas_[call->rank][source];
    area.uncertain += call->puts() ? 1 : 0;
    const uint8_t* from = call->local.data();
    for (const Piece& piece : call->pieces) {
        uint8_t* const known = area.bytes.data() + piece.offset;
        if (call->puts()) {
            std::copy_n(from, piece.bytes, known);
            from += piece.bytes;
        } else {
            call->expected.insert(call->expected.end(), known, known + piece.bytes);
        }
    }
}

void BulkRun::end(uint32_t source, const Call& call, int status) {
    if (!told(source, call.what, status)) {
        return;
    }
    Area& area = areas_[call.rank][source];
    if (call.adds()) {
        visit_numbers(call, [](Number* number, uint64_t value) {
            number->perhaps_added -= value;
            number->added += value;
        });
    } else if (call.puts()) {
        area.uncertain--;
    } else if (call.local != call.expected && area.uncertain == 0) {
        wrong(fmt::format("PE {}: a {} of {} bytes from PE {} brings others than were put there", source,
                          name_of(call.what), call.local.size(), call.rank));
    }
}

void BulkRun::call(Endpoint* endpoint, Doing what) {
    const uint32_t me = endpoint->rank();
    Call drawn = draw(what, me, static_cast<uint32_t>(prng().below(endpoint->size())), 0, area_bytes);
    begin(me, &drawn);
    end(me, drawn, drawn.start(endpoint, nullptr));
}

// Several at once, each with bytes of its own.
void BulkRun::call_without_waiting(Endpoint* endpoint) {
    constexpr uint32_t at_once = 5;
    const uint32_t me = endpoint->rank();
    const auto rank = static_cast<uint32_t>(prng().below(endpoint->size()));
    std::vector<Call> drawn;
    std::vector<syncline_request_t> requests(at_once);
    std::vector<int> started;
    for (uint32_t i = 0; i < at_once; i++) {
        const auto what = static_cast<Doing>(1 + prng().below(calls));
        drawn.push_back(draw(what, me, rank, i * (area_bytes / at_once), area_bytes / at_once));
    }
    for (uint32_t i = 0; i < at_once; i++) {
        begin(me, &drawn[i]);
        const Bulk::Later later = {0, &requests[i]};
        started.push_back(drawn[i].start(endpoint, &later));
    }
    for (uint32_t i = 0; i < at_once; i++) {
        end(me, drawn[i], started[i] == SYNCLINE_OK ? endpoint->requests().wait(requests[i]) : started[i]);
    }
}

// Words, which fill long packets, too, and an atomic.
void BulkRun::post(Endpoint* endpoint) {
    const uint32_t me = endpoint->rank();
    const uint64_t count = one_of(&prng(), {1, 60, 700});
    const auto rank = static_cast<uint32_t>(prng().below(endpoint->size()));
    const int kind = prng().below(2) == 0 ? SYNCLINE_INT32 : SYNCLINE_INT64;
    const int add = SYNCLINE_ADD | (kind == SYNCLINE_INT32 ? SYNCLINE_32 : SYNCLINE_64);
    std::vector<Number*> posted;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t index = prng().below(numbers);
        Number* const number = &number_[rank][static_cast<size_t>(kind)][index];
        number->perhaps_added++;
        const int status =
            endpoint->posting().post_word(add, static_cast<int>(rank), numbers_of[kind] + index * width_of(kind), 1);
        if (told(me, Doing::kPost, status)) {
            posted.push_back(number);
        }
    }
    const bool done = told(me, Doing::kPost, endpoint->posting().quiet());
    for (Number* const number : done ? posted : std::vector<Number*>{}) {
        number->perhaps_added--;
        number->added++;
    }
    uint64_t old = 0;
    AtomicCall fetch = {
        .operation = add | SYNCLINE_FETCH, .rank = static_cast<int>(rank), .target = numbers_of[kind], .result = &old};
    fetch.operand[0] = 0;
    (void)told(me, Doing::kPost, endpoint->atomics().execute(fetch));
}

// Any, but the victim's last one is the one that it is struck in.
Doing BulkRun::draw_turn(uint32_t rank, uint64_t turn) {
    if (crashes_ && rank == victim_ && turn == struck_turn_) {
        return struck_in_;
    }
    if (turn == bulk_turns) {
        return Doing::kEnd;
    }
    return static_cast<Doing>(1 + prng().below(ends - 1));
}

void BulkRun::take_turn(Endpoint* endpoint, uint64_t turn) {
    const uint32_t me = endpoint->rank();
    const Doing what = draw_turn(me, turn);
    doing_[me] = what;
    if (crashes_ && me == victim_ && turn == struck_turn_) {
        world_->scheduler().at_step(me, world_->scheduler().steps(me) + steps_, [this] { strike(); });
    }
    if (what == Doing::kPost) {
        post(endpoint);
    } else if (what == Doing::kLater) {
        call_without_waiting(endpoint);
    } else if (what != Doing::kEnd) {
        call(endpoint, what);
    }
}

void BulkRun::program(Endpoint* endpoint) {
    for (uint64_t turn = 0; turn <= bulk_turns; turn++) {
        if (pause_ns_ != 0) {
            world_->scheduler().compute(prng().below(pause_ns_));
        }
        take_turn(endpoint, turn);
    }
    // As syncline_finalize() does: in the second barrier others may have ended.
    JobBarrier barrier(endpoint);
    if (told(endpoint->rank(), Doing::kEnd, barrier.run())) {
        (void)barrier.run();
    }
    (void)endpoint->posting().quiet();
}

std::vector<uint8_t> BulkRun::peek(uint32_t rank, syncline_address_t address, uint32_t bytes) const {
    std::vector<uint8_t> found(bytes);
    for (uint32_t at = 0; at < bytes; at += 8) {
        const uint64_t word = world_->peek(rank, address + at);
        std::memcpy(&found[at], &word, sizeof(word));
    }
    return found;
}

void BulkRun::check_numbers(uint32_t rank) {
    for (int kind = 0; kind < kinds; kind++) {
        const std::vector<uint8_t> found = peek(rank, numbers_of[kind], numbers * width_of(kind));
        for (uint32_t i = 0; i < numbers; i++) {
            const Number& number = number_[rank][static_cast<size_t>(kind)][i];
            const uint64_t sum = read_number(kind, &found[uint64_t{i} * width_of(kind)]);
            if (sum < number.added || sum > number.added + number.perhaps_added) {
                wrong(fmt::format(
                    "number {} of kind {} at PE {} is {}; added were {}, and {} by calls that may have failed", i, kind,
                    rank, sum, number.added, number.perhaps_added));
            }
        }
    }
}

void BulkRun::check_area(uint32_t rank, uint32_t source) {
    const Area& area = areas_[rank][source];
    if (area.uncertain == 0 && peek(rank, area_of(source), area_bytes) != area.bytes) {
        wrong(fmt::format("at PE {} are bytes that PE {} has not put there", rank, source));
    }
}

std::string BulkRun::run() {
    if (!world_->run([this](Endpoint* endpoint) { program(endpoint); }, bulk_time_limit_ns)) {
        wrong("some PE waits for ever");
    }
    for (uint32_t rank = 0; rank < world_->size(); rank++) {
        check_numbers(rank);
        for (uint32_t source = 0; source < world_->size(); source++) {
            check_area(rank, source);
        }
    }
    if (world_->strays() != 0) {
        wrong(fmt::format("{} packets that were no probes were longer than their paths", world_->strays()));
    }
    // The reply to a CLOSE is short, whatever was to follow the request that it closes.
    const uint64_t short_replies = world_->closed() + world_->closed_late();
    if (world_->followers_lost() > short_replies && options_.faults.loss == 0 && options_.faults.late == 0) {
        wrong(fmt::format("{} packets were to follow in frames that are shorter; replies to a CLOSE explain {}",
                          world_->followers_lost(), short_replies));
    }
    return wrong_.empty()
               ? ""
               : fmt::format("{}\n({} nodes, {} PEs, packets of {} bytes, window {}, {}, {}, {}, loss {}, {})", wrong_,
                             options_.ports.size(), world_->size(), fmt::join(options_.packet_max, ", "),
                             options_.window, options_.deposits ? "NICs deposit" : "sockets",
                             options_.endpoint.direct ? "direct" : "packets only",
                             options_.endpoint.wait_mode == SYNCLINE_WAIT_POLL ? "poll" : "block", options_.faults.loss,
                             struck_.empty() ? "no crash" : struck_.back());
}

Elements BulkRun::reached() const {
    Elements all = struck_;
    const auto [least, most] = std::minmax_element(options_.packet_max.begin(), options_.packet_max.end());
    const size_t longest = world_->longest_packet();
    const char* const executor = options_.deposits ? "NICs" : "agents";
    all.push_back(*least != *most ? "links: differ" : "links: alike");
    if (longest != 0) {
        all.push_back(fmt::format("{}: longest packet: {}", executor,
                                  longest <= SLW_PACKET_LEAST ? "short"
                                  : longest < SLW_PACKET_MAX  ? "in between"
                                                              : "long"));
    }
    if (world_->long_probes() != 0) {
        all.push_back(fmt::format("{}: probe too long for the other end", executor));
    }
    if (world_->lost_to_shrink() != 0) {
        all.push_back(fmt::format("{}: path shrinks", executor));
    }
    if (world_->closed() != 0) {
        all.push_back(fmt::format("{}: closed: never executed", executor));
    }
    if (world_->closed_late() != 0) {
        all.push_back("closed: was executed");
    }
    if (world_->followers() != 0) {
        all.push_back("a packet follows another's reply");
    }
    if (world_->retries() != 0) {
        all.push_back(fmt::format("{}: add stopped on its way", executor));
    }
    return all;
}

TEST(BulkOperations, KeepTheirPromisesOnEverySeed) {
    Coverage reached;
    for_each_seed(bulk_seeds, bulk_seeds / 10, [&](uint64_t seed) {
        BulkRun run(seed);
        const std::string wrong = run.run();
        if (seed <= bulk_seeds || are_seeds_named()) {
            reached.note(run.reached());
        }
        return wrong;
    });
    Elements expected =
        product({"NICs", "agents"}, {"longest packet: short", "longest packet: in between", "longest packet: long",
                                     "probe too long for the other end", "add stopped on its way", "path shrinks",
                                     "closed: never executed"});
    for (int doing = static_cast<int>(Doing::kPut); doing <= static_cast<int>(Doing::kEnd); doing++) {
        expected.push_back(std::string("killed process: ") + doings[doing]);
    }
    const Elements more = {"links: alike", "links: differ", "killed node", "closed: was executed",
                           "a packet follows another's reply"};
    expected.insert(expected.end(), more.begin(), more.end());
    reached.report(expected);
}

TEST(BulkOperations, ASeedIsARun) {
    for (uint64_t seed = 1; seed <= 4; seed++) {
        uint64_t digests[2];
        for (uint64_t& digest : digests) {
            BulkRun run(seed);
            (void)run.run();
            digest = run.digest();
        }
        ASSERT_EQ(digests[0], digests[1]) << "seed " << seed;
    }
}

// Broken on purpose: without the table of results a repeated request is executed again.
TEST(BulkOperations, FindsNicsThatForget) {
    uint64_t found = 0;
    for (uint64_t seed = 1; seed <= 100 && found == 0; seed++) {
        BulkRun run(seed, true);
        found += run.run().empty() ? 0 : 1;
    }
    EXPECT_GT(found, 0u);
}

}  // namespace
}  // namespace syncline::deterministic
