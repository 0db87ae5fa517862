// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/handler/handled_pages.h"

namespace syncline::dsm {

bool HandledPages::send_diff(uint32_t page, const uint8_t* now, uint8_t* twin) {
    diff_.clear();
    const uint32_t changed = append_changes(now, twin, 0, &diff_);
    if (changed == 0) {
        return false;
    }
    parts_.statistics->diffs++;
    parts_.statistics->diff_bytes += changed;
    const uint32_t home = parts_.directory->known(page);
    Outgoing& outgoing = outgoing_[home];
    append(page, &outgoing);
    if (outgoing.message.size() >= message_bytes) {
        send(home, &outgoing);
    }
    parts_.needs->add(page, parts_.remote->me(), interval());
    written_.push_back(page);
    return true;
}

void HandledPages::append(uint32_t page, Outgoing* outgoing) const {
    Message& message = outgoing->message;
    if (outgoing->pages++ == 0) {
        message.add(interval()).add(uint32_t{0});
    }
    message.add(page).add(static_cast<uint32_t>(diff_.pieces.size()));
    for (const syncline_piece_t& piece : diff_.pieces) {
        message.add(DiffPiece{static_cast<uint16_t>(piece.offset), static_cast<uint16_t>(piece.bytes)});
    }
    message.add_bytes(diff_.bytes.data(), diff_.bytes.size());
}

void HandledPages::send(uint32_t home, Outgoing* outgoing) {
    if (outgoing->pages == 0) {
        return;
    }
    outgoing->message.set(sizeof(Kind) + sizeof(uint64_t), outgoing->pages);
    parts_.handler->run([&] { parts_.handler->send(home, outgoing->message); });
    *outgoing = {};
    const Mailbox& mailbox = parts_.handler->mailbox();
    if (mailbox.queued(home) > kept_cells) {
        parts_.handler->await([&] { return mailbox.queued(home) <= kept_cells; });
    }
}

// Sends diffs before another process can hear of their interval.
void HandledPages::finish_diffs() {
    for (auto& [home, outgoing] : outgoing_) {
        send(home, &outgoing);
    }
    end_interval(&written_);
}

void HandledPages::publish(const std::vector<PageRun>& flushed) {
    std::vector<uint32_t> own;
    for (const PageRun& run : flushed) {
        for (uint32_t page = run.first; page < run.first + run.count; page++) {
            if (parts_.directory->is_home(page)) {
                own.push_back(page);
            }
        }
    }
    end_interval(&own);
}

void HandledPages::end_interval(std::vector<uint32_t>* pages) {
    if (pages->empty()) {
        return;
    }
    const std::vector<PageRun> runs = runs_of(pages);
    interval_++;
    parts_.handler->run([&] {
        parts_.store->add(parts_.remote->me(), interval_, runs);
        parts_.barrier->tell();
    });
    parts_.statistics->notices_sent += pages->size();
    pages->clear();
}

void HandledPages::await_changes(const std::vector<uint32_t>& pages) {
    const Versions& versions = parts_.server->versions();
    for (const uint32_t page : pages) {
        const std::vector<Need> needs = parts_.needs->of(page);
        if (!needs.empty()) {
            parts_.handler->await([&] { return versions.satisfy(page, needs); });
            parts_.needs->satisfied(page);
        }
    }
}

}  // namespace syncline::dsm
