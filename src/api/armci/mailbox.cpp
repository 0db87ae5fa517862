// SPDX-License-Identifier: BSD-3-Clause
#include "api/armci/mailbox.h"

#include <algorithm>
#include <cstring>

#include "api/armci/error.h"

namespace syncline::armci {

Mailbox::Mailbox(int processes) : come_(static_cast<size_t>(processes)) {
    check(syncline_alloc(ring_bytes, 4096, &base_));
    own_ = static_cast<uint8_t*>(syncline_local(base_));
}

void Mailbox::send(int to, int tag, const void* bytes, size_t count) {
    const auto* at = static_cast<const uint8_t*>(bytes);
    size_t left = count;
    do {
        const size_t some = std::min<size_t>(left, room);
        send_cell(to, {0, static_cast<uint32_t>(syncline_rank()), tag, count, some}, at);
        at += some;
        left -= some;
    } while (left != 0);
}

void Mailbox::send_cell(int to, const Head& head, const uint8_t* bytes) {
    uint8_t written[cell_bytes];
    uint64_t ticket = 0, tail = 0;
    const uint64_t one = 1;
    check(syncline_atomic(SYNCLINE_ADD | SYNCLINE_64 | SYNCLINE_FETCH, to, base_, &one, nullptr, &ticket));
    for (;;) {
        check(syncline_get(to, base_ + 64, &tail, sizeof(tail)));
        if (ticket < tail + cells) {
            break;
        }
        if (!take()) {
            wait_for_next(pause_us);  // a message may come here before the receiver has room
        }
    }
    std::memcpy(written, &head, sizeof(head));
    if (head.here > 0) {  // the first cell may have no bytes, and then there may be no buffer
        std::memcpy(written + sizeof(head), bytes, head.here);
    }
    check(syncline_put(to, cell(ticket) + 8, written + 8, sizeof(head) - 8 + head.here));
    const uint64_t number = ticket + 1;
    check(syncline_atomic(SYNCLINE_SWAP | SYNCLINE_64, to, cell(ticket), &number, nullptr, nullptr));
}

bool Mailbox::take() {
    const uint8_t* const at = own_ + 128 + tail_ % cells * cell_bytes;
    const auto* const number = reinterpret_cast<const uint64_t*>(at);
    if (__atomic_load_n(number, __ATOMIC_ACQUIRE) != tail_ + 1) {
        return false;
    }
    Head head;
    std::memcpy(&head, at, sizeof(head));
    if (head.from >= come_.size() || head.here > room) {
        refuse("a message is damaged: something else has written into the symmetric heap");
    }
    std::deque<Message>& come = come_[head.from];
    if (come.empty() || come.back().bytes.size() == come.back().total) {
        come.push_back({head.tag, head.total, {}});
    }
    come.back().bytes.insert(come.back().bytes.end(), at + sizeof(head), at + sizeof(head) + head.here);
    tail_++;
    __atomic_store_n(reinterpret_cast<uint64_t*>(own_ + 64), tail_, __ATOMIC_RELEASE);
    return true;
}

void Mailbox::wait_for_next(int64_t timeout_us) const {
    const auto* const next = reinterpret_cast<const uint64_t*>(own_ + 128 + tail_ % cells * cell_bytes);
    const int status = syncline_wait_until64(next, SYNCLINE_GE, tail_ + 1, timeout_us);
    check(status == SYNCLINE_ERR_TIMEOUT ? 0 : status);
}

bool Mailbox::find(int from, int tag, int* sender, std::vector<uint8_t>* message) {
    const int first = from < 0 ? 0 : from;
    const int end = from < 0 ? static_cast<int>(come_.size()) : from + 1;
    for (int process = first; process < end; process++) {
        std::deque<Message>& come = come_[static_cast<size_t>(process)];
        const auto found = std::find_if(come.begin(), come.end(), [tag](const Message& one) {
            return one.tag == tag && one.bytes.size() == one.total;
        });
        if (found != come.end()) {
            *message = std::move(found->bytes);
            *sender = process;
            come.erase(found);
            return true;
        }
    }
    return false;
}

int Mailbox::receive(int from, int tag, std::vector<uint8_t>* message) {
    int sender = -1;
    while (!find(from, tag, &sender, message)) {
        if (!take()) {
            const Call::Aside aside;  // another thread may take the next message meanwhile, and even later ones
            wait_for_next(-1);
        }
    }
    return sender;
}

}  // namespace syncline::armci
