// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/collective/nic_barrier.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/failure.h"
#include "base/status.h"
#include "firmware/schedule.h"
#include "runtime/collective/job_barrier.h"
#include "runtime/ground/error_text.h"

namespace syncline {

static_assert(SYNCLINE_BARRIERS_MAX == +SLW_BARRIERS_MAX && SYNCLINE_TREE_MAX == +FW_BARRIER_FANOUT);

namespace {

constexpr uint64_t first_pull_ns = 1 * ns_per_ms;
constexpr uint64_t pull_interval_ns_max = 20 * ns_per_ms;
constexpr uint32_t asked_at_once = 8;

bool is_free(uint32_t state) {
    return state == FW_BARRIER_CLOSED || state == FW_BARRIER_GONE;
}

}  // namespace

NicBarrier::NicBarrier(Endpoint* endpoint, BarrierHistory* history, uint32_t id, std::vector<uint32_t> ranks,
                       const Options& options)
    : endpoint_(endpoint),
      history_(history),
      id_(id),
      ranks_(std::move(ranks)),
      agreement_(endpoint, history, id, &ranks_),
      options_(options),
      barrier_(&endpoint->attachment().tables().barriers[id]) {
    const fw_config& config = endpoint_->config();
    for (const uint32_t rank : ranks_) {
        const auto node = static_cast<uint16_t>(endpoint_->node_of(rank));
        if (std::find(nodes_.begin(), nodes_.end(), node) == nodes_.end()) {
            nodes_.push_back(node);
        }
        if (node == config.node) {
            ports_.push_back(endpoint_->port_of(static_cast<int>(rank)));
        }
    }
    std::sort(ports_.begin(), ports_.end());
    SYNCLINE_ASSERT(std::find(ports_.begin(), ports_.end(), endpoint_->attachment().port()) != ports_.end(),
                    "this PE is no member of barrier %u", id_);
    SYNCLINE_ASSERT(std::adjacent_find(ports_.begin(), ports_.end()) == ports_.end(), "a PE is twice in barrier %u",
                    id_);
    self_ = static_cast<uint32_t>(std::find(nodes_.begin(), nodes_.end(), static_cast<uint16_t>(config.node)) -
                                  nodes_.begin());
    check_dimension();
    adopt(agreement_.open(options_, [&] { return choice(); }));
    enter();
}

void NicBarrier::check_dimension() {
    if (options_.algorithm != SYNCLINE_BARRIER_EXCHANGE && options_.dimension > FW_BARRIER_FANOUT) {
        fail(SYNCLINE_ERR_UNSUPPORTED,
             "a tree of dimension {} is wider than the {} that a NIC "
             "can fan out to",
             options_.dimension, static_cast<int>(FW_BARRIER_FANOUT));
    }
}

// Returns the choice word with the leader's choice of algorithm, if the members left the choice to the leader. Only a
// tree has a dimension.
uint64_t NicBarrier::choice() {
    const auto nodes = static_cast<uint32_t>(nodes_.size());
    Schedule chosen = {options_.algorithm, options_.dimension};
    if (chosen.algorithm == SYNCLINE_BARRIER_AUTO && (chosen.dimension != 0 || !can_exchange(nodes, FW_COMBINE_SUM))) {
        chosen.algorithm = SYNCLINE_BARRIER_TREE;  // a dimension asks for a tree, which can do every reduction
    }
    if (chosen.algorithm == SYNCLINE_BARRIER_EXCHANGE) {
        chosen.dimension = 0;
    } else if (chosen.dimension == 0) {
        chosen = history_->latency_model().choose(nodes, options_.host, chosen.algorithm);
    }
    return static_cast<uint64_t>(chosen.algorithm) << 32 | chosen.dimension;
}

// Adopts the leader's choice, if a schedule can be drawn up for it and it is the one that was asked for: members with
// different schedules would wait for ever, or combine the wrong values.
void NicBarrier::adopt(uint64_t choice) {
    const uint64_t algorithm = choice >> 32;
    const auto dimension = static_cast<uint32_t>(choice);
    const bool is_exchange = algorithm == SYNCLINE_BARRIER_EXCHANGE && dimension == 0;
    const bool is_tree = algorithm == SYNCLINE_BARRIER_TREE && dimension >= 1 && dimension <= FW_BARRIER_FANOUT &&
                         (options_.dimension == 0 || options_.dimension == dimension);
    const bool is_asked_for =
        options_.algorithm == SYNCLINE_BARRIER_AUTO || algorithm == static_cast<uint64_t>(options_.algorithm);
    if (!is_asked_for || !(is_exchange || is_tree)) {
        fail(SYNCLINE_ERR_PROTOCOL,
             "PE {}, the first member of barrier {}, announces algorithm {} with dimension {}, "
             "which is no schedule of this barrier",
             ranks_[0], id_, algorithm, dimension);
    }
    options_.algorithm = static_cast<int>(algorithm);
    options_.dimension = dimension;
}

// Each phase goes on where the one before it ended, and the last has all messages behind it.
void NicBarrier::check_schedule() const {
#ifdef SYNCLINE_CHECKS
    SYNCLINE_CHECK(barrier_->phases <= FW_BARRIER_PHASES && barrier_->sends <= FW_BARRIER_ENTRIES &&
                       barrier_->hears <= FW_BARRIER_ENTRIES,
                   "%u phases, %u to hear, %u to send", barrier_->phases, barrier_->hears, barrier_->sends);
    uint32_t heard = 0;
    for (uint32_t phase = 0; phase < barrier_->phases; phase++) {
        const fw_barrier_phase& one = barrier_->phase[phase];
        SYNCLINE_CHECK(one.hear_from == heard && one.hear_to >= heard, "phase %u hears %u to %u, behind %u", phase,
                       one.hear_from, one.hear_to, heard);
        heard = one.hear_to;
    }
    SYNCLINE_CHECK(heard == barrier_->hears, "%u of %u messages to hear", heard, barrier_->hears);
    const bool is_exchange = options_.algorithm == SYNCLINE_BARRIER_EXCHANGE;
    SYNCLINE_CHECK(!is_exchange || 1ull << barrier_->phases >= nodes_.size(), "%u phases of %zu nodes",
                   barrier_->phases, nodes_.size());
    for (uint32_t i = 0; i < barrier_->hears; i++) {
        SYNCLINE_CHECK(barrier_->hear[i].node != endpoint_->config().node, "message %u is of this node", i);
    }
    for (uint32_t i = 0; i < barrier_->sends; i++) {
        SYNCLINE_CHECK(barrier_->send[i].node != endpoint_->config().node, "message %u is to this node", i);
    }
#endif
}

void NicBarrier::draw() {
    std::fill(std::begin(barrier_->phase), std::end(barrier_->phase), fw_barrier_phase{});
    std::fill(std::begin(barrier_->hear), std::end(barrier_->hear), fw_barrier_route{});
    std::fill(std::begin(barrier_->send), std::end(barrier_->send), fw_barrier_route{});
    std::fill(std::begin(barrier_->record), std::end(barrier_->record), fw_barrier_record{});
    if (options_.algorithm == SYNCLINE_BARRIER_EXCHANGE) {
        draw_exchange(barrier_, nodes_, self_);
    } else {
        draw_tree(barrier_, nodes_, self_, options_.dimension);
    }
    check_schedule();
    barrier_->instance = agreement_.instance();
    barrier_->host = options_.host ? 1 : 0;
    barrier_->gathered = barrier_->left = 0;
    barrier_->sent = barrier_->sends;
    barrier_->word = uint64_t{barrier_->phases} << 8 | FW_BARRIER_DONE;
    fw_port_set members = {};
    for (const uint32_t port : ports_) {
        fw_set_add(&members, port);
    }
    for (uint32_t i = 0; i < FW_PORT_WORDS; i++) {
        __atomic_store_n(&barrier_->ports.word[i], members.word[i], __ATOMIC_SEQ_CST);
    }
    __atomic_store_n(&barrier_->state, FW_BARRIER_OPEN, __ATOMIC_SEQ_CST);
}

// Returns false if another barrier of this number, which may be about to open here, too, was faster.
bool NicBarrier::draw_if_first() {
    uint16_t none = 0;
    const auto claim = static_cast<uint16_t>(endpoint_->attachment().port() + 1);
    if (!__atomic_compare_exchange_n(&barrier_->drawer, &none, claim, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        return false;
    }
    const bool first = is_free(__atomic_load_n(&barrier_->state, __ATOMIC_SEQ_CST));
    if (first) {
        draw();
    }
    __atomic_store_n(&barrier_->drawer, uint16_t{0}, __ATOMIC_SEQ_CST);
    return first;
}

// The first member of the node draws up the schedule, once no barrier uses this number here any more; the others wait
// for it.
void NicBarrier::enter() {
    const bool drawer = ports_.front() == endpoint_->attachment().port();
    const uint64_t deadline = now_ns() + uint64_t{endpoint_->attachment().job().spec.peer_timeout_ms} * ns_per_ms;
    for (;;) {
        const uint32_t state = __atomic_load_n(&barrier_->state, __ATOMIC_SEQ_CST);
        if (drawer && is_free(state) && draw_if_first()) {
            break;
        }
        if (!drawer && !is_free(state) && barrier_->instance == agreement_.instance()) {
            break;
        }
        if (now_ns() > deadline) {
            fail(SYNCLINE_ERR_BUSY,
                 "barrier {} is still open on this node, or another member of the node has not "
                 "come; close it first, or use another number",
                 id_);
        }
        look_again(&endpoint_->waiting());
    }
    if (drawer) {
        endpoint_->fabrics().own_target().with([&](fw_target* target) {
            for (uint32_t i = 0; i < barrier_->sends; i++) {
                fw_barrier_greet(target, barrier_->send[i].node);
            }
        });
    }
}

int NicBarrier::start(Reduction reduction, uint64_t value) {
    const auto how = static_cast<fw_combine>(reduction);
    if (running_) {
        return error(SYNCLINE_ERR_INVALID, "barrier {} is running; wait for it before it is started again", id_);
    }
    const auto nodes = static_cast<uint32_t>(nodes_.size());
    if (options_.algorithm == SYNCLINE_BARRIER_EXCHANGE && !can_exchange(nodes, how)) {
        return error(SYNCLINE_ERR_UNSUPPORTED,
                     "barrier {}: pairwise exchange among {} nodes, no power of two, would count "
                     "values more than once; open it with SYNCLINE_BARRIER_TREE",
                     id_, nodes);
    }
    if (!is_open()) {
        return complain(SYNCLINE_ERR_PEER);
    }
    SYNCLINE_CHECK_SHARED(load_word(&barrier_->word) >> 32 == epoch_, "epoch %u behind %lu", epoch_,
                          load_word(&barrier_->word) >> 32);
    epoch_++;
    running_ = true;
    endpoint_->attachment().trace().note(TraceKind::kBarrierArrives, -1, id_, epoch_);
    next_pull_ns_ = pull_interval_ns_ = 0;
    barrier_->contribution[endpoint_->attachment().port()] = value;
    if (__atomic_add_fetch(&barrier_->gathered, 1, __ATOMIC_SEQ_CST) != uint64_t{epoch_} * ports_.size()) {
        return SYNCLINE_OK;
    }
    uint64_t all = value;
    for (const uint32_t port : ports_) {
        if (port != endpoint_->attachment().port()) {
            all = fw_combine_values(how, all, barrier_->contribution[port]);
        }
    }
    endpoint_->fabrics().own_target().with([&](fw_target* target) {
        fw_barrier_start(target, id_, epoch_, how, all);
        if (load_word(&barrier_->refused) != 0) {
            fw_barrier_pull(target, id_, asked_at_once, 1);
        }
    });
    return SYNCLINE_OK;
}

// Returns whether the epoch is over, complete or broken.
bool NicBarrier::over() {
    endpoint_->fabrics().own_target().with([&](fw_target* target) {
        endpoint_->fabrics().own_target().receive();
        if (options_.host) {
            fw_barrier_continue(target, id_);
        }
    });
    return is_complete() || !is_open();
}

bool NicBarrier::is_complete() const {
    const uint64_t word = load_word(&barrier_->word);
    return word >> 32 == epoch_ && (word & 255) == FW_BARRIER_DONE;
}

// Asks for messages that may have got lost, and checks whether the missing members are still alive.
void NicBarrier::look_after() {
    const uint64_t now = now_ns();
    if (next_pull_ns_ == 0) {
        pull_interval_ns_ = first_pull_ns;
        next_pull_ns_ = now + pull_interval_ns_;
        next_probe_ns_ = now + probe_interval_ns;
        return;
    }
    if (now >= next_pull_ns_) {
        endpoint_->fabrics().own_target().with(
            [&](fw_target* target) { fw_barrier_pull(target, id_, asked_at_once, 0); });
        pull_interval_ns_ = std::min(2 * pull_interval_ns_, pull_interval_ns_max);
        next_pull_ns_ = now + pull_interval_ns_;
    }
    if (now >= next_probe_ns_) {
        probe_missing();
        next_probe_ns_ = now_ns() + probe_interval_ns;
    }
}

// Asks the missing members: first the members of this node, until all have started; then the nodes that the running
// phase has not heard of. A get of each of their members tells whether the member is gone. Each call also asks one more
// member in turn, because the missing members may themselves have found out that a member is gone, and stay away for
// that reason.
void NicBarrier::probe_missing() {
    if (agreement_.is_gone(ranks_[probes_++ % ranks_.size()])) {
        break_it();
        return;
    }
    const uint64_t word = load_word(&barrier_->word);
    const uint32_t phase = static_cast<uint32_t>(word >> 8) & 255;
    if (word >> 32 != epoch_) {
        probe_members_of(endpoint_->config().node);
    } else if ((word & 255) != FW_BARRIER_DONE && phase < FW_BARRIER_PHASES) {
        for (uint32_t i = barrier_->phase[phase].hear_from; i < barrier_->phase[phase].hear_to; i++) {
            if (load_word(&barrier_->record[2 * i + (epoch_ & 1)].word) != (uint64_t{epoch_} << 32 | FW_RECORD_HEARD)) {
                probe_members_of(barrier_->hear[i].node);
            }
        }
    }
}

void NicBarrier::probe_members_of(uint32_t node) {
    for (const uint32_t rank : ranks_) {
        if (is_open() && endpoint_->node_of(rank) == node && agreement_.is_gone(rank)) {
            break_it();
        }
    }
}

bool NicBarrier::is_open() const {
    return __atomic_load_n(&barrier_->state, __ATOMIC_SEQ_CST) == FW_BARRIER_OPEN;
}

void NicBarrier::break_it() {
    uint32_t open = FW_BARRIER_OPEN;
    (void)__atomic_compare_exchange_n(&barrier_->state, &open, FW_BARRIER_BROKEN, false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_SEQ_CST);
    for (const uint32_t port : ports_) {
        endpoint_->memory().written(port);
    }
}

int NicBarrier::finish() {
    running_ = false;
    const int status = is_complete() ? SYNCLINE_OK : SYNCLINE_ERR_PEER;
    endpoint_->attachment().trace().note(TraceKind::kBarrierLeaves, -1, id_, epoch_, status);
    return status == SYNCLINE_OK ? status : complain(status);
}

int NicBarrier::test(int* done) {
    *done = running_ ? 0 : 1;
    if (!running_) {
        return SYNCLINE_OK;
    }
    if (over()) {
        *done = 1;
        return finish();
    }
    if (++tests_ % 64 == 0) {
        look_after();
    }
    return SYNCLINE_OK;
}

int NicBarrier::wait() {
    while (running_) {
        const uint64_t deadline = now_ns() + (next_pull_ns_ == 0 ? first_pull_ns : pull_interval_ns_);
        const int waited =
            endpoint_->waiting().wait_for([&] { return over(); }, deadline, {WaitFor::kBarrier, -1, id_});
        if (waited == SYNCLINE_OK) {
            return finish();
        }
        if (waited != SYNCLINE_ERR_TIMEOUT) {
            running_ = false;
            return complain(waited);
        }
        look_after();
    }
    return SYNCLINE_OK;
}

uint64_t NicBarrier::result() const {
    SYNCLINE_ASSERT(!running_, "barrier %u, epoch %u", id_, epoch_);
    return barrier_->value[epoch_ & 1][barrier_->phases];
}

int NicBarrier::close() {
    int status = wait();
    if (status == SYNCLINE_OK && !is_open()) {
        status = complain(SYNCLINE_ERR_PEER);
    }
    if (status == SYNCLINE_OK) {
        status = agreement_.close({[&] { return is_open(); }, [&] { break_it(); }});
    }
    if (__atomic_add_fetch(&barrier_->left, 1, __ATOMIC_SEQ_CST) == ports_.size()) {
        __atomic_store_n(&barrier_->refused, 0, __ATOMIC_SEQ_CST);
        __atomic_store_n(&barrier_->state, is_open() ? FW_BARRIER_CLOSED : FW_BARRIER_GONE, __ATOMIC_SEQ_CST);
    }
    return status;
}

}  // namespace syncline
