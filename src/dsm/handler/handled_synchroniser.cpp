// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/handler/handled_synchroniser.h"

#include <mutex>

namespace syncline::dsm {

Notices::News HandledSynchroniser::take_in(Reader* notices) {
    Notices::News news;
    parts_.handler->run([&] {
        parts_.store->read(notices, [&](uint32_t writer, const Notice& notice) {
            parts_.needs->add(writer, notice);
            news.runs.push_back(notice.run);
            parts_.statistics->notices_received += notice.run.count;
        });
    });
    return news;
}

void HandledSynchroniser::flush() {
    const std::lock_guard<SpinLock> guard(*parts_.guard);
    parts_.service->publish(parts_.pages->flush());
}

void HandledSynchroniser::take_grant(const std::vector<uint8_t>& grant) {
    if (grant.empty()) {
        return;
    }
    const std::lock_guard<SpinLock> guard(*parts_.guard);
    Reader notices(grant);
    parts_.pages->invalidate(take_in(&notices), Pages::Moment::kLock);
}

void HandledSynchroniser::acquire(uint32_t lock) {
    take_grant(parts_.locks->acquire(lock));
}

bool HandledSynchroniser::try_acquire(uint32_t lock) {
    const std::optional<std::vector<uint8_t>> grant = parts_.locks->try_acquire(lock);
    if (grant) {
        take_grant(*grant);
    }
    return grant.has_value();
}

void HandledSynchroniser::release(uint32_t lock) {
    flush();
    parts_.locks->release(lock);
}

void HandledSynchroniser::barrier() {
    flush();
    const std::vector<uint8_t> departure = parts_.barrier->meet();
    Reader reader(departure);
    const std::lock_guard<SpinLock> guard(*parts_.guard);
    const Knowledge all = parts_.store->read_knowledge(&reader);
    const Notices::News news = take_in(&reader);
    if (!last_barrier_.empty()) {
        parts_.handler->run([&] { parts_.store->drop(last_barrier_); });
    }
    last_barrier_ = all;
    parts_.pages->invalidate(news, Pages::Moment::kBarrier);
}

}  // namespace syncline::dsm
