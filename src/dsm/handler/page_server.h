// SPDX-License-Identifier: BSD-3-Clause
// Pages, served: what a handler does for pages that have their home, or their default home, here (Noronha 2004, figure
// 5).
//
// kTouch, of a process that does not know a page's home, to the default home: {Caller, 1 if it was passed on, page with
// needs}. A page without a home gets the caller's process as its home, which the reply says. Otherwise the default home
// passes the message on to the home, which puts the page into the caller's memory and then replies. Reply: {home, 1 if
// it was assigned}. Messages: 2; 3, and the page, for a page with a home. kFetch, to the home: {process, how many
// pages, pages with needs}. The home puts each page there as soon as it has all that the page needs. Messages: 1, and
// the page; nothing is replied. kDiff, to the home: {writer's interval, how many pages, of each {page, how many pieces,
// pieces, bytes}}. Messages: 1 for 8 KiB.
//
// A page that lacks changes is put away, and looked at again when some arrive.
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
    // The home of a page that has its default home here: `process` becomes it if there is none.
    uint32_t assign(uint32_t page, uint32_t process, bool* assigned);

  private:
    struct Request {
        uint32_t process;
        bool is_touch;  // then the reply says which process the home is
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
    std::unordered_map<uint32_t, std::vector<Request>> waiting_;  // by page
};

}  // namespace syncline::dsm
