// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/lock/hybrid_lock.h"

#include <algorithm>

#include "base/check.h"

namespace syncline {

namespace {
uint64_t load(const uint64_t* word) {
    return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}
}  // namespace

HybridLock::HybridLock(Endpoint* endpoint, syncline_address_t base, int home)
    : Lock(endpoint, base, home),
      local_(home == words_.rank() || endpoint->memory().pointer(home, base, 8) != nullptr),
      seen_(static_cast<size_t>(words_.size())),
      server_words_(endpoint) {
    if (home == words_.rank()) {
        server_ = run_in_background([this] { serve(); });
    }
}

HybridLock::~HybridLock() {
    (void)finish_release();
    stop_.store(true);
    server_.reset();
}

uint64_t* HybridLock::home_word(uint64_t offset) const {
    if (home_ == words_.rank()) {
        return words_.own(at(offset));
    }
    return static_cast<uint64_t*>(words_.endpoint()->memory().pointer(home_, at(offset), 8));
}

// A PE of the home's node has the ticket that the counter says; for others the server has it.
void HybridLock::check_entered() const {
    SYNCLINE_ASSERT(local_ || release_request_ == 0, "request %#lx", release_request_);
#ifdef SYNCLINE_CHECKS
    if (const uint64_t* const counter = local_ ? home_word(LockLayout::counter) : nullptr; counter != nullptr) {
        SYNCLINE_CHECK_SHARED(own() == load(counter) + kFirst, "own word %lu, counter %lu", own(), load(counter));
    }
#endif
}

int HybridLock::finish_release() {
    const syncline_request_t request = release_request_;
    release_request_ = 0;
    return request == 0 ? static_cast<int>(SYNCLINE_OK) : words_.endpoint()->requests().wait(request);
}

int HybridLock::enter(uint64_t deadline_ns) {
    if (deadline_ns != no_deadline) {
        return try_until(deadline_ns);
    }
    return local_ ? enter_local() : ask(false);
}

int HybridLock::try_enter() {
    return local_ ? try_local() : ask(true);
}

// The home's memory stays mapped when the home dies, but home_word() returns NULL then.
int HybridLock::enter_local() {
    uint64_t* const next = home_word(LockLayout::ticket);
    if (next == nullptr) {
        return break_lock();
    }
    const uint64_t* const counter = next + (LockLayout::counter - LockLayout::ticket) / 8;
    const uint64_t* const broken = next - (LockLayout::ticket - LockLayout::broken) / 8;
    set_own(kTaking);
    const uint64_t ticket = __atomic_fetch_add(next, 1, __ATOMIC_SEQ_CST);
    set_own(ticket + kFirst);
    waited_ += load(counter) == ticket ? 0 : 1;
    for (uint64_t serving; (serving = load(counter)) != ticket;) {
        if (load(broken) != 0 || home_word(LockLayout::ticket) == nullptr) {
            return break_lock();
        }
        if (const int paused = words_.pause(std::min((ticket - serving) * pause_ns, pause_ns_max));
            paused != SYNCLINE_OK) {
            return paused;
        }
    }
    return SYNCLINE_OK;
}

int HybridLock::try_local() {
    uint64_t* const next = home_word(LockLayout::ticket);
    if (next == nullptr || load(next - (LockLayout::ticket - LockLayout::broken) / 8) != 0) {
        return break_lock();
    }
    set_own(kTaking);
    uint64_t ticket = load(next + (LockLayout::counter - LockLayout::ticket) / 8);
    const bool taken =
        __atomic_compare_exchange_n(next, &ticket, ticket + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    set_own(taken ? ticket + kFirst : kNone);  // a swap that succeeds leaves `ticket` as it was
    return taken ? SYNCLINE_OK : SYNCLINE_ERR_BUSY;
}

Watch::Inspector HybridLock::home_inspector() {
    return [this](const Probe::Seen* seen) -> Watch::Step {
        if (seen == nullptr) {
            return {Watch::Verdict::kLook, home_, at(LockLayout::broken)};
        }
        const bool well = seen->status == SYNCLINE_OK && seen->value == 0;
        return {well ? Watch::Verdict::kHealthy : Watch::Verdict::kBroken};
    };
}

// Sends a remote client's request, and waits for the server's answer.
int HybridLock::ask(bool trying) {
    if (const int status = finish_release(); status != SYNCLINE_OK) {
        return broken_by(status);
    }
    const uint64_t request = ++requests_ * 2 + (trying ? 1 : 0);
    if (const int status = words_.put(home_, at(LockLayout::mailbox(words_.rank())), request); status != SYNCLINE_OK) {
        return broken_by(status);
    }
    waited_++;
    const uint64_t* const word = words_.own(at(LockLayout::notified));
    const auto answered = [&] { return __atomic_load_n(word, __ATOMIC_ACQUIRE) >= requests_ * 2; };
    if (const int status = watch_.wait(answered, no_deadline, home_inspector()); status != SYNCLINE_OK) {
        return broken_by(status);
    }
    return (__atomic_load_n(word, __ATOMIC_ACQUIRE) & 1) != 0 ? SYNCLINE_ERR_BUSY : SYNCLINE_OK;
}

// Tells the server and does not wait: the next entry finds out how the put ended.
int HybridLock::leave() {
    release_value_ = ++releases_;
    const syncline_address_t word = at(LockLayout::mailbox(words_.rank()) + 8);
    words_.count(home_);
    if (local_) {
        const int status = words_.put(home_, word, release_value_);
        return status == SYNCLINE_OK ? status : broken_by(status);
    }
    const int status = words_.endpoint()->bulk().put_nb(home_, word, &release_value_, 8, 0, &release_request_);
    return status == SYNCLINE_OK ? status : broken_by(status);
}

// ---- The server ----

bool HybridLock::has_mail() const {
    const uint64_t* const mail = words_.own(at(LockLayout::mailbox(0)));
    for (size_t rank = 0; rank < seen_.size(); rank++) {
        if (load(&mail[rank * 2]) != seen_[rank].requests || load(&mail[rank * 2 + 1]) != seen_[rank].releases) {
            return true;
        }
    }
    return false;
}

// Takes releases first, because a PE that asks again has released before.
void HybridLock::take_mail() {
    const uint64_t* const mail = words_.own(at(LockLayout::mailbox(0)));
    uint64_t* const next = words_.own(at(LockLayout::ticket));
    uint64_t* const counter = words_.own(at(LockLayout::counter));
    for (size_t rank = 0; rank < seen_.size(); rank++) {
        const uint64_t request = load(&mail[rank * 2]);
        if (const uint64_t releases = load(&mail[rank * 2 + 1]); releases != seen_[rank].releases) {
            seen_[rank].releases = releases;
            holder_ = -1;
            __atomic_store_n(counter, load(counter) + 1, __ATOMIC_SEQ_CST);
        }
        if (request == seen_[rank].requests) {
            continue;
        }
        seen_[rank].requests = request;
        uint64_t ticket = load(counter);
        if ((request & 1) == 0) {
            ticket = __atomic_fetch_add(next, 1, __ATOMIC_SEQ_CST);
        } else if (!__atomic_compare_exchange_n(next, &ticket, ticket + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            answer(static_cast<int>(rank), true);
            continue;
        }
        SYNCLINE_CHECK_SHARED(queue_.empty() || queue_.back().ticket < ticket, "ticket %lu behind %lu", ticket,
                              queue_.back().ticket);
        queue_.push_back({ticket, static_cast<int>(rank)});
    }
}

void HybridLock::answer(int rank, bool refused) {
    const uint64_t request = seen_[static_cast<size_t>(rank)].requests / 2;
    const int status = server_words_.put(rank, at(LockLayout::notified), request * 2 + (refused ? 1 : 0));
    if (refused || status == SYNCLINE_OK) {
        return;
    }
    if (status == SYNCLINE_ERR_PEER && surely_gone(rank)) {
        holder_ = -1;  // the client never had the lock
        uint64_t* const counter = words_.own(at(LockLayout::counter));
        __atomic_store_n(counter, load(counter) + 1, __ATOMIC_SEQ_CST);
    } else {
        __atomic_store_n(words_.own(at(LockLayout::broken)), 1, __ATOMIC_SEQ_CST);
    }
}

void HybridLock::answer_next() {
    while (!queue_.empty() && queue_.front().ticket == load(words_.own(at(LockLayout::counter)))) {
        const Client client = queue_.front();
        queue_.pop_front();
        SYNCLINE_CHECK_SHARED(holder_ != client.rank, "PE %d has the lock", client.rank);
        holder_ = client.rank;
        answer(client.rank, false);
    }
}

void HybridLock::check_holder() {
    const uint64_t serving = load(words_.own(at(LockLayout::counter)));
    if (serving == load(words_.own(at(LockLayout::ticket)))) {
        return;  // the lock is free
    }
    bool gone = false;
    if (holder_ >= 0) {
        uint64_t ignored;
        gone = server_words_.get(holder_, at(LockLayout::own), &ignored) != SYNCLINE_OK;
    } else if (queue_.empty() || queue_.front().ticket != serving) {
        const RankMap& map = words_.endpoint()->attachment().job().map;
        const Roll roll = call_roll(map.ranks_of(words_.endpoint()->config().node), LockLayout::own,
                                    [&](uint64_t own) { return own == kTaking || own == serving + kFirst; });
        gone = roll.somebody_is_gone && roll.matching == 0 && !has_mail();
    }
    if (gone) {
        __atomic_store_n(words_.own(at(LockLayout::broken)), 1, __ATOMIC_SEQ_CST);
    }
}

void HybridLock::serve() {
    uint64_t check_at = now_ns() + Watch::patience_ns;
    uint64_t checked = 0;  // the counter at the last check
    while (!stop_.load()) {
        const auto wanted = [&] { return has_mail() || stop_.load(std::memory_order_relaxed); };
        const int waited = words_.endpoint()->waiting().wait_for(wanted, check_at, {WaitFor::kUntraced});
        take_mail();
        answer_next();
        if (waited == SYNCLINE_ERR_NODE) {
            return;  // waiting PEs of this node ask the daemon by themselves; to others the home is silent
        }
        if (const uint64_t now = now_ns(); now >= check_at) {
            const uint64_t counter = load(words_.own(at(LockLayout::counter)));
            if (counter == checked) {
                check_holder();
            }
            checked = counter;
            check_at = now + Watch::patience_ns;
        }
    }
}

}  // namespace syncline
