// SPDX-License-Identifier: BSD-3-Clause
// The work of a handler for pages that have their home, or their default home, here (Noronha 2004, figure 5).
//
// kTouch, from a process that does not know a page's home, to the default home: {Caller, 1 if it was passed on, page
// with needs}. If the page has no home, the caller's process becomes it, which the reply says. Otherwise the default
// home passes the message on to the home, which puts the page into the caller's memory and then replies. Reply: {home,
// 1 if it was assigned}. Messages: 2; for a page with a home 3, and the page.
// kFetch, to the home: {process, number of pages, pages with needs}. The home puts each page there as soon as the page
// has all that it needs. Messages: 1, and the page; there is no reply.
// kDiff, to the home: {writer's interval, number of pages, for each {page, number of pieces, pieces, bytes}}. Messages:
// 1 for 8 KiB.
//
// A request for a page that lacks changes is set aside, and checked again when some arrive.
//
// Shared words: the directory, see core/directory.h; versions.h.
#pragma once

#include <unordered_map>
#include <vector>

#include "dsm/core/remote.h"
#include "dsm/handler/handler.h"
#include "dsm/handler/needs.h"
#include "dsm/handler/versions.h"

namespace syncline::dsm {

// A piece of a diff, within its page.
struct DiffPiece {
    uint16_t offset;
    uint16_t bytes;
};

class PageServer {
  public:
    PageServer(const Remote* remote, const Layout* layout, Handler* handler, uint32_t pages);

    const Versions& versions() const { return versions_; }
    // Returns the home of a page that has its default home here; if there is none, `process` becomes it.
    uint32_t assign(uint32_t page, uint32_t process, bool* assigned);

  private:
    struct Request {
        uint32_t process;
        bool is_touch;  // then the reply names the home
        Caller caller;
        std::vector<Need> needs;
    };

    void touch(Reader* message);
    void fetch(uint32_t process, Reader* message);
    void apply(uint32_t writer, Reader* message);
    void apply_page(uint32_t page, Reader* message);
    void serve(uint32_t page, Request request);
    void serve_waiting(uint32_t page);
    void answer(uint32_t page, const Request& request);
    void reply(Caller caller, uint32_t home, bool assigned);
    uint32_t check(uint32_t page) const;

    const Remote* const remote_;
    const Layout* const layout_;
    Handler* const handler_;
    const uint32_t pages_;
    const Versions versions_;
    std::unordered_map<uint32_t, std::vector<Request>> waiting_;  // for each page
};

}  // namespace syncline::dsm
