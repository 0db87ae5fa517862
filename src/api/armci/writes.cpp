// SPDX-License-Identifier: BSD-3-Clause
#include "api/armci/writes.h"

#include "api/armci/error.h"

namespace syncline::armci {

// Makes room if there is none: most of the oldest writes are complete by then.
void Writes::add(const Range& range, bool blocking, syncline_request_t request) {
    if (under_way_.size() == under_way_max) {
        check(syncline_wait(under_way_.front().request));
        under_way_.pop_front();
        for (int done = 1; done != 0 && !under_way_.empty();) {
            check(syncline_test(under_way_.front().request, &done));
            if (done != 0) {
                under_way_.pop_front();
            }
        }
    }
    under_way_.push_back({range, blocking, request});
}

template <typename Which>
void Writes::finish_those(Which which) {
    for (auto write = under_way_.begin(); write != under_way_.end();) {
        if (which(*write)) {
            check(syncline_wait(write->request));
            write = under_way_.erase(write);
        } else {
            ++write;
        }
    }
}

void Writes::order(int process) {
    if (!under_way_.empty()) {
        finish_those([&](const Write& one) { return one.blocking && one.range.process == process; });
    }
}

void Writes::order(const Range& range) {
    if (!under_way_.empty()) {
        finish_those([&](const Write& one) {
            return !one.blocking && one.range.process == range.process && one.range.low < range.high &&
                   range.low < one.range.high;
        });
    }
}

void Writes::finish(int process) {
    finish_those([&](const Write& one) { return one.range.process == process; });
}

void Writes::finish_all() {
    finish_those([](const Write&) { return true; });
}

}  // namespace syncline::armci
