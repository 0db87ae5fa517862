// SPDX-License-Identifier: BSD-3-Clause
// The barrier by messages (Noronha 2004, section 2.1): process 0 gathers the notices of all processes, and gives each
// process the notices that it lacks.
//
// kArrive, to process 0: {Caller, the process's knowledge, its own notices that it has not sent yet}. Reply, once all
// have come: {knowledge of all, notices}. Messages: 2 for each process.
// kNews, to process 0: {own notices}, of an interval that ends while one thread of the process is in the barrier. A
// lock may take these notices to a process that comes to the barrier later, and then all must know them after the
// barrier. So process 0 waits for all notices that any process knew when it came. Messages: 1 for each such interval.
//
// Threads: one thread of the application calls meet().
#pragma once

#include <vector>

#include "dsm/handler/handler.h"
#include "dsm/handler/notice_store.h"

namespace syncline::dsm {

class BarrierServer {
  public:
    // `store`: the notices that this process knows.
    BarrierServer(Handler* handler, const NoticeStore* store, uint32_t processes, uint32_t pages);

    // Waits until all processes have come. Returns the reply.
    std::vector<uint8_t> meet();
    // Called under the lock, when the store has a new notice of this process.
    void tell();

  private:
    struct Arrival {
        Caller caller;
        Knowledge known;
    };

    void write_own(Message* message);
    // Runs at process 0.
    void arrive(Reader* message);
    void take_notices(Reader* message);
    bool is_complete() const;
    void depart();

    Handler* const handler_;
    const NoticeStore* const store_;
    const uint32_t processes_;
    uint64_t told_ = 0;       // the last interval of this process that process 0 knows
    bool is_inside_ = false;  // a thread of this process is in the barrier
    NoticeStore gathered_;    // since the last barrier
    std::vector<Arrival> arrivals_;
};

}  // namespace syncline::dsm
