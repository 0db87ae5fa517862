// SPDX-License-Identifier: BSD-3-Clause
#include "tests/deterministic/card.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>

#include "base/apply.h"
#include "tests/deterministic/world.h"

namespace syncline::deterministic {
namespace {

constexpr size_t under_way_max = 24;  // operations of a PE that may be under way
constexpr uint64_t turn_ns = 700;
constexpr uint64_t again_ns = 5 * ns_per_ms;

}  // namespace

struct SimulatedCard::Work {
    Completion* completion;
    int rank;
    syncline_address_t remote = 0;
    // A put's bytes, or where they still are; a get's target.
    std::vector<uint8_t> bytes;
    const uint8_t* source = nullptr;
    uint8_t* target = nullptr;
    size_t length = 0;
    std::optional<AtomicCall> atomic;
    uint64_t old = 0;
    uint64_t give_up_at = 0;
    bool forgotten = false;
    int status = SYNCLINE_OK;
};

struct SimulatedCard::Connection {
    bool ended = false;
    bool silent = false;
    std::deque<Shared> to_execute;
};

SimulatedCard::SimulatedCard(World* world, uint32_t rank, const Options& options, uint64_t peer_timeout_ns)
    : world_(world), rank_(rank), options_(options), peer_timeout_ns_(peer_timeout_ns) {}

SimulatedCard::~SimulatedCard() {
    *lives_ = false;
}

const Capabilities& SimulatedCard::capabilities() const {
    static constexpr Capabilities sharing = {.name = "card",
                                             .maps_memory = false,
                                             .nic_executed = true,
                                             .joins_barriers = false,
                                             .atomics = AtomicSet().with(8, {SYNCLINE_ADD, SYNCLINE_CAS}),
                                             .adds_floating = false,
                                             .atomics_exclude_cpu = true,
                                             .wakes_sleepers = false,
                                             .counts_requests = false,
                                             .local_completion = true,
                                             .recalls = false};
    static constexpr Capabilities owning = [] {
        Capabilities own = sharing;
        own.atomics = AtomicSet().with(8, {SYNCLINE_ADD, SYNCLINE_AND, SYNCLINE_OR, SYNCLINE_XOR, SYNCLINE_SWAP,
                                           SYNCLINE_CAS, SYNCLINE_SMIN, SYNCLINE_SMAX, SYNCLINE_UMIN, SYNCLINE_UMAX});
        own.atomics_exclude_cpu = false;
        return own;
    }();
    return options_.kind == CardKind::kOwning ? owning : sharing;
}

int SimulatedCard::start(int rank, Completion* completion, const std::function<void(Work*)>& fill) {
    world_->scheduler().step();
    Connection& connection = to(rank);
    if (connection.ended) {
        return SYNCLINE_ERR_PEER;
    }
    if (outstanding_.size() == under_way_max) {
        progress();
    }
    if (outstanding_.size() == under_way_max) {
        return SYNCLINE_ERR_BUSY;
    }
    const auto work = std::make_shared<Work>();
    work->completion = completion;
    work->rank = rank;
    fill(work.get());
    work->give_up_at = world_->scheduler().now() + peer_timeout_ns_;
    completion->raise();
    outstanding_.push_back(work);
    connection.to_execute.push_back(work);
    execute_at(world_->scheduler().now() + 1 + world_->scheduler().prng().below(5 * ns_per_us), work);
    world_->scheduler().step();
    return SYNCLINE_OK;
}

SimulatedCard::Connection& SimulatedCard::to(int rank) {
    return connections_[rank];
}

// The actions of a card end with its process.
void SimulatedCard::execute_at(uint64_t when, const Shared& work) {
    world_->scheduler().at(when, [this, lives = lives_, work] {
        if (*lives && !world_->dead(rank_)) {
            execute(work);
        }
    });
}

void SimulatedCard::execute(const Shared& work) {
    const std::deque<Shared>& queue = to(work->rank).to_execute;
    const uint64_t now = world_->scheduler().now();
    if (std::find(queue.begin(), queue.end(), work) == queue.end()) {
        return;  // its connection has ended
    }
    if (queue.front() != work) {
        execute_at(now + turn_ns, work);
    } else if (world_->card_reaches(rank_, static_cast<uint32_t>(work->rank))) {
        execute_now(work);
    } else if (now < work->give_up_at) {
        execute_at(now + again_ns, work);
    } else {
        to(work->rank).silent = true;
        end(work, SYNCLINE_ERR_PEER);
    }
}

void SimulatedCard::execute_now(const Shared& work) {
    int status = SYNCLINE_OK;
    const auto target = static_cast<uint32_t>(work->rank);
    uint8_t* const memory = world_->card_memory(target, work->remote, work->atomic ? 8 : work->length, &status);
    if (memory == nullptr) {
        end(work, status);
    } else if (work->atomic) {
        read_word(work, memory);
    } else if (work->target != nullptr) {
        work->bytes.assign(memory, memory + work->length);
        end(work, SYNCLINE_OK);
    } else {
        std::memcpy(memory, work->source != nullptr ? work->source : work->bytes.data(), work->length);
        world_->scheduler().knock(target);
        end(work, SYNCLINE_OK);
    }
}

void SimulatedCard::read_word(const Shared& work, const uint8_t* memory) {
    Scheduler& scheduler = world_->scheduler();
    uint64_t* const busy = world_->atomic_unit(static_cast<uint32_t>(work->rank));
    if (scheduler.now() <= *busy && *busy != 0) {
        execute_at(*busy + 1, work);
        return;
    }
    std::memcpy(&work->old, memory, sizeof(work->old));
    if (options_.kind == CardKind::kSharing) {
        write_word(work);
        return;
    }
    *busy = scheduler.now() + 1 + scheduler.prng().below(2 * ns_per_us);
    scheduler.at(*busy, [this, lives = lives_, work] {
        if (*lives && !world_->dead(rank_)) {
            write_word(work);
        }
    });
}

// A compare&swap that misses writes nothing.
void SimulatedCard::write_word(const Shared& work) {
    uint64_t word = work->old;
    (void)apply(work->atomic->operation, &word, work->atomic->operand[0], work->atomic->comparand[0]);
    int status = SYNCLINE_OK;
    uint8_t* const memory = world_->card_memory(static_cast<uint32_t>(work->rank), work->remote, 8, &status);
    if (memory != nullptr && (!work->atomic->compares() || work->old == work->atomic->comparand[0])) {
        std::memcpy(memory, &word, sizeof(word));
        world_->scheduler().knock(static_cast<uint32_t>(work->rank));
    }
    end(work, status);
}

// The answer arrives a little later, and wakes the PE. After an error all that follows on the connection fails.
void SimulatedCard::end(const Shared& work, int status) {
    work->status = status;
    Connection& connection = to(work->rank);
    std::deque<Shared> over = {work};
    if (status != SYNCLINE_OK) {
        connection.ended = true;
        over = connection.to_execute;
        for (const Shared& other : over) {
            other->status = other->status == SYNCLINE_OK ? static_cast<int>(SYNCLINE_ERR_PEER) : other->status;
        }
    }
    for (const Shared& one : over) {
        std::erase(connection.to_execute, one);
        const uint64_t when = world_->scheduler().now() + 1 + world_->scheduler().prng().below(3 * ns_per_us);
        world_->scheduler().at(when, [this, lives = lives_, one] {
            if (!*lives || world_->dead(rank_)) {
                return;
            }
            if (one->status == SYNCLINE_OK && !one->forgotten) {
                if (one->atomic && one->atomic->fetches()) {
                    std::memcpy(one->atomic->result, &one->old, sizeof(one->old));
                } else if (one->target != nullptr) {
                    std::memcpy(one->target, one->bytes.data(), one->length);
                }
            }
            ended_.push_back(one);
            world_->scheduler().signal(rank_);
        });
    }
}

void SimulatedCard::progress() {
    world_->scheduler().step();
    while (!ended_.empty()) {
        const Shared work = ended_.front();
        ended_.pop_front();
        std::erase(outstanding_, work);
        if (!work->forgotten) {
            work->completion->lower(work->status);
        }
    }
}

int SimulatedCard::atomic(const AtomicCall& call, Completion* completion) {
    return start(call.rank, completion, [&](Work* work) {
        work->remote = call.target;
        work->atomic = call;
    });
}

int SimulatedCard::post_word(int operation, int rank, syncline_address_t target, uint64_t value,
                             Completion* completion) {
    AtomicCall call = {.operation = operation, .rank = rank, .target = target};
    call.operand[0] = value;
    return atomic(call, completion);
}

int SimulatedCard::move(Direction direction, Transfer* transfer, Completion* completion) {
    const int status = start(transfer->rank, completion, [&](Work* work) {
        work->remote = transfer->remote;
        work->length = transfer->bytes;
        if (direction == Direction::kGet) {
            work->target = transfer->local;
        } else if (transfer->lasts) {
            work->source = transfer->local;
        } else {
            work->bytes.assign(transfer->local, transfer->local + transfer->bytes);
        }
    });
    if (status == SYNCLINE_OK) {
        transfer->remote += transfer->bytes;
        transfer->local += transfer->bytes;
        transfer->bytes = 0;
    }
    return status;
}

int SimulatedCard::move_pieces(Direction direction, Pieces* pieces, Completion* completion) {
    for (; pieces->count != 0; pieces->count--, pieces->list++) {
        const Piece& piece = *pieces->list;
        Transfer transfer = {pieces->rank, pieces->base + piece.offset, pieces->local, piece.bytes};
        if (const int status =
                piece.bytes == 0 ? static_cast<int>(SYNCLINE_OK) : move(direction, &transfer, completion);
            status != SYNCLINE_OK) {
            return status;
        }
        pieces->local += piece.bytes;
    }
    return SYNCLINE_OK;
}

int SimulatedCard::accumulate(Accumulate* request, Completion* completion) {
    while (request->count != 0) {
        AtomicCall add = {
            .operation = SYNCLINE_64 | (request->combine == Accumulate::Combine::kAdd ? +SYNCLINE_ADD : +SYNCLINE_SWAP),
            .rank = request->rank,
            .target = request->target};
        std::memcpy(add.operand, request->values, 8);
        if (const int status = atomic(add, completion); status != SYNCLINE_OK) {
            return status;
        }
        request->target += 8;
        request->values += 8;
        request->count--;
    }
    return SYNCLINE_OK;
}

int SimulatedCard::accumulate_pieces(AccumulatePieces* request, Completion* completion) {
    Pieces* const pieces = &request->pieces;
    for (; pieces->count != 0; pieces->count--, pieces->list++, pieces->done = 0) {
        const Piece& piece = *pieces->list;
        Accumulate rest = {.rank = pieces->rank,
                           .target = pieces->base + piece.offset + pieces->done,
                           .element = request->element,
                           .combine = Accumulate::Combine::kAdd,
                           .values = pieces->local,
                           .count = (piece.bytes - pieces->done) / 8};
        const int status = accumulate(&rest, completion);
        pieces->done = piece.bytes - rest.count * 8;
        pieces->local += rest.values - pieces->local;
        if (status != SYNCLINE_OK) {
            return status;
        }
    }
    return SYNCLINE_OK;
}

int SimulatedCard::put_signal(const Transfer& transfer, const AtomicCall& signal, Completion* completion) {
    progress();
    if (outstanding_.size() + 2 > under_way_max) {
        return SYNCLINE_ERR_BUSY;
    }
    Transfer put = transfer;
    const int status = move(Direction::kPut, &put, completion);
    return status == SYNCLINE_OK ? atomic(signal, completion) : status;
}

bool SimulatedCard::is_quiet(int rank) {
    return std::none_of(outstanding_.begin(), outstanding_.end(),
                        [&](const Shared& work) { return rank == any_rank || work->rank == rank; });
}

bool SimulatedCard::is_silent(int rank) {
    return to(rank).silent;
}

void SimulatedCard::forget(Completion* completion) {
    for (const Shared& work : outstanding_) {
        if (work->completion == completion) {
            work->forgotten = true;
            if (!to(work->rank).to_execute.empty()) {
                end(to(work->rank).to_execute.front(), SYNCLINE_ERR_PEER);
            }
        }
    }
}

}  // namespace syncline::deterministic
