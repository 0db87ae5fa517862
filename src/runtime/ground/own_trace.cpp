// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/ground/own_trace.h"

#include <fmt/format.h>

#include <atomic>

#include "base/check.h"
#include "base/clock.h"
#include "base/status.h"
#include "job/trace_text.h"
#include "runtime/ground/call.h"
#include "syncline.h"

namespace syncline {
namespace {

constexpr size_t events_at_failure = 20;
constexpr size_t events_at_abort = 200;

std::atomic<const Attachment*> traced{nullptr};
std::atomic<bool> has_printed{false};

void print_own(const Attachment& attachment, const char* why) {
    const std::optional<ReadTrace> trace = read_trace(attachment.trace().ring()->copy());
    const std::string text = trace ? render_traces({*trace}, now_ns(), events_at_failure) : "";
    fmt::print(stderr, "syncline: the trace of PE {}, {}:\n{}", attachment.rank(), why, text);
}

void print_at_failed_check() {
    if (const Attachment* const attachment = traced.load(); attachment != nullptr) {
        print_own(*attachment, "in which an assertion has failed");
    }
}

// A loop of waits that run out is a program's way to look at something else now and then.
bool is_worth_printing(int status) {
    return (status == SYNCLINE_ERR_TIMEOUT || status == SYNCLINE_ERR_PEER || status == SYNCLINE_ERR_NODE) &&
           !has_printed.exchange(true);
}

}  // namespace

void keep_own_trace(const Attachment* attachment) {
    const bool is_on = attachment != nullptr && attachment->trace().is_on();
    traced.store(is_on ? attachment : nullptr);
    syncline_at_failed_check(is_on ? print_at_failed_check : nullptr);
}

void note_failure(int status) {
    const Attachment* const attachment = traced.load();
    if (attachment == nullptr) {
        return;
    }
    attachment->trace().note(TraceKind::kFailed, -1, 0, 0, status, current_call);
    if (is_worth_printing(status)) {
        print_own(*attachment, status_text(status));
    }
}

void print_traces_at_abort() {
    const Attachment* const attachment = traced.load();
    if (attachment == nullptr || attachment->is_watched()) {
        return;
    }
    fmt::print(stderr, "syncline: the trace of job {:08x}, which PE {} ends by an error:\n{}", attachment->config().job,
               attachment->rank(), render_traces(attachment->traces(), now_ns(), events_at_abort));
}

}  // namespace syncline
