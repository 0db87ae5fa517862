// SPDX-License-Identifier: BSD-3-Clause
// The versions of pages that a process needs: for a page that others have written, or whose changes this process has
// sent away, the last interval of each writer that it knows of. A copy that is fetched has them, and the page needs
// nothing until the next notice.
//
// Threads: calls are made under the guard of pages.h.
#pragma once

#include <unordered_map>
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
    void add(uint32_t page, uint32_t writer, uint64_t interval) {
        std::vector<Need>& needs = needs_[page];
        for (Need& need : needs) {
            if (need.writer == writer) {
                need.interval = interval;
                return;
            }
        }
        needs.push_back({interval, writer});
    }
    void add(uint32_t writer, const Notice& notice) {
        for (uint32_t page = notice.run.first; page < notice.run.first + notice.run.count; page++) {
            add(page, writer, notice.interval);
        }
    }
    const std::vector<Need>& of(uint32_t page) const {
        static const std::vector<Need> none;
        const auto found = needs_.find(page);
        return found != needs_.end() ? found->second : none;
    }
    void satisfied(uint32_t page) { needs_.erase(page); }

    // {page, how many needs, needs}
    void write(uint32_t page, Message* message) const {
        const std::vector<Need>& needs = of(page);
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
    std::unordered_map<uint32_t, std::vector<Need>> needs_;
};

}  // namespace syncline::dsm
