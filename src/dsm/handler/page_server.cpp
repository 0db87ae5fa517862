// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/handler/page_server.h"

#include <utility>

namespace syncline::dsm {

PageServer::PageServer(const Remote* remote, const Layout* layout, Handler* handler, uint32_t pages)
    : remote_(remote), layout_(layout), handler_(handler), pages_(pages), versions_(remote, layout) {
    handler->serve(Kind::kTouch, [this](uint32_t, Reader* message) { touch(message); });
    handler->serve(Kind::kFetch, [this](uint32_t from, Reader* message) { fetch(from, message); });
    handler->serve(Kind::kDiff, [this](uint32_t from, Reader* message) { apply(from, message); });
}

uint32_t PageServer::check(uint32_t page) const {
    if (page >= pages_) {
        fail(SYNCLINE_ERR_PROTOCOL, "a message of the shared memory is damaged: there is no page {}", page);
    }
    return page;
}

uint32_t PageServer::assign(uint32_t page, uint32_t process, bool* assigned) {
    uint64_t seen = 0;
    *assigned = __atomic_compare_exchange_n(remote_->own_word(layout_->home_word(page)), &seen, uint64_t{process} + 1,
                                            false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return *assigned ? process : static_cast<uint32_t>(seen - 1);
}

// Runs at the default home, or at the home, whose own word of the page may not name the home.
void PageServer::touch(Reader* message) {
    const auto caller = message->take<Caller>();
    const auto home_known = message->take<uint32_t>();
    uint32_t page = 0;
    Request request = {caller.process, true, caller, Needs::read(message, &page)};
    bool assigned = false;
    const uint32_t home = home_known != 0 ? remote_->me() : assign(check(page), caller.process, &assigned);
    if (home == caller.process) {
        reply(caller, home, assigned);
    } else if (home == remote_->me()) {
        serve(check(page), std::move(request));
    } else {
        Message onward(Kind::kTouch);
        onward.add(caller).add(uint32_t{1}).add(page).add(static_cast<uint32_t>(request.needs.size()));
        onward.add_bytes(request.needs.data(), request.needs.size() * sizeof(Need));
        handler_->send(home, onward);
    }
}

void PageServer::reply(Caller caller, uint32_t home, bool assigned) {
    handler_->reply(caller, Handler::result().add(home).add(uint32_t{assigned}));
}

void PageServer::fetch(uint32_t process, Reader* message) {
    for (auto count = message->take<uint32_t>(); count > 0; count--) {
        uint32_t page = 0;
        Request request = {process, false, {}, Needs::read(message, &page)};
        serve(check(page), std::move(request));
    }
}

void PageServer::serve(uint32_t page, Request request) {
    if (versions_.satisfy(page, request.needs)) {
        answer(page, request);
    } else {
        waiting_[page].push_back(std::move(request));
    }
}

void PageServer::answer(uint32_t page, const Request& request) {
    handler_->put_page(request.process, page);
    if (request.is_touch) {
        reply(request.caller, remote_->me(), false);
    }
}

void PageServer::apply(uint32_t writer, Reader* message) {
    const auto interval = message->take<uint64_t>();
    for (auto count = message->take<uint32_t>(); count > 0; count--) {
        const uint32_t page = check(message->take<uint32_t>());
        apply_page(page, message);
        versions_.set(page, writer, interval);
        serve_waiting(page);
    }
    handler_->wake();
}

void PageServer::apply_page(uint32_t page, Reader* message) {
    const auto count = message->take<uint32_t>();
    Reader pieces({message->take_bytes(count * sizeof(DiffPiece)), count * sizeof(DiffPiece)});
    uint8_t* const home = remote_->own(layout_->slot(page));
    for (uint32_t i = 0; i < count; i++) {
        const auto piece = pieces.take<DiffPiece>();
        if (piece.offset + uint32_t{piece.bytes} > page_bytes) {
            fail(SYNCLINE_ERR_PROTOCOL, "a message of the shared memory is damaged: {} bytes at {} of a page",
                 piece.bytes, piece.offset);
        }
        std::memcpy(home + piece.offset, message->take_bytes(piece.bytes), piece.bytes);
    }
}

void PageServer::serve_waiting(uint32_t page) {
    const auto found = waiting_.find(page);
    if (found == waiting_.end()) {
        return;
    }
    std::vector<Request> requests = std::move(found->second);
    waiting_.erase(found);
    for (Request& request : requests) {
        serve(page, std::move(request));
    }
}

}  // namespace syncline::dsm
