// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/handler/handler.h"

#include "base/status.h"
#include "runtime/ground/error_text.h"

namespace syncline::dsm {
namespace {

constexpr uint64_t look_ns = 10 * ns_per_ms;  // between two looks of the handler at whether it is to end
constexpr uint64_t help_ns = ns_per_ms / 4;   // for which it works beside an application that waits
constexpr uint64_t pause_ns = 2 * ns_per_us;
constexpr size_t call_number = sizeof(Kind);  // offset of the call's number in a reply

}  // namespace

Handler::Handler(const Remote* remote, const Layout* layout, Statistics* statistics)
    : remote_(remote), statistics_(statistics), mailbox_(remote, layout), doorbell_(make_doorbell()) {
    serve(Kind::kReply, [this](uint32_t, Reader* message) { take_reply(message); });
}

Handler::~Handler() {
    end();
}

void Handler::start() {
    thread_ = run_in_background([this] { work(); });
}

void Handler::end() {
    stop_.store(true);
    doorbell_->ring();
    thread_.reset();
}

// After the first barrier all messages are in their receivers' rings, and no process sends a message that needs an
// answer. The remaining messages are diffs, and the end of a lock's trial; their handlers still send only the news that
// there is room.
void Handler::stop(Barrier* barrier) {
    const auto meet = [barrier] {
        if (barrier->start(Reduction::kNone, 0) == SYNCLINE_OK) {
            (void)barrier->wait();
        }
    };
    while (mailbox_.queued() != 0) {
        const auto moves = [this] { return mailbox_.queued() == 0 || mailbox_.has_work(); };
        if (wait_for_pes(&remote_->endpoint(), 0, -1, {WaitFor::kRoom}, moves) != SYNCLINE_OK) {
            end();
            return;
        }
        handle();
    }
    mailbox_.finish();
    meet();
    end();
    mailbox_.finish();
    meet();
}

void Handler::work() {
    while (!stop_.load()) {
        const bool is_helped = helpers_.load() != 0;
        const auto wanted = [&] {
            return mailbox_.has_work() || stop_.load(std::memory_order_relaxed) ||
                   (!is_helped && helpers_.load(std::memory_order_relaxed) != 0);
        };
        const int waited = remote_->endpoint().waiting().wait_for(wanted, now_ns() + (is_helped ? help_ns : look_ns),
                                                                  {WaitFor::kUntraced});
        if (waited == SYNCLINE_ERR_NODE) {
            return;  // the threads that wait report it
        }
        if (mailbox_.has_work()) {
            handle();
        } else if (waited == SYNCLINE_ERR_TIMEOUT && is_helped) {
            rest();
        }
    }
    while (mailbox_.has_work()) {
        handle();
    }
}

// Either this thread sees that no thread helps, or the last thread that helps sees that this one rests (Dekker).
void Handler::rest() {
    rests_.store(true);
    if (helpers_.load() != 0 && !stop_.load()) {
        doorbell_->wait();
    }
    rests_.store(false);
}

void Handler::stop_helping() {
    if (helpers_.fetch_sub(1) == 1 && rests_.load()) {
        doorbell_->ring();
    }
}

void Handler::handle() {
    std::vector<uint8_t> message;
    uint32_t from = 0;
    const std::lock_guard<SpinLock> guard(state_);
    const uint64_t start = now_ns();
    try {
        if (mailbox_.take(&from, &message)) {
            dispatch(from, message);
            deliver_own();
            statistics_->messages_handled++;
            statistics_->handler_ns += now_ns() - start;
        }
    } catch (const Failure& failure) {
        remote_->check(keep_error(failure.status(), failure.what()));
    }
    mailbox_.pump();
}

void Handler::pause() {
    Endpoint& endpoint = remote_->endpoint();
    const auto wanted = [this] { return mailbox_.has_work(); };
    if (endpoint.waiting().wait_for(wanted, now_ns() + pause_ns, {WaitFor::kReply}) == SYNCLINE_ERR_NODE) {
        remote_->check(error(SYNCLINE_ERR_NODE, "{}", status_text(SYNCLINE_ERR_NODE)));
    }
    while (mailbox_.has_work()) {
        handle();
    }
    if (const std::optional<uint32_t> gone = endpoint.liveness().look_now_and_then()) {
        remote_->check(error(SYNCLINE_ERR_PEER, "PE {} is gone", *gone));
    }
}

void Handler::dispatch(uint32_t from, const std::vector<uint8_t>& message) {
    Reader reader(message);
    const auto kind = static_cast<size_t>(reader.take<Kind>());
    if (kind >= kinds || servers_[kind] == nullptr) {
        fail(SYNCLINE_ERR_PROTOCOL, "a message of process {} is damaged: there is no kind {}", from, kind);
    }
    servers_[kind](from, &reader);
}

void Handler::deliver_own() {
    while (!own_.empty()) {
        const std::vector<uint8_t> message = std::move(own_.front());
        own_.pop_front();
        dispatch(me(), message);
    }
}

void Handler::send(uint32_t to, const Message& message) {
    if (to == me()) {
        own_.push_back(message.bytes());
    } else {
        mailbox_.send(to, message.bytes());
    }
}

void Handler::reply(Caller caller, const Message& result) {
    Message numbered = result;
    numbered.set(call_number, caller.number);
    send(caller.process, numbered);
}

void Handler::wake() {
    remote_->endpoint().memory().written(remote_->endpoint().port_of(static_cast<int>(me())));
}

void Handler::take_reply(Reader* message) {
    const auto found = calls_.find(message->take<uint32_t>());
    if (found == calls_.end()) {
        fail(SYNCLINE_ERR_PROTOCOL, "a reply of the shared memory is damaged: no thread waits for it");
    }
    Call* const call = found->second;
    calls_.erase(found);
    call->result.assign(message->rest().begin(), message->rest().end());
    call->done.store(true, std::memory_order_release);
    wake();
}

std::vector<uint8_t> Handler::call(uint32_t to, Kind kind, const Fill& fill) {
    Call call;
    run([&] {
        const Caller caller = {me(), next_call_++};
        calls_.emplace(caller.number, &call);
        Message message(kind);
        message.add(caller);
        fill(&message);
        send(to, message);
    });
    await([&] { return call.done.load(std::memory_order_acquire); });
    return std::move(call.result);
}

}  // namespace syncline::dsm
