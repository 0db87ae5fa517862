// SPDX-License-Identifier: BSD-3-Clause
#include "job/pmix_launcher.h"

#include <dlfcn.h>
#include <pmix.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/failure.h"
#include "base/os.h"
#include "base/unique_fd.h"
#include "job/pmix_process_table.h"

namespace syncline {
namespace {

constexpr uint64_t turn_ns = ns_per_s / 2;  // of one that waits

// The functions of the library that are used here. It stays loaded: another user of it may not have loaded it by name.
struct Library {
    decltype(&PMIx_Init) init;
    decltype(&PMIx_Finalize) finalize;
    decltype(&PMIx_Put) put;
    decltype(&PMIx_Commit) commit;
    decltype(&PMIx_Fence_nb) fence;
    decltype(&PMIx_Get) get;
    decltype(&PMIx_Query_info_nb) query;
    decltype(&PMIx_Abort) abort;
    decltype(&PMIx_Error_string) error_string;
};

template <typename Function>
void find(void* library, const char* name, Function* function) {
    *function = reinterpret_cast<Function>(::dlsym(library, name));
    if (*function == nullptr) {
        fail(SYNCLINE_ERR_UNSUPPORTED, "the PMIx library has no {}: it is older than version 3", name);
    }
}

void* open_library() {
    return ::dlopen("libpmix.so.2", RTLD_NOW | RTLD_GLOBAL);
}

Library load() {
    void* const library = open_library();
    if (library == nullptr) {
        fail(SYNCLINE_ERR_UNSUPPORTED, "a PMIx launcher has started this process, but {}", why_no_pmix_library());
    }
    Library found = {};
    find(library, "PMIx_Init", &found.init);
    find(library, "PMIx_Finalize", &found.finalize);
    find(library, "PMIx_Put", &found.put);
    find(library, "PMIx_Commit", &found.commit);
    find(library, "PMIx_Fence_nb", &found.fence);
    find(library, "PMIx_Get", &found.get);
    find(library, "PMIx_Query_info_nb", &found.query);
    find(library, "PMIx_Abort", &found.abort);
    find(library, "PMIx_Error_string", &found.error_string);
    return found;
}

pmix_info_t flag(const char* key) {
    pmix_info_t info = {};
    std::strncpy(info.key, key, sizeof(info.key) - 1);
    info.value.type = PMIX_BOOL;
    info.value.data.flag = true;
    return info;
}

class PmixLauncher final : public Launcher {
  public:
    PmixLauncher() : library_(load()) {
        check(library_.init(&self_, nullptr, 0), "no PMIx server answers this process");
        try {
            learn();
        } catch (...) {
            (void)library_.finalize(nullptr, 0);
            throw;
        }
    }
    ~PmixLauncher() override { (void)library_.finalize(nullptr, 0); }

    uint32_t rank() const override { return self_.rank; }
    uint32_t ranks() const override { return ranks_; }
    const std::vector<uint32_t>& ranks_here() const override { return here_; }

    void show(const std::string& name, const Bytes& bytes) override {
        pmix_value_t value = {};
        value.type = PMIX_BYTE_OBJECT;
        value.data.bo.bytes = const_cast<char*>(reinterpret_cast<const char*>(bytes.data()));
        value.data.bo.size = bytes.size();
        check(library_.put(PMIX_GLOBAL, name.c_str(), &value), "PMIx takes no data");
        check(library_.commit(), "PMIx takes no data");
    }

    void exchange(uint32_t timeout_ms, const Meanwhile& meanwhile) override {
        const pmix_proc_t all = process(PMIX_RANK_WILDCARD);
        const pmix_info_t collect = flag(PMIX_COLLECT_DATA);
        const auto end = std::make_shared<End>();
        if (!end->event) {
            fail_errno(SYNCLINE_ERR_SYSTEM, "cannot make an event for a fence of PMIx");
        }
        auto* const context = new std::shared_ptr<End>(end);  // the callback's, which may come after all have given up
        const pmix_status_t started = library_.fence(&all, 1, &collect, 1, on_end, context);
        if (started != PMIX_SUCCESS) {
            delete context;
            check(started, "PMIx does not bring the processes together");
        }
        const uint64_t deadline = now_ns() + timeout_ms * ns_per_ms;
        while (!end->reached.load(std::memory_order_acquire)) {
            const uint64_t now = now_ns();
            if (now >= deadline) {
                fail(SYNCLINE_ERR_TIMEOUT, "not all {} processes of this job have come within {} ms", ranks_,
                     timeout_ms);
            }
            if (meanwhile) {
                meanwhile(now);
            }
            (void)sleep_on({end->event.get()}, std::min(deadline - now, turn_ns));
        }
        check(end->status, "PMIx does not bring the processes together");
    }

    std::optional<Bytes> shown_by(uint32_t rank, const std::string& name) override {
        const pmix_proc_t whose = process(rank);
        const pmix_info_t only_here = flag(PMIX_OPTIONAL);  // the exchange has brought it
        pmix_value_t* value = nullptr;
        if (library_.get(&whose, name.c_str(), &only_here, 1, &value) != PMIX_SUCCESS || value == nullptr) {
            return std::nullopt;
        }
        std::optional<Bytes> bytes;
        if (value->type == PMIX_BYTE_OBJECT) {
            const auto* const first = reinterpret_cast<const uint8_t*>(value->data.bo.bytes);
            bytes.emplace(first, first + value->data.bo.size);
            std::free(value->data.bo.bytes);
        }
        std::free(value);
        return bytes;
    }

    Marks marks() const override { return {fmt::format("PMIX_NAMESPACE={}", self_.nspace), "PMIX_RANK="}; }
    std::optional<Ended> ended() override {
        if (!table_) {
            table_.emplace(library_.query, self_);
        }
        return table_->ended();
    }

    void abort(int code) override { (void)library_.abort(code, "", nullptr, 0); }

  private:
    // The library's thread writes the status, sets `reached` with release, and signals.
    struct End {
        UniqueFd event{make_event()};
        pmix_status_t status = PMIX_SUCCESS;
        std::atomic<bool> reached{false};
    };

    static void on_end(pmix_status_t status, void* context) {
        const std::unique_ptr<std::shared_ptr<End>> end(static_cast<std::shared_ptr<End>*>(context));
        (*end)->status = status;
        (*end)->reached.store(true, std::memory_order_release);
        signal_event((*end)->event.get());
    }

    void check(pmix_status_t status, const char* what) const {
        if (status != PMIX_SUCCESS) {
            fail(SYNCLINE_ERR_SYSTEM, "{}: {}", what, library_.error_string(status));
        }
    }

    pmix_proc_t process(pmix_rank_t rank) const {
        pmix_proc_t process = self_;
        process.rank = rank;
        return process;
    }

    // The server's knowledge of the whole job.
    pmix_value_t* fact(const char* key) const {
        const pmix_proc_t job = process(PMIX_RANK_WILDCARD);
        pmix_value_t* value = nullptr;
        check(library_.get(&job, key, nullptr, 0, &value), key);
        return value;
    }

    void learn() {
        pmix_value_t* const size = fact(PMIX_JOB_SIZE);
        ranks_ = size->data.uint32;
        std::free(size);
        pmix_value_t* const peers = fact(PMIX_LOCAL_PEERS);  // as in "0,3,4"
        const char* at = peers->type == PMIX_STRING ? peers->data.string : "";
        for (char* rest = nullptr; *at != '\0'; at = *rest == ',' ? rest + 1 : rest) {
            here_.push_back(static_cast<uint32_t>(std::strtoul(at, &rest, 10)));
            if (rest == at) {
                fail(SYNCLINE_ERR_PROTOCOL, "PMIx says that the processes of this node are '{}'", peers->data.string);
            }
        }
        std::free(peers->data.string);
        std::free(peers);
    }

    const Library library_;
    pmix_proc_t self_ = {};
    uint32_t ranks_ = 0;
    std::vector<uint32_t> here_;
    std::optional<PmixProcessTable> table_;
};

}  // namespace

std::string why_no_pmix_library() {
    if (open_library() != nullptr) {
        return "";
    }
    return fmt::format("the PMIx library cannot be loaded: {}; install it (Debian: libpmix2)", ::dlerror());
}

std::unique_ptr<Launcher> connect_to_pmix() {
    return std::make_unique<PmixLauncher>();
}

}  // namespace syncline
