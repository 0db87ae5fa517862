// SPDX-License-Identifier: BSD-3-Clause
#include "job/launchers/pmi2_launcher.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/failure.h"
#include "base/loaded_library.h"
#include "base/os.h"
#include "job/launchers/arrival.h"
#include "job/launchers/process_mapping.h"

namespace syncline {
namespace {

// PMI-2's limit for a value, with its terminating byte, and its only good status.
constexpr int value_max = 1024;
constexpr int success = 0;
// A value is text, so bytes are hexadecimal digits; more bytes than one value can hold go in several.
constexpr size_t bytes_each = 500;

// The functions of the library that are used here, as the standard declares them.
struct Pmi2Functions {
    int (*init)(int* spawned, int* size, int* rank, int* application);
    int (*initialized)();
    int (*finalize)();
    int (*put)(const char* key, const char* value);
    int (*get)(const char* job, int source, const char* key, char* value, int value_max, int* length);
    int (*fence)();
    int (*job_attribute)(const char* name, char* value, int value_max, int* found);
    int (*abort)(int flag, const char* text);
};

LoadedLibrary pmi2_library() {
    return {"libpmi2.so.0", RTLD_LOCAL, "PMI-2", "libpmi2-0"};
}

Pmi2Functions load_pmi2() {
    const LoadedLibrary library = pmi2_library();
    library.check();
    Pmi2Functions found = {};
    library.find("PMI2_Init", &found.init);
    library.find("PMI2_Initialized", &found.initialized);
    library.find("PMI2_Finalize", &found.finalize);
    library.find("PMI2_KVS_Put", &found.put);
    library.find("PMI2_KVS_Get", &found.get);
    library.find("PMI2_KVS_Fence", &found.fence);
    library.find("PMI2_Info_GetJobAttr", &found.job_attribute);
    library.find("PMI2_Abort", &found.abort);
    return found;
}

std::string part_name(uint32_t rank, const std::string& name, size_t part) {
    return fmt::format("{}.{}.{}", name, rank, part);
}

void check_pmi2(int status, const char* what) {
    if (status != success) {
        fail(SYNCLINE_ERR_SYSTEM, "{} (PMI-2 error {})", what, status);
    }
}

class Pmi2Launcher final : public Launcher {
  public:
    Pmi2Launcher() : library_(load_pmi2()) {
        if (library_.initialized() != 0) {
            fail(SYNCLINE_ERR_BUSY,
                 "another library of this process uses PMI-2 already, and a process has one; use PMIx");
        }
        int spawned = 0, size = 0, rank = 0, application = 0;
        check_pmi2(library_.init(&spawned, &size, &rank, &application), "no PMI-2 server answers this process");
        try {
            learn(rank, size);
        } catch (...) {
            (void)library_.finalize();
            throw;
        }
    }
    ~Pmi2Launcher() override {
        if (!stuck_) {
            (void)library_.finalize();
        }
    }

    uint32_t rank() const override { return rank_; }
    uint32_t ranks() const override { return ranks_; }
    const std::vector<uint32_t>& ranks_here() const override { return here_; }

    // Before its bytes, each value says how many bytes follow it.
    void show(const std::string& name, const Bytes& bytes) override {
        size_t part = 0;
        for (size_t at = 0; at < bytes.size() || part == 0; at += bytes_each, part++) {
            const size_t end = std::min(at + bytes_each, bytes.size());
            std::string value = fmt::format("{}:", bytes.size() - end);
            for (size_t i = at; i < end; i++) {
                value += fmt::format("{:02x}", bytes[i]);
            }
            check_pmi2(library_.put(part_name(rank_, name, part).c_str(), value.c_str()),
                       "PMI-2 refuses the data of this process");
        }
    }

    // The library's call may wait for ever, so a thread makes it; a call that does not come back keeps the library.
    void exchange(uint32_t timeout_ms, const Meanwhile& meanwhile) override {
        const auto arrival = std::make_shared<Arrival>();
        std::unique_ptr<Background> waiting =
            run_in_background([arrival, fence = library_.fence] { arrival->report(fence()); });
        try {
            check_pmi2(arrival->await_all(ranks_, timeout_ms, meanwhile),
                       "PMI-2 does not bring the processes together");
        } catch (const Failure&) {
            stuck_ = true;
            (void)waiting.release();
            throw;
        }
    }

    std::optional<Bytes> shown_by(uint32_t rank, const std::string& name) override {
        Bytes bytes;
        size_t rest = 1;
        for (size_t part = 0; rest > 0; part++) {
            char value[value_max + 1] = "";
            int length = 0;
            if (library_.get(nullptr, static_cast<int>(rank), part_name(rank, name, part).c_str(), value, value_max,
                             &length) != success ||
                !take(value, &bytes, &rest)) {
                return std::nullopt;
            }
        }
        return bytes;
    }

    Marks marks() const override {
        const char* const job = std::getenv("PMI_JOBID");
        return {fmt::format("PMI_JOBID={}", job != nullptr ? job : ""), "PMI_RANK="};
    }
    std::optional<Ended> ended() override { return std::nullopt; }

    // The library's call ends in exit(1). This process keeps its own exit code, and its exit handlers do not run.
    void abort(int code) override {
        static int own_code = 0;
        own_code = code;
        (void)std::atexit([] { std::_Exit(own_code); });
        (void)library_.abort(1, "");
        std::_Exit(code);
    }

  private:
    // Returns false if the value was not written by this file.
    static bool take(const char* value, Bytes* bytes, size_t* rest) {
        const char* const end = value + std::strlen(value);
        const char* const colon = std::from_chars(value, end, *rest).ptr;
        if (colon == value || *colon != ':' || (end - colon) % 2 != 1) {
            return false;
        }
        for (const char* at = colon + 1; at < end; at += 2) {
            uint8_t byte = 0;
            if (std::from_chars(at, at + 2, byte, 16).ptr != at + 2) {
                return false;
            }
            bytes->push_back(byte);
        }
        return *rest == 0 || end - value > 2;  // an empty part is allowed only alone
    }

    void learn(int rank, int size) {
        if (rank < 0 || rank >= size) {
            fail(SYNCLINE_ERR_PROTOCOL, "PMI-2 says that this process is {} of {}", rank, size);
        }
        rank_ = static_cast<uint32_t>(rank);
        ranks_ = static_cast<uint32_t>(size);
        char mapping[value_max + 1] = "";
        int found = 0;
        check_pmi2(library_.job_attribute("PMI_process_mapping", mapping, value_max, &found),
                   "PMI-2 does not say which processes share a node");
        if (found == 0) {
            fail(SYNCLINE_ERR_UNSUPPORTED, "this launcher's PMI-2 does not say which processes share a node; use PMIx");
        }
        here_ = ranks_beside(mapping, rank_, ranks_);
    }

    const Pmi2Functions library_;
    uint32_t rank_ = 0;
    uint32_t ranks_ = 0;
    std::vector<uint32_t> here_;
    bool stuck_ = false;
};

}  // namespace

std::string why_no_pmi2_library() {
    return pmi2_library().why_not();
}

std::unique_ptr<Launcher> connect_to_pmi2() {
    return std::make_unique<Pmi2Launcher>();
}

}  // namespace syncline
