// SPDX-License-Identifier: BSD-3-Clause
#include "tests/deterministic/dsm_machine.h"

#include <fmt/format.h>

#include <cstring>

#include "tests/deterministic/draw.h"

namespace syncline::deterministic {

using dsm::page_bytes;
using dsm::Right;

SimulatedView::SimulatedView(uint32_t pages, uint8_t* slots, const Limits& limits, Scheduler* scheduler,
                             std::function<void(const std::string&)> wrong)
    : scheduler_(scheduler),
      wrong_(std::move(wrong)),
      limits_(limits),
      slots_(slots),
      bytes_(new uint8_t[uint64_t{pages} * page_bytes]),
      pages_(pages) {
    std::memset(bytes_.get(), 0xEE, uint64_t{pages} * page_bytes);
}

void SimulatedView::check(bool is_right, const char* what, uint32_t page) const {
    if (!is_right) {
        wrong_(fmt::format("the library {} page {}, which it must not", what, page));
    }
}

uint8_t* SimulatedView::page(uint32_t page) {
    check(page < pages_.size() && !pages_[page].is_adopted, "asks for the copy of", page);
    return bytes_.get() + uint64_t{page} * page_bytes;
}

uint8_t* SimulatedView::shown(uint32_t page) {
    return (pages_[page].is_adopted ? slots_ : bytes_.get()) + uint64_t{page} * page_bytes;
}

void SimulatedView::prepare(uint32_t first, uint32_t count) {
    for (uint32_t page = first; page < first + count; page++) {
        check(page < pages_.size() && !pages_[page].is_adopted && pages_[page].right == Right::kNone, "prepares", page);
    }
    scheduler_->step();
}

// The kernel changes one page after another.
void SimulatedView::change(uint32_t first, uint32_t count, Right from, Right to) {
    for (uint32_t page = first; page < first + count; page++) {
        check(page < pages_.size() && !pages_[page].is_adopted && pages_[page].right == from && from != to, "changes",
              page);
        scheduler_->step();
        pages_[page].right = to;
        pages_[page].is_hidden = pages_[page].is_hidden && from != Right::kNone;
        if (to == Right::kNone) {
            std::memset(bytes_.get() + uint64_t{page} * page_bytes, static_cast<int>(0xA0 + page % 16), page_bytes);
        }
    }
}

void SimulatedView::restore(uint32_t page, Right right) {
    check(page < pages_.size() && !pages_[page].is_adopted && pages_[page].right == right, "restores", page);
    pages_[page].is_hidden = false;
    scheduler_->step();
}

void SimulatedView::adopt(uint32_t first, uint32_t count, Right right) {
    for (uint32_t page = first; page < first + count; page++) {
        check(page < pages_.size() && !pages_[page].is_adopted && pages_[page].right == Right::kNone, "adopts", page);
        scheduler_->step();
        pages_[page] = {right, true, false};
    }
}

// `least`: whatever the rights of adopted pages are.
uint32_t SimulatedView::mappings(bool least) const {
    uint32_t count = 1;
    for (size_t page = 1; page < pages_.size(); page++) {
        const Page& one = pages_[page - 1];
        const Page& next = pages_[page];
        count += one.is_adopted != next.is_adopted || (!least && one.is_adopted && one.right != next.right) ? 1 : 0;
    }
    return count;
}

bool SimulatedView::change_adopted(uint32_t first, uint32_t count, Right to) {
    const std::vector<Page> before = pages_;
    const uint32_t mappings_before = mappings(false);
    for (uint32_t page = first; page < first + count; page++) {
        check(page < pages_.size() && pages_[page].is_adopted && to != Right::kNone, "changes the own", page);
        pages_[page].right = to;
    }
    const uint32_t mappings_now = mappings(false);
    if (mappings_now > mappings_before && mappings_now > mappings(true) + limits_.mappings) {
        pages_ = before;
        return false;
    }
    scheduler_->step();
    return true;
}

bool SimulatedView::allows(uint32_t page, bool write) {
    Page& one = pages_[page];
    const bool has_right = one.right >= (write ? Right::kWrite : Right::kRead);
    if (has_right && !one.is_adopted && limits_.hides != 0 && scheduler_->prng().below(limits_.hides) == 0) {
        one.is_hidden = true;
    }
    return has_right && !one.is_hidden;
}

template <typename Body>
auto SimulatedMachine::at(const char* what, Body&& body) {
    referee_->doing[actor_] = what;
    referee_->begins(actor_);
    if constexpr (std::is_void_v<decltype(body())>) {
        body();
        referee_->doing[actor_] = "running";
    } else {
        const auto result = body();
        referee_->doing[actor_] = "running";
        return result;
    }
}

// Some bytes at a time, as a processor does, and the program may be interrupted in between.
template <typename Access>
void SimulatedMachine::access(uint64_t at, uint32_t bytes, bool write, Access&& one) {
    for (uint32_t done = 0; done < bytes;) {
        const auto page = static_cast<uint32_t>((at + done) / page_bytes);
        const auto place = static_cast<uint32_t>((at + done) % page_bytes);
        const auto some = static_cast<uint32_t>(1 + scheduler().prng().below(512));
        const uint32_t length = std::min({bytes - done, page_bytes - place, some});
        while (!process_->view->allows(page, write)) {
            this->at("in a fault", [&] { shared().fault(page, write); });
        }
        one(process_->view->shown(page) + place, done, length);
        done += length;
        if (scheduler().prng().below(16) == 0) {
            scheduler().step();
        }
    }
}

void SimulatedMachine::load(uint64_t at, void* to, uint32_t bytes) {
    access(at, bytes, false, [&](const uint8_t* from, uint32_t done, uint32_t length) {
        std::memcpy(static_cast<uint8_t*>(to) + done, from, length);
    });
}

void SimulatedMachine::store(uint64_t at, const void* from, uint32_t bytes) {
    access(at, bytes, true, [&](uint8_t* to, uint32_t done, uint32_t length) {
        std::memcpy(to, static_cast<const uint8_t*>(from) + done, length);
    });
}

void SimulatedMachine::prefetch(uint64_t at, uint64_t bytes, bool write) {
    this->at("in prefetch", [&] {
        shared().prefetch(static_cast<uint32_t>(at / page_bytes), static_cast<uint32_t>(bytes / page_bytes), write);
    });
}

void SimulatedMachine::lock(uint32_t lock) {
    at("in lock", [&] { shared().lock(lock); });
}

bool SimulatedMachine::try_lock(uint32_t lock) {
    return at("in try_lock", [&] { return shared().try_lock(lock); });
}

void SimulatedMachine::unlock(uint32_t lock) {
    if (!at("in unlock", [&] { return shared().unlock(lock); })) {
        wrong(fmt::format("the library says that lock {} is not held", lock));
    }
}

void SimulatedMachine::wait(uint32_t condition, uint32_t lock) {
    at("waiting for a condition", [&] { shared().wait_for(condition, lock); });
}

void SimulatedMachine::signal(uint32_t condition) {
    at("in signal", [&] { shared().signal(condition); });
}

void SimulatedMachine::broadcast(uint32_t condition) {
    at("in broadcast", [&] { shared().broadcast(condition); });
}

void SimulatedMachine::set_flag(uint32_t flag, uint64_t value) {
    at("setting a flag", [&] { shared().set_flag(flag, value); });
}

uint64_t SimulatedMachine::wait_for_flag(uint32_t flag, uint64_t value) {
    return at("waiting for a flag", [&] { return shared().wait_for_flag(flag, value); });
}

void SimulatedMachine::barrier() {
    const uint64_t meeting = process_->meetings;
    if (++process_->arrived == process_->threads) {
        at("in the barrier", [&] { shared().barrier(); });
        process_->arrived = 0;
        process_->meetings++;
    }
    at("waiting for its own threads", [&] {
        while (process_->meetings == meeting) {
            scheduler().idle();
        }
    });
}

void SimulatedMachine::compute() {
    Prng& prng = scheduler().prng();
    scheduler().compute(1 + prng.below(one_of(&prng, {ns_per_us, 100 * ns_per_us, 3 * ns_per_ms})));
}

void SimulatedMachine::found(uint32_t variable, uint64_t version) {
    if (version != referee_->versions[variable]) {
        wrong(fmt::format("variable {} is found at version {} and is at {}", variable, version,
                          referee_->versions[variable]));
    }
}

void SimulatedMachine::writes(uint32_t variable, uint64_t version) {
    referee_->versions[variable] = version;
}

void SimulatedMachine::wrong(const std::string& what) {
    referee_->wrong(fmt::format("PE {}: {}", scheduler().running(), what));
    std::abort();  // a program that has gone wrong goes on
}

}  // namespace syncline::deterministic
