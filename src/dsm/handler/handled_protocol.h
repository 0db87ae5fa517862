// SPDX-License-Identifier: BSD-3-Clause
// A process's handler and all that it serves, put together for async and ardmar.
#pragma once

#include <memory>

#include "dsm/handler/barrier_server.h"
#include "dsm/handler/handled_pages.h"
#include "dsm/handler/handled_synchroniser.h"

namespace syncline::dsm {

class HandledProtocol {
  public:
    HandledProtocol(const Remote* remote, const Layout* layout, Directory* directory, Statistics* statistics,
                    const Shape& shape);

    // `by_message`: async's, else ardmar's.
    std::unique_ptr<PageService> make_pages(bool by_message);
    std::unique_ptr<Synchroniser> make_synchroniser(SpinLock* guard, Pages* pages);
    void start() { handler_.start(); }
    // Collective; see Handler.
    void stop(Barrier* barrier) { handler_.stop(barrier); }

  private:
    const Remote* const remote_;
    const Layout* const layout_;
    Directory* const directory_;
    Statistics* const statistics_;
    Needs needs_;
    NoticeStore store_;
    Handler handler_;
    PageServer pages_;
    LockServer locks_;
    BarrierServer barrier_;
};

}  // namespace syncline::dsm
