// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/handler/ardmar_pages.h"

namespace syncline::dsm {
namespace {

// Calls visit(home, run) for each part of a run whose pages have one home.
template <typename Visit>
void visit_homes(const Directory& directory, PageRun run, Visit&& visit) {
    for (uint32_t page = run.first; page < run.first + run.count;) {
        const uint32_t first = page;
        const uint16_t home = directory.known(first);
        while (page < run.first + run.count && directory.known(page) == home) {
            page++;
        }
        visit(home, PageRun{first, page - first});
    }
}

}  // namespace

std::vector<ArdmarPages::Wanted> ArdmarPages::needs_of(const std::vector<PageRun>& runs) const {
    std::vector<Wanted> wanted;
    for (const PageRun& run : runs) {
        for (uint32_t page = run.first; page < run.first + run.count; page++) {
            for (const Need& need : parts_.needs->of(page)) {
                if (need.writer != parts_.directory->known(page)) {
                    wanted.push_back({page, need, 0});
                }
            }
        }
    }
    return wanted;
}

void ArdmarPages::await_versions(std::vector<Wanted> wanted) {
    while (!wanted.empty()) {
        Remote::Together gets(parts_.remote);
        for (Wanted& each : wanted) {
            gets.get(parts_.directory->known(each.page), parts_.layout->version(each.page, each.need.writer),
                     &each.version, sizeof(each.version));
        }
        gets.finish();
        std::erase_if(wanted, [](const Wanted& each) { return each.version >= each.need.interval; });
        if (!wanted.empty()) {
            parts_.handler->pause();
        }
    }
}

void ArdmarPages::fetch(const std::vector<PageRun>& runs, View* view) {
    for (const PageRun& run : runs) {
        view->prepare(run.first, run.count);
    }
    await_versions(needs_of(runs));
    Remote::Together gets(parts_.remote);
    for (const PageRun& run : runs) {
        visit_homes(*parts_.directory, run, [&](uint32_t home, PageRun part) {
            gets.get(home, parts_.layout->slot(part.first), view->page(part.first), uint64_t{part.count} * page_bytes);
            parts_.statistics->fetches++;
        });
    }
    gets.finish();
    for (const PageRun& run : runs) {
        for (uint32_t page = run.first; page < run.first + run.count; page++) {
            parts_.needs->satisfied(page);
        }
    }
}

}  // namespace syncline::dsm
