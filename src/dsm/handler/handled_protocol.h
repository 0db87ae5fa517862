// SPDX-License-Identifier: BSD-3-Clause
// A process's handler and all its servers, put together for async and ardmar.
#pragma once

#include <memory>

#include "dsm/handler/barrier_server.h"
#include "dsm/handler/handled_pages.h"
#include "dsm/handler/handled_synchroniser.h"

namespace syncline::dsm {

class HandledProtocol {
  public:
    // `by_message`: whether pages work as in async; else as in ardmar.
    HandledProtocol(const Remote* remote, const Layout* layout, Directory* directory, Statistics* statistics,
                    const Shape& shape, bool by_message);

    PageService* service() { return service_.get(); }
    std::unique_ptr<Synchroniser> make_synchroniser(SpinLock* guard, Pages* pages);
    void start() { handler_.start(); }
    template <typename Done>
    void await(Done&& done) {
        handler_.await(done);
    }
    // Collective; see Handler::stop().
    void stop(Barrier* barrier) { handler_.stop(barrier); }

  private:
    Statistics* const statistics_;
    Needs needs_;
    NoticeStore store_;
    Handler handler_;
    PageServer pages_;
    LockServer locks_;
    BarrierServer barrier_;
    std::unique_ptr<HandledPages> service_;
};

}  // namespace syncline::dsm
