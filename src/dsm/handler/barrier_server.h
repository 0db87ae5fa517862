// SPDX-License-Identifier: BSD-3-Clause
// The barrier by messages (002, section 2.1): process 0 gathers the notices of all processes, and gives each what it
// lacks.
//
// kArrive, to process 0: {Caller, the process's knowledge, its own notices since the last barrier}. Reply, once all
// have come: {knowledge of all, notices}. Messages: 2 for each process.
#pragma once

#include <vector>

#include "dsm/handler/handler.h"
#include "dsm/handler/notice_store.h"

namespace syncline::dsm {

class BarrierServer {
  public:
    BarrierServer(Handler* handler, uint32_t processes, uint32_t pages);

  private:
    struct Arrival {
        Caller caller;
        Knowledge known;
    };

    void arrive(Reader* message);
    void depart();

    Handler* const handler_;
    const uint32_t processes_;
    NoticeStore gathered_;  // all that has happened since the last barrier
    std::vector<Arrival> arrivals_;
};

}  // namespace syncline::dsm
