// SPDX-License-Identifier: BSD-3-Clause
#include "launch/pmix_facts.h"

#include <cstring>
#include <utility>

namespace syncline {

pmix_value_t* PmixFacts::add(const char* key, pmix_data_type_t type) {
    pmix_info_t info = {};
    std::strncpy(info.key, key, sizeof(info.key) - 1);
    info.value.type = type;
    infos_.push_back(info);
    return &infos_.back().value;
}

void PmixFacts::add_text(const char* key, const std::string& text) {
    texts_.push_back(text);
    add(key, PMIX_STRING)->data.string = texts_.back().data();
}

void PmixFacts::take_text(const char* key, char* text) {
    taken_.emplace_back(text);
    add(key, PMIX_STRING)->data.string = text;
}

void PmixFacts::add_number(const char* key, uint32_t number) {
    add(key, PMIX_UINT32)->data.uint32 = number;
}

void PmixFacts::add_small_number(const char* key, uint16_t number) {
    add(key, PMIX_UINT16)->data.uint16 = number;
}

void PmixFacts::add_rank(const char* key, uint32_t rank) {
    add(key, PMIX_PROC_RANK)->data.rank = rank;
}

void PmixFacts::add_flag(const char* key, bool flag) {
    add(key, PMIX_BOOL)->data.flag = flag;
}

void PmixFacts::add_group(const char* key, PmixFacts group) {
    groups_.push_back(std::make_unique<PmixFacts>(std::move(group)));
    PmixFacts& kept = *groups_.back();
    arrays_.push_back({});
    arrays_.back().type = PMIX_INFO;
    arrays_.back().size = kept.size();
    arrays_.back().array = kept.data();
    add(key, PMIX_DATA_ARRAY)->data.darray = &arrays_.back();
}

}  // namespace syncline
