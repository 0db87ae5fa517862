// SPDX-License-Identifier: BSD-3-Clause
// A list of keys and values as PMIx's functions take it (pmix_info_t), with the memory that its values point to.
#pragma once

#include <pmix_common.h>

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace syncline {

class PmixFacts {
  public:
    void add_text(const char* key, const std::string& text);
    // `text` is from malloc(). It may hold bytes of 0, which PMIx's patterns know how to count.
    void take_text(const char* key, char* text);
    void add_number(const char* key, uint32_t number);
    void add_small_number(const char* key, uint16_t number);
    void add_rank(const char* key, uint32_t rank);
    void add_flag(const char* key, bool flag);
    // Facts about one process, say.
    void add_group(const char* key, PmixFacts group);

    // Valid until the next addition.
    pmix_info_t* data() { return infos_.data(); }
    size_t size() const { return infos_.size(); }

  private:
    pmix_value_t* add(const char* key, pmix_data_type_t type);

    struct Free {
        void operator()(char* text) const { std::free(text); }
    };

    std::vector<pmix_info_t> infos_;
    std::deque<std::string> texts_;
    std::vector<std::unique_ptr<char, Free>> taken_;
    std::vector<std::unique_ptr<PmixFacts>> groups_;
    std::deque<pmix_data_array_t> arrays_;
};

}  // namespace syncline
