// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/handler/mailbox.h"

#include <algorithm>

#include "base/check.h"
#include "base/failure.h"

namespace syncline::dsm {

Mailbox::Mailbox(const Remote* remote, const Layout* layout)
    : remote_(remote), layout_(layout), posted_(batches().open()), peers_(remote->processes()) {}

Mailbox::~Mailbox() {
    finish();
    batches().close(posted_);
}

void Mailbox::finish() {
    (void)batches().complete(posted_);
}

bool Mailbox::has_room(uint32_t to) const {
    return peers_[to].sent < __atomic_load_n(remote_->own_word(layout_->room_of(to)), __ATOMIC_ACQUIRE) + cells();
}

void Mailbox::send(uint32_t to, const std::vector<uint8_t>& message) {
    Peer& peer = peers_[to];
    SYNCLINE_ASSERT(to != remote_->me() && !message.empty(), "%zu bytes to PE %u", message.size(), to);
    Cell cell;
    for (size_t at = 0; at < message.size(); at += cell.here) {
        cell.here = static_cast<uint32_t>(std::min(message.size() - at, sizeof(cell.bytes)));
        cell.left = static_cast<uint32_t>(message.size() - at - cell.here);
        std::memcpy(cell.bytes, message.data() + at, cell.here);
        if (peer.waiting.empty() && has_room(to)) {
            post(to, cell);
        } else {
            peer.waiting.push_back(cell);
            peer.queued.fetch_add(1, std::memory_order_relaxed);
            queued_.fetch_add(1, std::memory_order_relaxed);
        }
    }
    // A sleeping handler has looked at `queued_` before, or the room that comes wakes it.
    if (queued() != 0) {
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        pump();
    }
}

void Mailbox::post(uint32_t to, const Cell& cell) {
    Peer& peer = peers_[to];
    SYNCLINE_CHECK_SHARED(has_room(to), "cell %lu to PE %u", peer.sent, to);
    SYNCLINE_ASSERT(cell.here != 0 && cell.here <= sizeof(cell.bytes), "a cell of %u bytes", cell.here);
    const uint64_t offset = layout_->mail_cell(remote_->me(), peer.sent);
    AtomicCall number = {
        .operation = SYNCLINE_SWAP | SYNCLINE_64, .rank = static_cast<int>(to), .target = remote_->address(offset)};
    number.operand[0] = ++peer.sent;
    constexpr size_t skipped = offsetof(Cell, here);
    (void)batches().put_signal(posted_, remote_->address(offset + skipped), &cell.here,
                               offsetof(Cell, bytes) - skipped + cell.here, number);
}

void Mailbox::pump() {
    for (uint32_t to = 0; queued() != 0 && to < peers_.size(); to++) {
        Peer& peer = peers_[to];
        while (!peer.waiting.empty() && has_room(to)) {
            post(to, peer.waiting.front());
            peer.waiting.pop_front();
            SYNCLINE_ASSERT(peer.queued.load(std::memory_order_relaxed) != 0 && queued() != 0, "PE %u", to);
            peer.queued.fetch_sub(1, std::memory_order_relaxed);
            queued_.fetch_sub(1, std::memory_order_relaxed);
        }
    }
}

// NULL: the cell has not come yet.
const Mailbox::Cell* Mailbox::next_cell(uint32_t from) const {
    const uint64_t taken = peers_[from].taken.load(std::memory_order_relaxed);
    const uint64_t offset = layout_->mail_cell(from, taken);
    return __atomic_load_n(remote_->own_word(offset), __ATOMIC_ACQUIRE) == taken + 1
               ? reinterpret_cast<const Cell*>(remote_->own(offset))
               : nullptr;
}

bool Mailbox::has_work() const {
    for (uint32_t from = 0; from < peers_.size(); from++) {
        if (next_cell(from) != nullptr) {
            return true;
        }
    }
    for (uint32_t to = 0; queued() != 0 && to < peers_.size(); to++) {
        if (queued(to) != 0 && has_room(to)) {
            return true;
        }
    }
    return false;
}

// Takes all parts of the next message from a process that are here; returns true once the message is complete.
bool Mailbox::take_from(uint32_t from) {
    Peer& peer = peers_[from];
    while (const Cell* const cell = next_cell(from)) {
        if (cell->here > sizeof(cell->bytes)) {
            fail(SYNCLINE_ERR_PROTOCOL, "a message of process {} is damaged: a cell of {} bytes is too long", from,
                 cell->here);
        }
        const bool is_last = cell->left == 0;
        const size_t end = peer.part.size();
        peer.part.resize(end + cell->here);
        std::memcpy(peer.part.data() + end, cell->bytes, cell->here);
        const uint64_t taken = peer.taken.load(std::memory_order_relaxed) + 1;
        peer.taken.store(taken, std::memory_order_relaxed);
        if (taken % (cells() / 4) == 0) {
            add(from, layout_->room_of(remote_->me()), cells() / 4);
        }
        if (is_last) {
            return true;
        }
    }
    return false;
}

bool Mailbox::take(uint32_t* from, std::vector<uint8_t>* message) {
    for (size_t turn = 0; turn < peers_.size(); turn++) {
        *from = next_;
        next_ = (next_ + 1) % static_cast<uint32_t>(peers_.size());
        if (take_from(*from)) {
            message->clear();
            message->swap(peers_[*from].part);
            return true;
        }
    }
    return false;
}

void Mailbox::add(uint32_t to, uint64_t offset, uint64_t value) {
    AtomicCall call = {
        .operation = SYNCLINE_ADD | SYNCLINE_64, .rank = static_cast<int>(to), .target = remote_->address(offset)};
    call.operand[0] = value;
    (void)batches().atomic(posted_, call);
}

// Begins at the page's end, because the fabric says how much of a put's end travels with a signal. Where nothing can,
// the page is one put, and its signal follows.
void Mailbox::put_page(uint32_t to, uint32_t page) {
    const int rank = static_cast<int>(to);
    const Fabrics& fabrics = remote_->endpoint().fabrics();
    AtomicCall arrival = {
        .operation = SYNCLINE_ADD | SYNCLINE_64, .rank = rank, .target = remote_->address(layout_->arrived)};
    uint64_t sum = 0;  // of the arrivals
    for (size_t left = page_bytes; left > 0;) {
        const size_t with_signal = fabrics.bytes_with_signal(arrival, remote_->address(layout_->slot(page)), left);
        const size_t part = with_signal != 0 ? with_signal : left;
        const uint64_t offset = layout_->slot(page) + left - part;
        arrival.operand[0] = part;
        if (batches().put_signal(posted_, remote_->address(offset), remote_->own(offset), part, arrival) !=
            SYNCLINE_OK) {
            return;
        }
        SYNCLINE_ASSERT(part != 0 && part <= left, "%zu of %zu bytes", part, left);
        sum += arrival.operand[0];
        SYNCLINE_ASSERT(sum == page_bytes - left + part, "%lu bytes announced, %zu sent", sum,
                        page_bytes - left + part);
        left -= part;
    }
    SYNCLINE_ASSERT(sum == page_bytes, "%lu bytes of page %u have arrived", sum, page);
}

}  // namespace syncline::dsm
