// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/handler/barrier_server.h"

namespace syncline::dsm {

BarrierServer::BarrierServer(Handler* handler, uint32_t processes, uint32_t pages)
    : handler_(handler), processes_(processes), gathered_(processes, pages) {
    handler->serve(Kind::kArrive, [this](uint32_t, Reader* message) { arrive(message); });
}

void BarrierServer::arrive(Reader* message) {
    Arrival arrival;
    arrival.caller = message->take<Caller>();
    arrival.known = gathered_.read_knowledge(message);
    gathered_.read(message, [](uint32_t, const Notice&) {});
    arrivals_.push_back(std::move(arrival));
    if (arrivals_.size() == processes_) {
        depart();
    }
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
