// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/handler/lock_server.h"

#include <utility>

#include "base/check.h"

namespace syncline::dsm {

LockServer::LockServer(Handler* handler, const NoticeStore* store, uint32_t processes)
    : handler_(handler), store_(store), processes_(processes) {
    handler->serve(Kind::kAcquire, [this](uint32_t, Reader* message) {
        uint32_t number = 0;
        Request request = read(message, &number);
        queue(number, std::move(request));
    });
    handler->serve(Kind::kForward, [this](uint32_t, Reader* message) {
        uint32_t number = 0;
        Request request = read(message, &number);
        answer(number, std::move(request));
    });
    handler->serve(Kind::kTried, [this](uint32_t, Reader* message) {
        const auto number = message->take<uint32_t>();
        end_trial(number, message->take<uint32_t>());
    });
}

// At first a lock is at its manager.
LockServer::Lock& LockServer::lock(uint32_t number) {
    const auto [found, is_new] = locks_.try_emplace(number);
    if (is_new) {
        found->second.here = manager(number) == handler_->me();
        found->second.end = manager(number);
    }
    return found->second;
}

// ---- Called by threads of the application ----

bool LockServer::take_here(uint32_t number) {
    bool taken = false;
    handler_->run([&] {
        Lock& own = lock(number);
        taken = own.here;
        SYNCLINE_ASSERT(!own.taken, "lock %u is taken by this process", number);
        own.taken = own.here;
    });
    return taken;
}

std::vector<uint8_t> LockServer::ask(uint32_t number, bool is_trial) {
    return handler_->call(manager(number), Kind::kAcquire, [&](Message* message) {
        message->add(number).add(uint32_t{is_trial});
        NoticeStore::write(store_->known(), message);
    });
}

std::optional<std::vector<uint8_t>> LockServer::take(uint32_t number, const std::vector<uint8_t>& reply) {
    Reader reader(reply);
    if (reader.take<uint32_t>() == 0) {
        return std::nullopt;
    }
    handler_->run([&] {
        Lock& own = lock(number);
        SYNCLINE_ASSERT(!own.here && !own.taken, "lock %u is here already", number);
        own.here = true;
        own.taken = true;
    });
    return std::vector<uint8_t>(reader.rest().begin(), reader.rest().end());
}

std::vector<uint8_t> LockServer::acquire(uint32_t number) {
    if (take_here(number)) {
        return {};
    }
    std::optional<std::vector<uint8_t>> notices = take(number, ask(number, false));
    if (!notices) {
        fail(SYNCLINE_ERR_PROTOCOL,
             "a message of the shared memory is damaged: lock {} is refused to a process that waits", number);
    }
    return *std::move(notices);
}

std::optional<std::vector<uint8_t>> LockServer::try_acquire(uint32_t number) {
    return take_here(number) ? std::vector<uint8_t>() : take(number, ask(number, true));
}

void LockServer::release(uint32_t number) {
    handler_->run([&] {
        Lock& own = lock(number);
        SYNCLINE_ASSERT(own.here && own.taken, "lock %u is here %d, taken %d", number, own.here, own.taken);
        own.taken = false;
        if (own.next) {
            own.here = false;
            grant(*std::exchange(own.next, std::nullopt));
        }
    });
}

// ---- Called by handlers ----

LockServer::Request LockServer::read(Reader* message, uint32_t* number) const {
    Request request;
    request.caller = message->take<Caller>();
    *number = message->take<uint32_t>();
    request.is_trial = message->take<uint32_t>() != 0;
    request.known = store_->read_knowledge(message);
    return request;
}

void LockServer::queue(uint32_t number, Request request) {
    Lock& own = lock(number);
    if (own.is_tried) {
        own.kept.push_back(std::move(request));
    } else if (request.is_trial) {
        own.is_tried = true;
        pass(own.end, number, request);
    } else {
        pass(std::exchange(own.end, request.caller.process), number, request);
    }
}

void LockServer::pass(uint32_t to, uint32_t number, const Request& request) {
    Message message(Kind::kForward);
    message.add(request.caller).add(number).add(uint32_t{request.is_trial});
    NoticeStore::write(request.known, &message);
    handler_->send(to, message);
}

void LockServer::end_trial(uint32_t number, uint32_t end) {
    Lock& own = lock(number);
    own.end = end;
    own.is_tried = false;
    for (Request& request : std::exchange(own.kept, {})) {
        queue(number, std::move(request));
    }
}

void LockServer::answer(uint32_t number, Request request) {
    Lock& own = lock(number);
    if (request.is_trial) {
        answer_trial(number, request);
    } else if (own.here && !own.taken) {
        own.here = false;
        grant(request);
    } else {
        own.next = std::move(request);
    }
}

void LockServer::answer_trial(uint32_t number, const Request& request) {
    Lock& own = lock(number);
    const bool is_free = own.here && !own.taken;
    if (is_free) {
        own.here = false;
        grant(request);
    } else {
        refuse(request);
    }
    const uint32_t end = is_free ? request.caller.process : handler_->me();
    handler_->send(manager(number), Message(Kind::kTried).add(number).add(end));
}

void LockServer::grant(const Request& request) {
    Message result = Handler::result().add(uint32_t{1});
    store_->write(request.caller.process, request.known, &result);
    handler_->reply(request.caller, result);
}

void LockServer::refuse(const Request& request) {
    handler_->reply(request.caller, Handler::result().add(uint32_t{0}));
}

}  // namespace syncline::dsm
