// SPDX-License-Identifier: BSD-3-Clause
// The versions of pages that a process needs: for a page that other processes have written, or whose changes this
// process has sent away, the last interval of each writer that this process knows. A copy that is fetched has these
// versions, and the page needs none until the next notice.
//
// Each writer has a table of all pages, in which only the parts that were ever written take memory.
//
// Threads: calls are made under the guard of pages.h.
#pragma once

#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "dsm/handler/message.h"
#include "dsm/handler/notice_store.h"

namespace syncline::dsm {

struct Need {
    uint64_t interval;
    uint32_t writer;
    uint32_t unused = 0;
};

class Needs {
  public:
    Needs(uint32_t processes, uint32_t pages) : pages_(pages), tables_(processes) {}

    void add(uint32_t page, uint32_t writer, uint64_t interval) { table_of(writer)[page] = interval; }
    void add(uint32_t writer, const Notice& notice) {
        for (uint32_t page = notice.run.first; page < notice.run.first + notice.run.count; page++) {
            add(page, writer, notice.interval);
        }
    }
    std::vector<Need> of(uint32_t page) const {
        std::vector<Need> needs;
        for (uint32_t writer = 0; writer < tables_.size(); writer++) {
            if (tables_[writer] != nullptr && tables_[writer][page] != 0) {
                needs.push_back({tables_[writer][page], writer});
            }
        }
        return needs;
    }
    void satisfied(uint32_t page) {
        for (const Table& table : tables_) {
            if (table != nullptr && table[page] != 0) {
                table[page] = 0;
            }
        }
    }

    // Writes {page, number of needs, needs}.
    void write(uint32_t page, Message* message) const {
        const std::vector<Need> needs = of(page);
        message->add(page).add(static_cast<uint32_t>(needs.size()));
        message->add_bytes(needs.data(), needs.size() * sizeof(Need));
    }
    static std::vector<Need> read(Reader* message, uint32_t* page) {
        *page = message->take<uint32_t>();
        const auto count = message->take<uint32_t>();
        const uint8_t* const bytes = message->take_bytes(count * sizeof(Need));
        std::vector<Need> needs(count);
        if (count != 0) {
            std::memcpy(needs.data(), bytes, count * sizeof(Need));
        }
        return needs;
    }

  private:
    struct Free {
        void operator()(uint64_t* table) const { std::free(table); }
    };
    using Table = std::unique_ptr<uint64_t[], Free>;  // by page; 0: the page needs no version

    // The kernel gives zeros when the pages are touched.
    Table& table_of(uint32_t writer) {
        Table& table = tables_[writer];
        if (table == nullptr) {
            table.reset(static_cast<uint64_t*>(std::calloc(pages_, sizeof(uint64_t))));
            if (table == nullptr) {
                throw std::bad_alloc();
            }
        }
        return table;
    }

    const uint32_t pages_;
    std::vector<Table> tables_;  // for each writer
};

}  // namespace syncline::dsm
