// SPDX-License-Identifier: BSD-3-Clause
#include "job/launchers/attendance.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/failure.h"
#include "base/os.h"

namespace syncline {
namespace {

constexpr uint64_t look_ns = ns_per_s;
// The launcher starts the processes of a machine one after the other, so one may be missing for a moment.
constexpr uint64_t patience_ns = 3 * ns_per_s;
// The lowest rank present on a machine speaks for all of that machine, if it waits as well.
constexpr uint64_t others_patience_ns = patience_ns + 3 * ns_per_s / 2;
constexpr uint64_t silence_ns = 5 * ns_per_s;  // before a process says that it waits

std::string own_machine() {
    char name[256] = "";
    (void)::gethostname(name, sizeof(name) - 1);
    return name;
}

std::vector<uint32_t> numbers_here(const Launcher& launcher) {
    std::vector<uint32_t> numbers;
    for (const uint32_t rank : launcher.ranks_here()) {
        numbers.push_back(launcher.number_of(rank));
    }
    return numbers;
}

}  // namespace

Attendance::Attendance(Launcher* launcher, uint32_t timeout_ms)
    : launcher_(launcher),
      timeout_ms_(timeout_ms),
      siblings_(launcher->marks(), numbers_here(*launcher)),
      began_(now_ns()),
      next_(began_ + look_ns) {}

void Attendance::look(uint64_t now) {
    if (now < next_) {
        return;
    }
    next_ = now + look_ns;
    std::vector<std::pair<uint32_t, std::string>> missing;
    const std::vector<uint32_t> absent = siblings_.absent();
    for (const uint32_t rank : launcher_->ranks_here()) {
        if (std::find(absent.begin(), absent.end(), launcher_->number_of(rank)) != absent.end()) {
            missing.emplace_back(rank, own_machine());
        }
    }
    if (launcher_->rank() == launcher_->ranks_here()[0]) {
        if (std::optional<Launcher::Ended> ended = launcher_->ended()) {
            missing.emplace_back(ended->rank, std::move(ended->machine));
        }
    }
    std::erase_if(missed_, [&](const auto& one) {
        return std::find_if(missing.begin(), missing.end(),
                            [&](const auto& other) { return other.first == one.first; }) == missing.end();
    });
    for (const auto& [rank, machine] : missing) {
        miss(rank, machine, now);
    }
    say_that_it_waits(now);
}

void Attendance::miss(uint32_t rank, const std::string& machine, uint64_t now) {
    const uint64_t since = missed_.emplace(rank, now).first->second;
    uint32_t speaker = launcher_->rank();
    for (const uint32_t here : launcher_->ranks_here()) {
        if (!missed_.contains(here)) {
            speaker = here;
            break;
        }
    }
    if (now - since >= (speaker == launcher_->rank() ? patience_ns : others_patience_ns)) {
        fail(SYNCLINE_ERR_PEER, "PE {} on {} ended before it joined the job", rank, machine);
    }
}

void Attendance::say_that_it_waits(uint64_t now) {
    const bool speaks = launcher_->rank() == 0 || launcher_->rank() == launcher_->ranks() - 1;
    if (speaks && !said_ && now - began_ >= silence_ns) {
        said_ = true;
        fmt::print(stderr,
                   "syncline: PE {} has waited for {} s for other PEs of this job to join, and gives up after {} ms\n",
                   launcher_->rank(), silence_ns / ns_per_s, timeout_ms_);
    }
}

}  // namespace syncline
