// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/handler/handled_protocol.h"

#include "dsm/handler/ardmar_pages.h"
#include "dsm/handler/async_pages.h"

namespace syncline::dsm {

HandledProtocol::HandledProtocol(const Remote* remote, const Layout* layout, Directory* directory,
                                 Statistics* statistics, const Shape& shape, bool by_message)
    : statistics_(statistics),
      needs_(shape.processes, shape.pages),
      store_(shape.processes, shape.pages),
      handler_(remote, layout, statistics),
      pages_(remote, layout, &handler_, shape.pages),
      locks_(&handler_, &store_, shape.processes),
      barrier_(&handler_, &store_, shape.processes, shape.pages) {
    const HandledPages::Parts parts = {remote,  layout,    directory, statistics, &handler_,
                                       &pages_, &barrier_, &store_,   &needs_};
    if (by_message) {
        service_ = std::make_unique<AsyncPages>(parts);
    } else {
        service_ = std::make_unique<ArdmarPages>(parts);
    }
}

std::unique_ptr<Synchroniser> HandledProtocol::make_synchroniser(SpinLock* guard, Pages* pages) {
    return std::make_unique<HandledSynchroniser>(HandledSynchroniser::Parts{
        guard, pages, service_.get(), statistics_, &handler_, &locks_, &barrier_, &store_, &needs_});
}

}  // namespace syncline::dsm
