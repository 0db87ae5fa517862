// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/lock/watch.h"

#include "base/check.h"

namespace syncline {

Probe::~Probe() {
    if (started_ && request_ != 0) {
        (void)words_->endpoint()->requests().wait(request_);  // the answer would be written into this object
    }
}

void Probe::start(int rank, syncline_address_t word) {
    SYNCLINE_ASSERT(!started_, "a get of PE %d while one is under way", rank);
    words_->count(rank);
    started_ = true;
    request_ = 0;
    status_ = words_->endpoint()->bulk().get_nb(rank, word, &value_, sizeof(value_), 0, &request_);
}

bool Probe::finished(Seen* seen) {
    SYNCLINE_ASSERT(started_, "no get is under way");
    if (request_ != 0) {
        int done = 0;
        status_ = words_->endpoint()->requests().test(request_, &done);
        if (done == 0 && status_ == SYNCLINE_OK) {
            return false;
        }
    }
    started_ = false;
    *seen = {status_, value_};
    return true;
}

// Does one step of the inspection. Returns true if it has found the lock broken.
bool Watch::advance(uint64_t now, const Inspector& inspect, uint64_t* rest_until) {
    Probe::Seen seen;
    const bool late = probe_.started() && !inspecting_;  // of a wait that has ended meanwhile
    if (probe_.started() && !probe_.finished(&seen)) {
        return false;
    }
    if (!inspecting_ && (late || now < *rest_until)) {
        return false;
    }
    Step step = inspecting_ ? inspect(&seen) : inspect(nullptr);
    inspections_ += inspecting_ ? 0 : 1;
    inspecting_ = step.verdict == Verdict::kLook;
    if (inspecting_) {
        SYNCLINE_CHECK_SHARED(step.rank >= 0 && step.rank < words_->size(), "PE %d of %d", step.rank, words_->size());
        probe_.start(step.rank, step.word);
        return false;
    }
    *rest_until = now + patience_ns;
    return step.verdict == Verdict::kBroken;
}

bool Watch::finds_broken(const Inspector& inspect) {
    inspections_++;
    Step step = inspect(nullptr);
    while (step.verdict == Verdict::kLook) {
        Probe::Seen seen = {};
        seen.status = words_->get(step.rank, step.word, &seen.value);
        step = inspect(&seen);
    }
    return step.verdict == Verdict::kBroken;
}

bool Watch::found_dead(int rank, syncline_address_t word) {
    Probe::Seen seen;
    if (probe_.started()) {
        return probe_.finished(&seen) && glancing_ && seen.status == SYNCLINE_ERR_PEER;
    }
    const uint64_t now = now_ns();
    if (now >= next_glance_ns_) {
        next_glance_ns_ = now + patience_ns;
        glancing_ = true;
        probe_.start(rank, word);
    }
    return false;
}

}  // namespace syncline
