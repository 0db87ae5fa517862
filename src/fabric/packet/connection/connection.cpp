// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/packet/connection/connection.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "fabric/packet/connection/executed_part.h"
#include "syncline.h"

namespace syncline {
namespace {

constexpr uint64_t rest_pause_ns = 20 * ns_per_us;
constexpr uint64_t probe_timeout_ns = 50 * ns_per_ms;
constexpr uint32_t probe_sends_least = 4;  // before silence means that the path is shorter; RFC 8899 has three
// The silence behind a long packet after which the path may have become shorter. By then the process has sent the
// packet again resent_least times, or the process has computed, and its daemon has sent the packet. A get needs a
// longer silence, because an answer to a shorter get does not tell a shorter path from a slow node. If answers are
// late, all of these silences are longer (see pace.h).
constexpr uint32_t resent_least = 4;
constexpr uint64_t silence_ns = 25 * ns_per_ms;
constexpr uint64_t silence_of_get_ns = 100 * ns_per_ms;
constexpr uint64_t silence_of_daemon_ns = 250 * ns_per_ms;

int status_of(uint8_t wire) {
    switch (wire) {
        case SLW_OK:
            return SYNCLINE_OK;
        case SLW_NO_SEGMENT:
        case SLW_OUT_OF_BOUNDS:
            return SYNCLINE_ERR_ADDRESS;
        case SLW_PORT_CLOSED:
            return SYNCLINE_ERR_PEER;
        case SLW_MISALIGNED:
            return SYNCLINE_ERR_ALIGNMENT;
        case SLW_RETRY:
            return SYNCLINE_ERR_BUSY;
        default:
            return SYNCLINE_ERR_INVALID;
    }
}

bool is_get(const uint8_t* packet) {
    const auto* const unit = reinterpret_cast<const slw_unit*>(packet + SLW_HEADER_BYTES);
    return (unit->code & ~static_cast<uint32_t>(SLW_LIST)) == SLW_GET;
}

uint64_t load(const uint64_t* word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}
void publish(uint64_t* word, uint64_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

}  // namespace

Connection::Connection(const fw_config* config, uint32_t rank, uint32_t port, uint32_t node, Buffers* buffers,
                       const fw_port* words, Transport* transport, uint64_t peer_timeout_ns, const Trace* trace)
    : config_(config),
      rank_(rank),
      port_(port),
      node_(node),
      buffers_(buffers),
      header_(buffers->header()),
      words_(words),
      transport_(transport),
      trace_(trace),
      runtime_slots_(config->window == 1 ? 0 : 1ull << (config->window - 1)),
      free_(config->window == 64 ? UINT64_MAX : (1ull << config->window) - 1),
      peer_timeout_ns_(peer_timeout_ns),
      pace_(transport->capabilities().retransmit_us * ns_per_us, peer_timeout_ns),
      path_(config->packet_max),
      chains_(config->window) {
    if (runtime_slots_ == 0) {
        path_.stop();
    }
}

// A slot is free, under way or given up, or its packet is being written. The runtime's slot is the only one that
// probes.
void Connection::check_slots() const {
    SYNCLINE_CHECK((free_ & pending_) == 0 && (free_ & failed_) == 0 && (pending_ & failed_) == 0,
                   "node %u: free %#lx, pending %#lx, failed %#lx", node_, free_, pending_, failed_);
    SYNCLINE_CHECK((probe_ & ~(pending_ & runtime_slots_)) == 0, "probe %#lx, pending %#lx", probe_, pending_);
    SYNCLINE_CHECK((shortened_ & ~pending_) == 0, "shortened %#lx, pending %#lx", shortened_, pending_);
    [[maybe_unused]] const uint64_t filled = posted.slot < 0 ? 0 : 1ull << posted.slot;
    [[maybe_unused]] const uint64_t all = config_->window == 64 ? UINT64_MAX : (1ull << config_->window) - 1;
    SYNCLINE_CHECK((free_ & filled) == 0 && (free_ | pending_ | failed_ | filled) == all,
                   "free %#lx, pending %#lx, failed %#lx, filled %#lx", free_, pending_, failed_, filled);
    SYNCLINE_CHECK(static_cast<uint32_t>(std::popcount(pending_)) <= header_->outstanding,
                   "%d packets are under way here, and %u of the PE", std::popcount(pending_), header_->outstanding);
}

// Makes the daemon's timer wait for longer than the process does.
void Connection::note_sent(uint32_t slot, uint64_t now) {
    const uint64_t wait = slots_[slot].retry_interval_ns;
    const uint64_t longer = wait > Pace::late_ns ? wait - Pace::late_ns : 0;
    __atomic_store_n(&slots_[slot].image->sent_ns, now + longer, __ATOMIC_RELAXED);
}

void Connection::begin_waits(uint32_t slot, uint64_t now) {
    slots_[slot].resent = 0;
    slots_[slot].first_sent_ns = slots_[slot].last_sent_ns = now;
    slots_[slot].retry_interval_ns = pace_.first_ns();
    slots_[slot].next_retry_ns = now + pace_.first_ns();
}

// Learns from the slot's answer. After a CLOSE it may be the answer to the request, unless it says that there is none.
void Connection::learn_pace(const Slot& answered) {
    if (answered.closing && answered.arrived->status != SLW_CLOSED) {
        return;
    }
    if (answered.resent != 0) {
        pace_.answered_after(now_ns() - answered.last_sent_ns);
    } else if (pace_.is_late()) {
        pace_.answered_within(now_ns() - answered.first_sent_ns);
    }
}

void Connection::send(uint32_t slot, uint64_t now) {
    const fw_image& image = *slots_[slot].image;
    note_sent(slot, now);
    slots_[slot].last_sent_ns = now;
    // A packet that could not be sent is like a lost packet: it is sent again when its time has come.
    (void)transport_->send(node_, image.packet, image.length, image.pad_to);
}

// The header that take_slot() has written, and the units behind it, are complete.
void Connection::check_request(uint32_t slot) const {
    [[maybe_unused]] const auto* const head = reinterpret_cast<const slw_header*>(slots_[slot].image->packet);
    SYNCLINE_CHECK(head->kind == SLW_REQUEST && head->slot == slot && head->sequence == slots_[slot].sequence,
                   "kind %u, slot %u of %u, sequence %u of %u", head->kind, head->slot, slot, head->sequence,
                   slots_[slot].sequence);
    SYNCLINE_CHECK(head->units >= 1 && head->units <= SLW_UNITS_MAX, "%u units", head->units);
    SYNCLINE_CHECK(head->source_rank == rank_ && head->source_port == port_ && head->target_node == node_,
                   "from PE %u, port %u, to node %u", head->source_rank, head->source_port, head->target_node);
    SYNCLINE_CHECK(slots_[slot].image == buffers_->image(slots_[slot].buffer), "buffer %u", slots_[slot].buffer);
}

// Seals the packet under the slot's sequence and makes it known to the firmware and to the daemon's timer.
void Connection::arm(uint32_t slot, uint64_t now) {
    fw_image& image = *slots_[slot].image;
    const uint64_t request = request_of(slot);
    SYNCLINE_ASSERT(((free_ | pending_ | failed_) >> slot & 1) == 0, "slot %u, free %#lx, pending %#lx, failed %#lx",
                    slot, free_, pending_, failed_);
    SYNCLINE_ASSERT(slots_[slot].sequence != 0 && slots_[slot].sequence != slots_[slot].issued,
                    "slot %u, sequence %u, of which %u was sent", slot, slots_[slot].sequence, slots_[slot].issued);
    check_request(slot);
    fw_seal(config_, image.packet);
    __atomic_store_n(&image.length, fw_packet_length(image.packet), __ATOMIC_RELAXED);
    SYNCLINE_ASSERT(image.length <= config_->packet_max, "a packet of %u bytes, where %u are the most", image.length,
                    config_->packet_max);
    note_sent(slot, now);
    publish(&slots_[slot].arrived->state, request | FW_COMPLETION_ARMED);
    publish(&image.state, request | 1);
    __atomic_store_n(&header_->outstanding, header_->outstanding + 1, __ATOMIC_RELAXED);
    pending_ |= 1ull << slot;
    if ((runtime_slots_ >> slot & 1) == 0) {
        issued_ += slots_[slot].sequence - slots_[slot].issued;
    }
    slots_[slot].issued = slots_[slot].sequence;
}

void Connection::all_were_out(bool found) {
    if (!found) {
        chains_.are_few();
    } else if (pending() == 0) {
        chains_.are_enough(packet_max());
    }
}

// Returns true if this node's NIC sends the packet, and false if it has to be sent now.
bool Connection::follows(uint32_t slot) {
    if (!transport_->capabilities().deposits ||
        chains_.are_lost(__atomic_load_n(&words_->followers_lost, __ATOMIC_RELAXED))) {
        return false;
    }
    const fw_image& image = *slots_[slot].image;
    const uint32_t bytes = std::max(image.length, image.pad_to);
    const bool appended = chains_.append(slot, bytes);
    chains_.add(slots_[slot].arrived, slot, request_of(slot), bytes);
    return appended;
}

void Connection::start(uint32_t slot, uint32_t pad_to, Departure departure) {
    Slot& started = slots_[slot];
    const uint64_t now = now_ns();
    const bool pads = departure == Departure::kPadded || transport_->capabilities().pad_gets;
    __atomic_store_n(&started.image->pad_to, pads ? pad_to : 0, __ATOMIC_RELAXED);
    begin_waits(slot, now);
    arm(slot, now);
    const uint64_t bytes = std::max(started.image->length, pad_to);
    __atomic_store_n(&header_->bytes, header_->bytes + bytes, __ATOMIC_RELAXED);
    note(TraceKind::kSent, slot, unit(slot, 0)->code);
    if (departure != Departure::kInBurst || !follows(slot)) {
        send(slot, now);
    }
}

// Takes the image away from the daemon's timer.
void Connection::withdraw(uint32_t slot) {
    publish(&slots_[slot].image->state, 0);
    __atomic_thread_fence(__ATOMIC_RELEASE);  // before the packet is written again (see Retransmitter::send_again)
}

void Connection::drop(uint32_t slot) {
    SYNCLINE_ASSERT((pending_ >> slot & 1) != 0, "slot %u, pending %#lx", slot, pending_);
    SYNCLINE_ASSERT(header_->outstanding != 0, "slot %u of node %u", slot, node_);
    withdraw(slot);
    __atomic_store_n(&header_->outstanding, header_->outstanding - 1, __ATOMIC_RELAXED);
    pending_ &= ~(1ull << slot);
}

// If the target has executed the request in part, the rest goes out under the next sequence, when its retransmission is
// due.
bool Connection::resend_rest(uint32_t slot) {
    Slot& again = slots_[slot];
    slw_header* const head = header(slot);
    if (again.arrived->status != SLW_RETRY) {
        return false;
    }
    withdraw(slot);
    if (!skip_executed(head, again.arrived->executed)) {
        return false;
    }
    drop(slot);
    begin_next(slot);
    note(TraceKind::kRest, slot);
    again.last_sent_ns = 0;
    again.next_retry_ns = again.first_sent_ns + rest_pause_ns;
    return true;
}

// Seals the packet, which is not under way any more, under the slot's next sequence.
void Connection::begin_next(uint32_t slot) {
    Slot& next = slots_[slot];
    next.sequence += next.sequence == UINT32_MAX ? 2 : 1;
    header(slot)->sequence = next.sequence;
    const uint64_t now = now_ns();
    begin_waits(slot, now);  // the node has answered, so it lives; or it was silent about a longer packet than this
    arm(slot, now);
}

bool Connection::may_repeat() const {
    if (shortened_ != 0) {
        return true;
    }
    for (uint64_t left = pending(); left != 0; left &= left - 1) {
        const auto slot = static_cast<uint32_t>(std::countr_zero(left));
        const auto* const head = reinterpret_cast<const slw_header*>(slots_[slot].image->packet);
        if (longest(slot) > SLW_PACKET_LEAST || may_be_partial(head)) {
            return true;
        }
    }
    return false;
}

// Returns the status of the answer that has come, and copies its result to its place.
int Connection::take_result(const Slot& slot) const {
    const fw_completion& completion = *slot.arrived;
    const int status = status_of(static_cast<uint8_t>(completion.status));
    if (status == SYNCLINE_OK && slot.result != nullptr) {
        if (completion.length != slot.reply_bytes) {
            return SYNCLINE_ERR_PROTOCOL;
        }
        std::memcpy(slot.result, completion.data, slot.result_bytes);
    }
    return status;
}

void Connection::finish(uint32_t slot, Answer* answer) {
    *answer = {slots_[slot].completion, take_result(slots_[slot])};
    note(answer->status == SYNCLINE_OK ? TraceKind::kAnswered : TraceKind::kRefused, slot, 0, answer->status);
    drop(slot);
    set_free(slot);
}

// Returns the length of the slot's datagram, or of its reply if that is longer.
uint32_t Connection::longest(uint32_t slot) const {
    const fw_image& image = *slots_[slot].image;
    const uint32_t reply = is_get(image.packet) ? SLW_HEADER_BYTES + slw_padded(slots_[slot].reply_bytes) : 0;
    return std::max({image.length, image.pad_to, reply});
}

// The slot's packet is due to be sent again. Returns whether its length may be the reason for the silence.
bool Connection::may_be_too_long(uint32_t slot, uint64_t now) {
    if (((probe_ | shortened_) >> slot & 1) != 0) {
        return false;
    }
    const uint32_t length = longest(slot);
    const uint64_t silent_ns = now - slots_[slot].first_sent_ns;
    const uint64_t silence = is_get(slots_[slot].image->packet) ? silence_of_get_ns : silence_ns;
    const bool is_silent =
        silent_ns >= pace_.silence_ns() &&
        (silent_ns >= silence_of_daemon_ns || (silent_ns >= silence && slots_[slot].resent >= resent_least));
    return length > SLW_PACKET_LEAST && (length > path_.now() || is_silent || transport_->was_too_long(node_));
}

void Connection::shorten(uint32_t slot, uint64_t now) {
    Slot& cut = slots_[slot];
    const slw_header* const head = header(slot);
    const bool gets = is_get(cut.image->packet);
    if (gets && !give_up(slot)) {
        return;
    }
    note(TraceKind::kShortened, slot);
    SYNCLINE_ASSERT((shortened_ >> slot & 1) == 0 && cut.cut == nullptr, "slot %u is in parts already", slot);
    cut.too_long = longest(slot);
    cut.cut = std::make_unique<CutRequest>(head, cut.result);
    shortened_ |= 1ull << slot;
    gets ? send_part(slot) : close(slot, now);
}

// The image's state tells the request and the CLOSE, which have one sequence, apart, so that no reader takes one for
// the other.
void Connection::close(uint32_t slot, uint64_t now) {
    Slot& closed = slots_[slot];
    SYNCLINE_ASSERT(!closed.closing && (pending_ >> slot & 1) != 0, "slot %u, pending %#lx", slot, pending_);
    withdraw(slot);
    slw_header* const head = header(slot);
    head->units = 1;
    head->data_length = 0;
    slw_unit close = {};
    close.code = SLW_CLOSE;
    std::memcpy(unit(slot, 0), &close, sizeof(close));
    fw_seal(config_, closed.image->packet);
    __atomic_store_n(&closed.image->length, fw_packet_length(closed.image->packet), __ATOMIC_RELAXED);
    __atomic_store_n(&closed.image->pad_to, 0,
                     __ATOMIC_RELAXED);  // no request that fetches is long enough to be closed
    publish(&closed.image->state, request_of(slot) | 2);
    closed.closing = true;
    begin_waits(slot, now);
    send(slot, now);
}

// An answer to a request that was closed, or to a part, has come. Returns whether a part is under way now.
bool Connection::goes_on(uint32_t slot) {
    Slot& cut = slots_[slot];
    const uint32_t status = cut.arrived->status;
    SYNCLINE_ASSERT(cut.cut != nullptr, "slot %u has no parts", slot);
    if (cut.closing) {
        cut.closing = false;
        if (status == SLW_CLOSED) {
            path_is_shorter(std::exchange(cut.too_long, UINT32_MAX));
        } else if (status == SLW_RETRY) {
            cut.cut->skip(cut.arrived->executed);
            cut.too_long = UINT32_MAX;  // because the target has executed the request
        } else {
            return false;
        }
    } else {
        if (resend_rest(slot)) {
            return true;
        }
        if (status != SLW_OK) {
            return false;
        }
        path_is_shorter(std::exchange(cut.too_long, UINT32_MAX));
        const bool is_forgotten = cut.cut->gets() && cut.completion == nullptr;
        if (cut.cut->is_done() || is_forgotten || take_result(cut) != SYNCLINE_OK) {
            return false;
        }
    }
    send_part(slot);
    return true;
}

void Connection::send_part(uint32_t slot) {
    Slot& cut = slots_[slot];
    SYNCLINE_ASSERT(!cut.closing && !cut.cut->is_done(), "slot %u has no part to send", slot);
    drop(slot);
    cut.cut->write_part(header(slot));
    uint32_t reply = 0;
    if (cut.cut->gets()) {
        cut.expect(cut.completion != nullptr ? cut.cut->part_result() : nullptr, cut.cut->part_bytes(),
                   cut.cut->part_bytes());
        reply = SLW_HEADER_BYTES + slw_padded(cut.cut->part_bytes());
    }
    __atomic_store_n(&cut.image->pad_to, transport_->capabilities().pad_gets ? reply : 0, __ATOMIC_RELAXED);
    begin_next(slot);
    send(slot, cut.first_sent_ns);
}

// The node answers short packets, but not a packet of this length.
void Connection::path_is_shorter(uint32_t than) {
    if (than <= path_.now()) {
        SYNCLINE_ASSERT(than > SLW_PACKET_LEAST, "every path carries %u bytes", than);
        path_.shrank();
        chains_.end_all();
        ask_for_longer();
    }
}

void Connection::end_parts(uint32_t slot) {
    shortened_ &= ~(1ull << slot);
    slots_[slot].closing = false;
    slots_[slot].cut.reset();
}

// Sends a get of this node's own words at the target's first port, of which only the length matters.
void Connection::probe() {
    const int slot = dead_ ? -1 : take_slot(true);
    if (slot < 0) {
        return;
    }
    const auto taken = static_cast<uint32_t>(slot);
    SYNCLINE_ASSERT(probe_ == 0 && (runtime_slots_ >> taken & 1) != 0, "slot %u, probe %#lx", taken, probe_);
    probe_ = 1ull << taken;
    probe_length_ = path_.next_probe();
    probe_sends_ = 1;
    slw_unit get = {};
    get.code = SLW_GET;
    get.operand = std::min<uint32_t>(probe_length_ - SLW_HEADER_BYTES, SLW_BULK_MAX);
    slots_[taken].reply_bytes = static_cast<uint32_t>(get.operand);
    std::memcpy(unit(taken, 0), &get, sizeof(get));
    start(taken, probe_length_, Departure::kPadded);
}

void Connection::free_probe() {
    SYNCLINE_ASSERT(std::has_single_bit(probe_), "probe %#lx", probe_);
    const auto slot = static_cast<uint32_t>(std::countr_zero(probe_));
    drop(slot);
    set_free(slot);
    probe_ = 0;
}

void Connection::end_probe(uint32_t slot, bool answered) {
    (void)transport_->was_too_long(node_);  // the hint was about the probe
    if (!answered) {
        path_.lost(probe_length_);
    } else if (slots_[slot].arrived->status == SLW_OK && slots_[slot].arrived->length == slots_[slot].reply_bytes) {
        path_.passed(probe_length_);
    } else {
        path_.stop();
    }
    free_probe();
    ask_for_longer();
}

void Connection::postpone_probe() {
    if (probe_ != 0 && give_up(static_cast<uint32_t>(std::countr_zero(probe_)))) {
        free_probe();
    }
}

bool Connection::take_answer(Answer* answer) {
    check_slots();
    for (uint64_t left = pending_; left != 0; left &= left - 1) {
        const auto slot = static_cast<uint32_t>(std::countr_zero(left));
        if (load(&slots_[slot].arrived->state) != (request_of(slot) | FW_COMPLETION_DONE)) {
            continue;
        }
        learn_pace(slots_[slot]);
        if ((probe_ >> slot & 1) != 0) {
            end_probe(slot, true);
        } else if (__builtin_expect((shortened_ >> slot & 1) != 0, 0)) {
            if (!goes_on(slot)) {
                end_parts(slot);
                finish(slot, answer);
                return true;
            }
        } else if (!resend_rest(slot)) {
            finish(slot, answer);
            return true;
        }
    }
    if (failed_ != 0) {
        const auto slot = static_cast<uint32_t>(std::countr_zero(failed_));
        failed_ &= failed_ - 1;
        SYNCLINE_ASSERT(dead_, "slot %u was given up, and node %u lives", slot, node_);
        *answer = {slots_[slot].completion, SYNCLINE_ERR_PEER};
        set_free(slot);
        return true;
    }
    return false;
}

void Connection::forget(const Completion* completion) {
    for (uint64_t left = pending_ | failed_; left != 0; left &= left - 1) {
        Slot& slot = slots_[std::countr_zero(left)];
        if (slot.completion == completion) {
            slot.completion = nullptr;
            slot.result = nullptr;
        }
    }
}

// Returns true if the slot's packet is not under way any more. If the firmware was faster, the answer is there and is
// taken as usual.
bool Connection::give_up(uint32_t slot) {
    uint64_t armed = load(&slots_[slot].arrived->state);
    if ((armed & ~uint64_t{FW_FOLLOWER}) != (request_of(slot) | FW_COMPLETION_ARMED)) {
        return false;
    }
    const uint64_t idle = request_of(slot) | FW_COMPLETION_IDLE;
    return __atomic_compare_exchange_n(&slots_[slot].arrived->state, &armed, idle, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

void Connection::retransmit(uint64_t now) {
    check_slots();
    for (uint64_t left = pending_; left != 0; left &= left - 1) {
        const auto slot = static_cast<uint32_t>(std::countr_zero(left));
        if (now >= slots_[slot].next_retry_ns) {
            send_again(slot, now);
        }
    }
}

void Connection::send_again(uint32_t slot, uint64_t now) {
    Slot& again = slots_[slot];
    const uint64_t silent_ns = now - again.first_sent_ns;
    const bool probes = (probe_ >> slot & 1) != 0;
    const bool asks_on = probes && probe_sends_ < probe_sends_least;  // the process may have computed for long
    const uint64_t timeout_ns = probes ? std::max(probe_timeout_ns, pace_.silence_ns()) : peer_timeout_ns_;
    if (!dead_ && may_be_too_long(slot, now)) {
        shorten(slot, now);
    } else if (dead_ || (!asks_on && silent_ns > timeout_ns)) {
        end_in_vain(slot, now);
    } else if (again.last_sent_ns == 0) {  // the rest of a request, sent for the first time
        begin_waits(slot, now);
        send(slot, now);
    } else if (now < again.last_sent_ns + pace_.first_ns() && pace_.may_be_late(silent_ns)) {
        again.retry_interval_ns = pace_.first_ns();  // it was shorter when the packet was sent
        again.next_retry_ns = again.last_sent_ns + again.retry_interval_ns;
        note_sent(slot, again.last_sent_ns);
    } else {
        again.retry_interval_ns = pace_.next_ns(again.retry_interval_ns, silent_ns);
        again.next_retry_ns = now + again.retry_interval_ns;
        __atomic_store_n(&header_->retransmitted, header_->retransmitted + 1, __ATOMIC_RELAXED);
        probe_sends_ += probes ? 1 : 0;
        again.resent++;
        note(TraceKind::kRepeated, slot, again.resent);
        send(slot, now);
    }
}

// No answer has come for too long. For a probe, its length is too great; otherwise the node is dead, and all its
// requests end.
void Connection::end_in_vain(uint32_t slot, uint64_t now) {
    if (!give_up(slot)) {
        return;
    }
    if ((probe_ >> slot & 1) != 0) {
        end_probe(slot, false);
        return;
    }
    if (!dead_) {
        trace_->note(TraceKind::kNodeGivenUp, static_cast<int32_t>(node_), now - slots_[slot].first_sent_ns);
    }
    end_parts(slot);
    drop(slot);
    failed_ |= 1ull << slot;
    for (uint64_t left = dead_ ? 0 : pending_; left != 0; left &= left - 1) {
        slots_[std::countr_zero(left)].next_retry_ns = now;
    }
    dead_ = true;
}

uint64_t Connection::next_retry_ns() const {
    uint64_t next = UINT64_MAX;
    for (uint64_t left = pending_; left != 0; left &= left - 1) {
        next = std::min(next, slots_[std::countr_zero(left)].next_retry_ns);
    }
    return next;
}

}  // namespace syncline
