// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/handler/barrier_server.h"

#include <algorithm>
#include <functional>

namespace syncline::dsm {

BarrierServer::BarrierServer(Handler* handler, const NoticeStore* store, uint32_t processes, uint32_t pages)
    : handler_(handler), store_(store), processes_(processes), gathered_(processes, pages) {
    handler->serve(Kind::kArrive, [this](uint32_t, Reader* message) { arrive(message); });
    handler->serve(Kind::kNews, [this](uint32_t, Reader* message) { take_notices(message); });
}

std::vector<uint8_t> BarrierServer::meet() {
    const std::vector<uint8_t> reply = handler_->call(0, Kind::kArrive, [&](Message* message) {
        is_inside_ = true;
        NoticeStore::write(store_->known(), message);
        write_own(message);
    });
    handler_->run([&] { is_inside_ = false; });
    return reply;
}

void BarrierServer::tell() {
    if (is_inside_) {
        Message message(Kind::kNews);
        write_own(&message);
        handler_->send(0, message);
    }
}

// These are what a process lacks that knows all other notices.
void BarrierServer::write_own(Message* message) {
    Knowledge known = store_->known();
    uint64_t& own = known[handler_->me()];
    const uint64_t last = own;
    own = told_;
    store_->write(UINT32_MAX, known, message);
    told_ = last;
}

void BarrierServer::arrive(Reader* message) {
    Arrival arrival;
    arrival.caller = message->take<Caller>();
    arrival.known = gathered_.read_knowledge(message);
    arrivals_.push_back(std::move(arrival));
    take_notices(message);
}

void BarrierServer::take_notices(Reader* message) {
    gathered_.read(message, [](uint32_t, const Notice&) {});
    if (is_complete()) {
        depart();
    }
}

bool BarrierServer::is_complete() const {
    const Knowledge& all = gathered_.known();
    return arrivals_.size() == processes_ && std::all_of(arrivals_.begin(), arrivals_.end(), [&](const Arrival& one) {
               return std::equal(one.known.begin(), one.known.end(), all.begin(), std::less_equal<>());
           });
}

void BarrierServer::depart() {
    for (const Arrival& arrival : arrivals_) {
        Message result = Handler::result();
        NoticeStore::write(gathered_.known(), &result);
        gathered_.write(arrival.caller.process, arrival.known, &result);
        handler_->reply(arrival.caller, result);
    }
    arrivals_.clear();
    const Knowledge all = gathered_.known();
    gathered_.drop(all);
}

}  // namespace syncline::dsm
