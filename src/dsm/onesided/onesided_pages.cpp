// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/onesided/onesided_pages.h"

#include "base/check.h"

namespace syncline::dsm {
namespace {

constexpr size_t diff_bytes_max = 32 * 1024;  // in a message, with its list of pieces

}  // namespace

void OneSidedPages::fetch(const std::vector<PageRun>& runs, View* view) {
    for (const PageRun& run : runs) {
        view->prepare(run.first, run.count);
    }
    Remote::Together gets(remote_);
    for (const PageRun& run : runs) {
        for (uint32_t page = run.first; page < run.first + run.count;) {
            const uint32_t first = page;
            const uint16_t home = directory_->known(first);
            SYNCLINE_ASSERT(home < remote_->processes() && home != remote_->me(), "page %u of PE %u", first, home);
            while (page < run.first + run.count && directory_->known(page) == home) {
                page++;
            }
            gets.get(home, layout_->slot(first), view->page(first), uint64_t{page - first} * page_bytes);
            statistics_->fetches++;
        }
    }
    gets.finish();
}

bool OneSidedPages::send_diff(uint32_t page, const uint8_t* now, uint8_t* twin) {
    const uint32_t home = directory_->known(page);
    SYNCLINE_ASSERT(home < remote_->processes() && home != remote_->me(), "page %u of PE %u", page, home);
    Diff& diff = diffs_[home];
    const uint32_t changed = append_changes(now, twin, uint64_t{page} * page_bytes, &diff);
    if (changed != 0) {
        statistics_->diffs++;
        statistics_->diff_bytes += changed;
    }
    if (diff.bytes.size() + diff.pieces.size() * sizeof(syncline_piece_t) > diff_bytes_max) {
        send(home, &diff);
    }
    return changed != 0;
}

void OneSidedPages::send(uint32_t home, Diff* diff) {
    if (diff->pieces.empty()) {
        return;
    }
    if (puts_ == nullptr) {
        puts_ = std::make_unique<Remote::Together>(remote_);
    }
    puts_->put_pieces(home, layout_->slot(0), diff->pieces.data(), diff->pieces.size(), diff->bytes.data());
    diff->clear();
}

void OneSidedPages::check_sent() const {
    SYNCLINE_ASSERT(puts_ == nullptr, "diffs are on their way");
    for ([[maybe_unused]] const auto& [home, diff] : diffs_) {
        SYNCLINE_CHECK(diff.pieces.empty() && diff.bytes.empty(), "%zu pieces to PE %u", diff.pieces.size(), home);
    }
}

void OneSidedPages::finish_diffs() {
    for (auto& [home, diff] : diffs_) {
        send(home, &diff);
    }
    if (puts_ != nullptr) {
        puts_->finish();
        puts_.reset();
    }
    check_sent();
}

}  // namespace syncline::dsm
