// SPDX-License-Identifier: BSD-3-Clause
#include "job/launchers/pmix_process_table.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace syncline {
namespace {

// For a process that has ended, Open MPI says "undefined", and PRRTE how it ended.
bool has_ended(pmix_proc_state_t state) {
    return state == PMIX_PROC_STATE_UNDEF || state > PMIX_PROC_STATE_UNTERMINATED;
}

using Members = std::vector<uint32_t>;

std::optional<Launcher::Ended> find_ended(const pmix_proc_info_t& process, const Members& members) {
    const bool counts =
        members.empty() || std::find(members.begin(), members.end(), process.proc.rank) != members.end();
    if (!counts || !has_ended(process.state)) {
        return std::nullopt;
    }
    return Launcher::Ended{process.proc.rank, process.hostname != nullptr ? process.hostname : "another machine"};
}

// The table is an array of entries, or of infos that hold one entry each.
std::optional<Launcher::Ended> find_ended(const pmix_data_array_t& table, const Members& members) {
    for (size_t i = 0; i < table.size; i++) {
        std::optional<Launcher::Ended> ended;
        if (table.type == PMIX_PROC_INFO) {
            ended = find_ended(static_cast<const pmix_proc_info_t*>(table.array)[i], members);
        } else if (table.type == PMIX_INFO) {
            const pmix_value_t& value = static_cast<const pmix_info_t*>(table.array)[i].value;
            ended = value.type == PMIX_PROC_INFO ? find_ended(*value.data.pinfo, members) : std::nullopt;
        }
        if (ended) {
            return ended;
        }
    }
    return std::nullopt;
}

}  // namespace

// The library may answer after all other code has forgotten the question. It reads the question meanwhile.
struct PmixProcessTable::Question {
    char key[sizeof(PMIX_QUERY_PROC_TABLE)] = PMIX_QUERY_PROC_TABLE;
    char* keys[2] = {key, nullptr};
    pmix_nspace_t launch = {};
    pmix_info_t qualifier = {};
    pmix_query_t query = {};
    Members members;
    std::optional<Launcher::Ended> ended;  // written before `answered` is set, with release
    std::atomic<bool> answered{false};
};

void PmixProcessTable::on_answer(pmix_status_t status, pmix_info_t* answers, size_t count, void* context,
                                 pmix_release_cbfunc_t release, void* release_context) {
    const std::unique_ptr<std::shared_ptr<Question>> question(static_cast<std::shared_ptr<Question>*>(context));
    for (size_t i = 0; status == PMIX_SUCCESS && i < count; i++) {
        if (answers[i].value.type == PMIX_DATA_ARRAY && !(*question)->ended) {
            (*question)->ended = find_ended(*answers[i].value.data.darray, (*question)->members);
        }
    }
    (*question)->answered.store(true, std::memory_order_release);
    if (release != nullptr) {
        release(release_context);
    }
}

std::optional<Launcher::Ended> PmixProcessTable::ended() {
    std::optional<Launcher::Ended> last;
    if (question_ && !question_->answered.load(std::memory_order_acquire)) {
        return last;
    }
    if (question_) {
        last = question_->ended;
    }
    question_ = std::make_shared<Question>();
    question_->members = members_;
    std::memcpy(question_->launch, self_.nspace, sizeof(question_->launch));
    std::strncpy(question_->qualifier.key, PMIX_NSPACE, sizeof(question_->qualifier.key) - 1);
    question_->qualifier.value.type = PMIX_STRING;
    question_->qualifier.value.data.string = question_->launch;
    question_->query = {question_->keys, &question_->qualifier, 1};
    auto* const context = new std::shared_ptr<Question>(question_);
    if (query_(&question_->query, 1, on_answer, context) != PMIX_SUCCESS) {
        delete context;
        question_.reset();
    }
    return last;
}

}  // namespace syncline
