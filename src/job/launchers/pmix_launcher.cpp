// SPDX-License-Identifier: BSD-3-Clause
#include "job/launchers/pmix_launcher.h"

#include <pmix.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "base/failure.h"
#include "job/launchers/arrival.h"
#include "job/launchers/mpi_library.h"
#include "job/launchers/pmix_functions.h"
#include "job/launchers/pmix_process_table.h"

namespace syncline {
namespace {

constexpr uint32_t answer_ms = 10000;  // until the server of this machine has answered

pmix_info_t flag(const char* key) {
    pmix_info_t info = {};
    std::strncpy(info.key, key, sizeof(info.key) - 1);
    info.value.type = PMIX_BOOL;
    info.value.data.flag = true;
    return info;
}

class PmixLauncher final : public Launcher {
  public:
    explicit PmixLauncher(std::vector<uint32_t> members) : library_(load_pmix()), members_(std::move(members)) {
        enter();
        try {
            learn();
        } catch (...) {
            leave();
            throw;
        }
    }
    ~PmixLauncher() override { leave(); }

    uint32_t rank() const override { return rank_; }
    uint32_t ranks() const override { return static_cast<uint32_t>(members_.size()); }
    uint32_t number_of(uint32_t rank) const override { return members_[rank]; }
    const std::vector<uint32_t>& ranks_here() const override { return here_; }

    void show(const std::string& name, const Bytes& bytes) override {
        enter();
        pmix_value_t value = {};
        value.type = PMIX_BYTE_OBJECT;
        value.data.bo.bytes = const_cast<char*>(reinterpret_cast<const char*>(bytes.data()));
        value.data.bo.size = bytes.size();
        check(library_.put(PMIX_GLOBAL, name.c_str(), &value), "PMIx refuses the data of this process");
        check(library_.commit(), "PMIx refuses the data of this process");
    }

    void exchange(uint32_t timeout_ms, const Meanwhile& meanwhile) override {
        enter();
        std::vector<pmix_proc_t> who;
        if (are_all_) {
            who.push_back(process(PMIX_RANK_WILDCARD));
        } else {
            std::transform(members_.begin(), members_.end(), std::back_inserter(who),
                           [this](uint32_t number) { return process(number); });
        }
        const pmix_info_t collect = flag(PMIX_COLLECT_DATA);
        const auto arrival = std::make_shared<Arrival>();
        auto* const context = new std::shared_ptr<Arrival>(arrival);  // for the callback, which may come late
        const pmix_status_t started = library_.fence(who.data(), who.size(), &collect, 1, on_end, context);
        if (started != PMIX_SUCCESS) {
            delete context;
            check(started, "PMIx does not bring the processes together");
        }
        check(arrival->await_all(ranks(), timeout_ms, meanwhile), "PMIx does not bring the processes together");
    }

    // An exchange brings all shown bytes to the server of each machine, and only some libraries bring them to the
    // process. So this asks without PMIX_OPTIONAL and PMIX_IMMEDIATE, with which some libraries do not ask the server,
    // or do not search all that it has. The library may wait for ever for bytes that were not shown.
    std::optional<Bytes> shown_by(uint32_t rank, const std::string& name) override {
        enter();
        const auto question = std::make_shared<Question>(process(members_[rank]), name);
        auto* const context = new std::shared_ptr<Question>(question);  // for the callback, which may come late
        pmix_status_t status = library_.ask(&question->whose, question->name.c_str(), nullptr, 0, on_answer, context);
        if (status != PMIX_SUCCESS) {
            delete context;
        } else {
            status = question->arrival.await(answer_ms, {}).value_or(PMIX_ERR_TIMEOUT);
        }
        if (status == PMIX_ERR_NOT_FOUND) {
            return std::nullopt;
        }
        check(status, "PMIx does not hand over the data of another process");
        return question->bytes;
    }

    Marks marks() const override { return {fmt::format("PMIX_NAMESPACE={}", self_.nspace), "PMIX_RANK="}; }
    std::optional<Ended> ended() override {
        if (!table_) {
            table_.emplace(library_.query, self_, are_all_ ? std::vector<uint32_t>() : members_);
        }
        std::optional<Ended> ended = table_->ended();
        const std::optional<uint32_t> rank = ended ? rank_of(ended->rank) : std::nullopt;
        if (!rank) {
            return std::nullopt;  // none has ended, or one that is no PE of this job
        }
        ended->rank = *rank;
        return ended;
    }

    void rest() override {
        if (mpi_wants_pmix_first()) {
            leave();
        }
    }

    void abort(int code) override {
        (void)try_to_enter();
        (void)library_.abort(code, "", nullptr, 0);
    }

  private:
    // The library reads it until it answers.
    struct Question {
        const pmix_proc_t whose;
        const std::string name;
        std::optional<Bytes> bytes;  // written before `arrival` has the report
        Arrival arrival;
    };

    // Runs in the library's thread, which owns the value.
    static void on_answer(pmix_status_t status, pmix_value_t* value, void* context) {
        const std::unique_ptr<std::shared_ptr<Question>> question(static_cast<std::shared_ptr<Question>*>(context));
        if (status == PMIX_SUCCESS && value != nullptr && value->type == PMIX_BYTE_OBJECT) {
            const auto* const first = reinterpret_cast<const uint8_t*>(value->data.bo.bytes);
            (*question)->bytes.emplace(first, first + value->data.bo.size);
        }
        (*question)->arrival.report(status);
    }

    // Runs in the library's thread.
    static void on_end(pmix_status_t status, void* context) {
        const std::unique_ptr<std::shared_ptr<Arrival>> arrival(static_cast<std::shared_ptr<Arrival>*>(context));
        (*arrival)->report(status);
    }

    void check(pmix_status_t status, const char* what) const {
        if (status != PMIX_SUCCESS) {
            fail(SYNCLINE_ERR_SYSTEM, "{}: {} ({})", what, library_.error_string(status), version_of(library_));
        }
    }

    // The library counts these calls for the whole process.
    pmix_status_t try_to_enter() {
        const pmix_status_t status = inside_ ? PMIX_SUCCESS : library_.init(&self_, nullptr, 0);
        inside_ = status == PMIX_SUCCESS;
        return status;
    }
    void enter() { check(try_to_enter(), "no PMIx server answers this process"); }
    void leave() {
        if (inside_) {
            inside_ = false;
            (void)library_.finalize(nullptr, 0);
        }
    }

    pmix_proc_t process(pmix_rank_t rank) const {
        pmix_proc_t process = self_;
        process.rank = rank;
        return process;
    }

    // Returns a fact that the server knows about the whole job.
    pmix_value_t* fact(const char* key) const {
        const pmix_proc_t job = process(PMIX_RANK_WILDCARD);
        pmix_value_t* value = nullptr;
        check(library_.get(&job, key, nullptr, 0, &value), key);
        return value;
    }

    void learn() {
        pmix_value_t* const size = fact(PMIX_JOB_SIZE);
        const uint32_t processes = size->data.uint32;
        std::free(size);
        take_members(processes);
        pmix_value_t* const peers = fact(PMIX_LOCAL_PEERS);  // for example "0,3,4"
        const char* at = peers->type == PMIX_STRING ? peers->data.string : "";
        for (char* rest = nullptr; *at != '\0'; at = *rest == ',' ? rest + 1 : rest) {
            const auto number = static_cast<uint32_t>(std::strtoul(at, &rest, 10));
            if (const std::optional<uint32_t> rank = rank_of(number)) {
                here_.push_back(*rank);
            }
            if (rest == at) {
                fail(SYNCLINE_ERR_PROTOCOL, "PMIx says that the processes of this node are '{}'", peers->data.string);
            }
        }
        std::free(peers->data.string);
        std::free(peers);
        std::sort(here_.begin(), here_.end());
        check_brings_some();
    }

    void check_brings_some() const {
        if (!are_all_ && here_.size() < members_.size() && std::string(self_.nspace).starts_with("slurm.pmix.")) {
            fail(
                SYNCLINE_ERR_UNSUPPORTED,
                "srun's PMIx loses a job of some of its processes over several machines (Slurm 22.05 and 24.11); start "
                "these by mpirun, or by an srun of their own");
        }
    }

    // Takes all processes, unless the program has named some.
    void take_members(uint32_t processes) {
        if (members_.empty()) {
            members_.resize(processes);
            std::iota(members_.begin(), members_.end(), 0u);
        }
        for (uint32_t rank = 0; rank < members_.size(); rank++) {
            if (members_[rank] >= processes) {
                fail(SYNCLINE_ERR_RANK, "member {} is process {}, and the launcher has started {}", rank,
                     members_[rank], processes);
            }
            if (!ranks_.emplace(members_[rank], rank).second) {
                fail(SYNCLINE_ERR_INVALID, "process {} is a member twice", members_[rank]);
            }
        }
        const std::optional<uint32_t> own = rank_of(self_.rank);
        if (!own) {
            fail(SYNCLINE_ERR_RANK, "process {} makes a job whose members it is none of", self_.rank);
        }
        rank_ = *own;
        are_all_ = members_.size() == processes;
    }

    // Returns the rank of a PMIx number.
    std::optional<uint32_t> rank_of(uint32_t number) const {
        const auto found = ranks_.find(number);
        return found == ranks_.end() ? std::nullopt : std::optional(found->second);
    }

    const PmixFunctions library_;
    pmix_proc_t self_ = {};
    bool inside_ = false;
    std::vector<uint32_t> members_;       // PMIx's number of each rank
    std::map<uint32_t, uint32_t> ranks_;  // the rank of each of these numbers
    bool are_all_ = true;
    uint32_t rank_ = 0;
    std::vector<uint32_t> here_;
    std::optional<PmixProcessTable> table_;
};

}  // namespace

std::unique_ptr<Launcher> connect_to_pmix(const std::vector<uint32_t>& members) {
    return std::make_unique<PmixLauncher>(members);
}

}  // namespace syncline
