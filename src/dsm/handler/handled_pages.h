// SPDX-License-Identifier: BSD-3-Clause
// Pages as async and ardmar both handle them: diffs go to the home's handler, whose versions say which diffs it has.
//
// A flush that has changed anything ends an interval (notice_store.h). Its diffs carry the interval's number, and a
// release does not wait for them: a process that hears of the interval needs it in each of these pages, and a fetch
// waits for that. The process itself needs its own changes back, too, if it fetches such a page again. A page that has
// its home here needs no diff and no version, because its program writes the home copy. A page that is flushed between
// two releases makes an interval of its own, of whose notice others may hear early; a later interval does not replace
// it.
//
// A sender waits if more than `kept_cells` of its messages to a process have no room yet.
#pragma once

#include <map>
#include <vector>

#include "dsm/core/directory.h"
#include "dsm/core/page_service.h"
#include "dsm/handler/barrier_server.h"
#include "dsm/handler/handler.h"
#include "dsm/handler/needs.h"
#include "dsm/handler/page_server.h"

namespace syncline::dsm {

class HandledPages : public PageService {
  public:
    struct Parts {
        const Remote* remote;
        const Layout* layout;
        Directory* directory;
        Statistics* statistics;
        Handler* handler;
        PageServer* server;
        BarrierServer* barrier;
        NoticeStore* store;
        Needs* needs;
    };
    explicit HandledPages(const Parts& parts) : parts_(parts) {}

    uint16_t known_home(uint32_t page) const override { return parts_.directory->known(page); }
    bool send_diff(uint32_t page, const uint8_t* now, uint8_t* twin) override;
    void finish_diffs() override;
    void await_changes(const std::vector<uint32_t>& pages) override;
    // A release has flushed these pages. No diff has those of them that have their homes here; this call makes their
    // notices.
    void publish(const std::vector<PageRun>& flushed);

  protected:
    const Parts parts_;

  private:
    struct Outgoing {
        Message message{Kind::kDiff};
        uint32_t pages = 0;
    };
    static constexpr size_t message_bytes = 8192;
    static constexpr uint32_t kept_cells = 256;

    // Returns the interval that the next finish_diffs() ends.
    uint64_t interval() const { return interval_ + 1; }
    void append(uint32_t page, Outgoing* outgoing) const;
    void end_interval(std::vector<uint32_t>* pages);
    void send(uint32_t home, Outgoing* outgoing);

    uint64_t interval_ = 0;
    Diff diff_;                              // the diff of one page
    std::map<uint32_t, Outgoing> outgoing_;  // diffs to each home
    std::vector<uint32_t> written_;          // pages written in this interval
};

}  // namespace syncline::dsm
