// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/handler/ardmar_pages.h"

namespace syncline::dsm {
namespace {

// Calls visit(home, run) for each part of a run that has one home.
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

std::vector<uint32_t> ArdmarPages::look_at_versions(std::vector<uint32_t>* pages) const {
    const uint32_t writers = parts_.remote->processes();
    std::vector<uint64_t> versions(pages->size() * writers);
    uint64_t* at = versions.data();
    Remote::Together gets(parts_.remote);
    for (const PageRun& run : runs_of(pages)) {
        visit_homes(*parts_.directory, run, [&](uint32_t home, PageRun part) {
            gets.get(home, parts_.layout->version(part.first, 0), at,
                     uint64_t{part.count} * writers * sizeof(uint64_t));
            at += uint64_t{part.count} * writers;
        });
    }
    gets.finish();
    std::vector<uint32_t> old;
    for (size_t i = 0; i < pages->size(); i++) {
        const uint32_t page = (*pages)[i];
        if (!Versions::satisfy(versions.data() + i * writers, parts_.needs->of(page))) {
            old.push_back(page);
        }
    }
    return old;
}

void ArdmarPages::await_versions(const std::vector<PageRun>& runs) {
    std::vector<uint32_t> pages;
    for (const PageRun& run : runs) {
        for (uint32_t page = run.first; page < run.first + run.count; page++) {
            if (!parts_.needs->of(page).empty()) {
                pages.push_back(page);
            }
        }
    }
    while (!pages.empty()) {
        pages = look_at_versions(&pages);
        if (!pages.empty()) {
            parts_.handler->look_in_vain();
        }
    }
}

void ArdmarPages::fetch(const std::vector<PageRun>& runs, View* view) {
    await_versions(runs);
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
