// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/handler/async_pages.h"

#include <cstring>

namespace syncline::dsm {

uint32_t AsyncPages::find_home(uint32_t page, bool* assigned) {
    *assigned = false;
    if (parts_.directory->known(page) != Directory::unknown) {
        return parts_.directory->known(page);
    }
    const uint32_t me = parts_.remote->me();
    const uint32_t home =
        parts_.directory->default_home(page) == me ? parts_.server->assign(page, me, assigned) : touch(page, assigned);
    parts_.directory->learn(page, home);
    return home;
}

// The page comes with the answer, unless this process is its home.
uint32_t AsyncPages::touch(uint32_t page, bool* assigned) {
    const Timed time(&parts_.statistics->fetch_ns);
    parts_.statistics->fetches++;
    const auto fill = [&](Message* message) {
        message->add(uint32_t{0});
        parts_.needs->write(page, message);
    };
    const std::vector<uint8_t> result = parts_.handler->call(parts_.directory->default_home(page), Kind::kTouch, fill);
    Reader reader(result);
    const auto home = reader.take<uint32_t>();
    *assigned = reader.take<uint32_t>() != 0;
    if (home != parts_.remote->me()) {
        asked_ += page_bytes;
        await_pages();
        brought_.insert(page);
    }
    return home;
}

void AsyncPages::await_pages() {
    const Mailbox& mailbox = parts_.handler->mailbox();
    parts_.handler->await([&] { return mailbox.arrived() >= asked_; });
}

void AsyncPages::fetch(const std::vector<PageRun>& runs, View* view) {
    struct Wanted {
        Message pages{Kind::kFetch};
        uint32_t count = 0;
    };
    std::map<uint32_t, Wanted> wanted;
    for (const PageRun& run : runs) {
        for (uint32_t page = run.first; page < run.first + run.count; page++) {
            if (brought_.erase(page) != 0) {
                continue;
            }
            Wanted& of_home = wanted[parts_.directory->known(page)];
            if (of_home.count++ == 0) {
                of_home.pages.add(uint32_t{0});
            }
            parts_.needs->write(page, &of_home.pages);
        }
    }
    for (auto& [home, of_home] : wanted) {
        of_home.pages.set(sizeof(Kind), of_home.count);
        parts_.handler->run([&] { parts_.handler->send(home, of_home.pages); });
        parts_.statistics->fetches++;
        asked_ += uint64_t{of_home.count} * page_bytes;
    }
    await_pages();
    for (const PageRun& run : runs) {
        view->prepare(run.first, run.count);
        std::memcpy(view->page(run.first), parts_.remote->own(parts_.layout->slot(run.first)),
                    uint64_t{run.count} * page_bytes);
        for (uint32_t page = run.first; page < run.first + run.count; page++) {
            parts_.needs->satisfied(page);
        }
    }
}

}  // namespace syncline::dsm
