// SPDX-License-Identifier: BSD-3-Clause
#include "tests/deterministic/dsm_machine.h"

#include <fmt/format.h>

#include <cstring>

#include "tests/deterministic/draw.h"

namespace syncline::deterministic {

using dsm::page_bytes;
using dsm::Right;

SimulatedView::SimulatedView(uint32_t pages, Scheduler* scheduler, std::function<void(const std::string&)> wrong)
    : scheduler_(scheduler),
      wrong_(std::move(wrong)),
      bytes_(new uint8_t[uint64_t{pages} * page_bytes]),
      rights_(pages, Right::kNone) {
    std::memset(bytes_.get(), 0xEE, uint64_t{pages} * page_bytes);
}

// The kernel changes one page after another.
void SimulatedView::change(uint32_t first, uint32_t count, Right from, Right to) {
    for (uint32_t page = first; page < first + count; page++) {
        if (page >= rights_.size() || rights_[page] != from || from == to) {
            wrong_(fmt::format("the library takes page {} from a right that it has not got", page));
        }
        scheduler_->step();
        rights_[page] = to;
        if (to == Right::kNone) {
            std::memset(this->page(page), static_cast<int>(0xA0 + page % 16), page_bytes);
        }
    }
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
        while (process_->view->right(page) < (write ? Right::kWrite : Right::kRead)) {
            this->at("in a fault", [&] { shared().fault(page, write); });
        }
        one(process_->view->page(page) + place, done, length);
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
