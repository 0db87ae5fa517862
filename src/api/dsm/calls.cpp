// SPDX-License-Identifier: BSD-3-Clause
// The C API of the shared memory (include/syncline/dsm.h). No exception passes this boundary.
//
// Threads: only init and finalize write `session`, and no other call runs beside them.
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/failure.h"
#include "base/os.h"
#include "base/variables.h"
#include "dsm/live/dispositions.h"
#include "dsm/live/own_stack.h"
#include "dsm/live/session.h"
#include "runtime/ground/error_text.h"
#include "runtime/process/lifetime.h"
#include "runtime/process/options.h"
#include "syncline/dsm.h"

using syncline::error;
using syncline::process;
using syncline::size_in;
using syncline::text_in;
using syncline::dsm::Allocator;
using syncline::dsm::MappedView;
using syncline::dsm::page_bytes;
using syncline::dsm::Protocol;
using syncline::dsm::Report;
using syncline::dsm::Session;
using syncline::dsm::SessionOptions;

namespace {

constexpr const char* front_end = "the distributed shared memory";

Session* session = nullptr;  // its end is collective: finalize deletes it, and no exit does
bool joined_here = false;
std::string statistics_wanted = "0";  // as SYNCLINE_DSM_STATISTICS says at init
pid_t own_pid = 0;
std::optional<int> exit_status;     // set once exit() runs
bool must_look_at_signals = false;  // a call about signals would not reach this library

template <typename Body>
int status_of(Body&& body) {
    try {
        return body();
    } catch (const syncline::Failure& failure) {
        return error(failure.status(), "{}", failure.what());
    } catch (const std::exception& exception) {
        return error(SYNCLINE_ERR_NO_MEMORY, "{}", exception.what());
    }
}

// Names the call, refuses it before init and after finalize, and turns exceptions into statuses. Any thread may call,
// on a stack of any kind.
template <typename Body>
int in_session(const char* call, Body&& body) {
    syncline::begin_call(call);
    if (session == nullptr) {
        return error(SYNCLINE_ERR_NOT_INITIALIZED, "{}",
                     syncline::lifetime() == syncline::Lifetime::kForked ? syncline::why_absent()
                                                                         : "call syncline_dsm_init() first");
    }
    if (__builtin_expect(must_look_at_signals, 0)) {
        syncline::dsm::retake_signals();
        syncline::dsm::unblock_fault_signals();
    }
    int status = SYNCLINE_OK;
    syncline::dsm::run_with_room([&] { status = status_of(body); });
    return status;
}

// As in_session(), for a call that names a lock, condition or flag.
template <typename Body>
int numbered(const char* call, uint32_t number, Body&& body) {
    return in_session(call, [&] {
        const uint32_t numbers = session->shared().shape().locks;
        return number < numbers ? body()
                                : error(SYNCLINE_ERR_INVALID,
                                        "{} is no number of a lock, condition or flag, which are "
                                        "0 to {}: ask for more in syncline_dsm_options_t",
                                        number, numbers - 1);
    });
}

// The words of SYNCLINE_DSM_PROTOCOL, in the order of the protocols' numbers.
Protocol protocol_named(std::string_view text) {
    constexpr std::string_view names[] = {"nic", "ardmar", "async"};
    return static_cast<Protocol>(std::find(std::begin(names), std::end(names), text) - std::begin(names));
}

int read_environment(SessionOptions* options) {
    try {
        if (const std::optional<std::string> protocol = text_in("SYNCLINE_DSM_PROTOCOL")) {
            options->protocol = protocol_named(*protocol);
        }
        if (const std::optional<std::string> means = text_in("SYNCLINE_DSM_FAULTS")) {
            options->means = *means == "mprotect" ? MappedView::Means::kProtection : MappedView::Means::kUserfault;
        }
        options->bytes = size_in("SYNCLINE_DSM_SIZE").value_or(options->bytes);
        statistics_wanted = text_in("SYNCLINE_DSM_STATISTICS").value_or("0");
        return SYNCLINE_OK;
    } catch (const syncline::Failure& failure) {
        return error(failure.status(), "{}", failure.what());
    }
}

int read_options(const syncline_dsm_options_t* given, SessionOptions* options) {
    syncline_dsm_options_t chosen;
    if (const std::string why = syncline::take_options(given, "syncline_dsm_options_t", &chosen); !why.empty()) {
        return error(SYNCLINE_ERR_INVALID, "{}", why);
    }
    if (chosen.protocol < SYNCLINE_DSM_NIC || chosen.protocol > SYNCLINE_DSM_ASYNC) {
        return error(SYNCLINE_ERR_INVALID, "{} is no protocol", chosen.protocol);
    }
    options->protocol = static_cast<Protocol>(chosen.protocol);
    options->bytes = chosen.bytes != 0 ? chosen.bytes : options->bytes;
    options->locks = chosen.locks != 0 ? chosen.locks : options->locks;
    return read_environment(options);
}

// All processes call it together, so that they can leave the job.
int fail_to_open(int status, const std::string& why) {
    if (std::exchange(joined_here, false)) {
        (void)syncline::leave_job();
    }
    return error(status, "{}", why);
}

void disown_session() {
    if (session != nullptr) {
        session->disown();
        session = nullptr;  // never deleted: its threads and its job are the parent's
    }
}

void watch_process() {
    own_pid = ::getpid();
    must_look_at_signals = !syncline::dsm::are_called_by_program();
    static const int registered = ::on_exit([](int status, void*) { exit_status = status; }, nullptr) |
                                  ::pthread_atfork(nullptr, nullptr, disown_session);
    (void)registered;
}

// The program's own handlers of exit() have run, and may have finalized. The other processes wait for this one. It
// stays until the launcher ends it, so that none of them finds it gone and prints a message as well.
__attribute__((destructor)) void end_unfinished() {
    if (session == nullptr || !exit_status || ::getpid() != own_pid) {
        return;
    }
    syncline::Attachment& attachment = process->endpoint().attachment();
    if (attachment.alone()) {
        return;
    }
    const int code = *exit_status & 255;
    std::fflush(nullptr);
    fmt::print(stderr, "syncline: PE {} ended (exit code {}) without finalizing shared memory: ending the job\n",
               process->rank(), code);
    attachment.abort_job(code != 0 ? code : 1);
    (void)syncline::sleep_on({}, syncline::ns_per_s);
    std::_Exit(code != 0 ? code : 1);
}

int open_session(const SessionOptions& options) {
    if (process == nullptr) {
        if (const int status = syncline::join_job({}); status != SYNCLINE_OK) {
            return status;
        }
        joined_here = true;
    }
    try {
        session = new Session(process, options);
    } catch (const syncline::Failure& failure) {
        return fail_to_open(failure.status(), failure.what());
    } catch (const std::exception& exception) {
        return fail_to_open(SYNCLINE_ERR_NO_MEMORY, exception.what());
    }
    syncline::hold_job(front_end);
    watch_process();
    return SYNCLINE_OK;
}

void print_statistics() {
    if (statistics_wanted == "0") {
        return;
    }
    const std::vector<Report> reports = session->reports(statistics_wanted == "1");
    if (!reports.empty()) {
        std::fprintf(stderr, "process %u of %u\n%s", process->rank(), process->size(), text_of(reports).c_str());
    }
}

void write_statistics() {
    const std::string name = text_in("SYNCLINE_DSM_STATISTICS_FILE").value_or("");
    if (name.empty()) {
        return;
    }
    const std::vector<Report> reports = session->reports(true);
    if (!reports.empty() && !(std::ofstream(name) << json_of(reports)).flush()) {
        std::fprintf(stderr, "syncline: cannot write %s: %s\n", name.c_str(), std::strerror(errno));
    }
}

int check_request(size_t bytes, int homes) {
    if (bytes == 0) {
        return error(SYNCLINE_ERR_INVALID, "an allocation of shared memory needs at least 1 byte");
    }
    return homes >= SYNCLINE_DSM_FIRST_TOUCH && homes <= SYNCLINE_DSM_MINE
               ? static_cast<int>(SYNCLINE_OK)
               : error(SYNCLINE_ERR_INVALID, "enum syncline_dsm_homes has no value {}", homes);
}

void* allocate(const char* call, size_t bytes, int homes) {
    void* memory = nullptr;
    in_session(call, [&] {
        if (const int status = check_request(bytes, homes); status != SYNCLINE_OK) {
            return status;
        }
        Session::Shortage shortage = {};
        const uint64_t offset = session->allocate(bytes, homes, &shortage);
        if (offset == Allocator::none && shortage.lacks_blocks) {
            return error(SYNCLINE_ERR_NO_MEMORY,
                         "there are too many allocations for another one: shared memory has at most one for each 2 "
                         "KiB; set SYNCLINE_DSM_SIZE, or `bytes` in syncline_dsm_options_t, to more");
        }
        if (offset == Allocator::none) {
            return error(SYNCLINE_ERR_NO_MEMORY,
                         "the call asks for {} bytes of shared memory, and the longest free piece has {}; set "
                         "SYNCLINE_DSM_SIZE, or `bytes` in syncline_dsm_options_t, to more",
                         bytes, shortage.largest);
        }
        memory = session->memory() + offset;
        return static_cast<int>(SYNCLINE_OK);
    });
    return memory;
}

int free_one(const void* memory) {
    if (memory == nullptr) {
        return SYNCLINE_OK;
    }
    const auto offset = static_cast<uint64_t>(static_cast<const uint8_t*>(memory) - session->memory());
    return session->contains(memory, 1) && session->free(offset)
               ? static_cast<int>(SYNCLINE_OK)
               : error(SYNCLINE_ERR_ADDRESS, "{} is not the start of an allocation of shared memory", memory);
}

}  // namespace

extern "C" {

// For signal_calls.cpp, which libsyncline_dsm contains, too.
__attribute__((visibility("default"))) int syncline_change_action_(int number, const struct sigaction* to,
                                                                   struct sigaction* before) {
    return syncline::dsm::change_action(number, to, before);
}

int syncline_dsm_init(const syncline_dsm_options_t* given) {
    syncline::begin_call("syncline_dsm_init");
    if (session != nullptr) {
        return error(SYNCLINE_ERR_INVALID, "called a second time");
    }
    SessionOptions options;
    const int status = read_options(given, &options);
    return status == SYNCLINE_OK ? open_session(options) : status;
}

int syncline_dsm_finalize(void) {
    return in_session("syncline_dsm_finalize", [] {
        session->shared().barrier();
        print_statistics();
        write_statistics();
        delete std::exchange(session, nullptr);
        syncline::let_go_of_job(front_end);
        return std::exchange(joined_here, false) ? syncline::leave_job() : static_cast<int>(SYNCLINE_OK);
    });
}

int syncline_dsm_process(void) {
    return in_session("syncline_dsm_process", [] { return static_cast<int>(process->rank()); });
}

int syncline_dsm_processes(void) {
    return in_session("syncline_dsm_processes", [] { return static_cast<int>(process->size()); });
}

// Runs in front of every read() and write() of a program (src/api/dsm_ports), so it sets no message if there is no
// shared memory.
int syncline_dsm_range(void** base, size_t* bytes) {
    if (session == nullptr) {
        return SYNCLINE_ERR_NOT_INITIALIZED;
    }
    *base = session->memory();
    *bytes = session->bytes();
    return SYNCLINE_OK;
}

// Process 0 allocates, so it is the home for SYNCLINE_DSM_MINE.
void* syncline_dsm_alloc(size_t bytes, int homes) {
    void* memory = nullptr;
    const int status = in_session("syncline_dsm_alloc", [&] {
        if (process->rank() == 0) {
            memory = allocate("syncline_dsm_alloc", bytes, homes);
        }
        return session->broadcast(0, &memory, sizeof(memory));
    });
    if (status == SYNCLINE_OK && memory == nullptr && process->rank() != 0 &&
        check_request(bytes, homes) == SYNCLINE_OK) {
        error(SYNCLINE_ERR_NO_MEMORY, "process 0 could not allocate {} bytes of shared memory", bytes);
    }
    return memory;
}

void* syncline_dsm_alloc_one(size_t bytes, int homes) {
    return allocate("syncline_dsm_alloc_one", bytes, homes);
}

int syncline_dsm_free(void* memory) {
    return in_session("syncline_dsm_free", [&] {
        session->shared().barrier();
        int status = process->rank() == 0 ? free_one(memory) : static_cast<int>(SYNCLINE_OK);
        session->broadcast(0, &status, sizeof(status));
        return status == SYNCLINE_OK || process->rank() == 0
                   ? status
                   : error(status, "{} is not the start of an allocation of shared memory", memory);
    });
}

int syncline_dsm_free_one(void* memory) {
    return in_session("syncline_dsm_free_one", [&] { return free_one(memory); });
}

int syncline_dsm_broadcast(int root, void* value, size_t bytes) {
    return in_session("syncline_dsm_broadcast", [&] {
        if (root < 0 || root >= static_cast<int>(process->size())) {
            return error(SYNCLINE_ERR_RANK, "there is no process {} among {}", root, process->size());
        }
        return value == nullptr && bytes != 0 ? error(SYNCLINE_ERR_INVALID, "the value of {} bytes is NULL", bytes)
                                              : session->broadcast(static_cast<uint32_t>(root), value, bytes);
    });
}

int syncline_dsm_prefetch(const void* memory, size_t bytes, int write) {
    return in_session("syncline_dsm_prefetch", [&] {
        if (bytes == 0) {
            return static_cast<int>(SYNCLINE_OK);
        }
        if (!session->contains(memory, bytes)) {
            return error(SYNCLINE_ERR_ADDRESS, "{} bytes at {} are not within shared memory", bytes, memory);
        }
        const auto offset = static_cast<uint64_t>(static_cast<const uint8_t*>(memory) - session->memory());
        const auto first = static_cast<uint32_t>(offset / page_bytes);
        const auto last = static_cast<uint32_t>((offset + bytes - 1) / page_bytes);
        session->shared().prefetch(first, last - first + 1, write != 0);
        return static_cast<int>(SYNCLINE_OK);
    });
}

int syncline_dsm_barrier(void) {
    return in_session("syncline_dsm_barrier", [] {
        session->shared().barrier();
        return static_cast<int>(SYNCLINE_OK);
    });
}

int syncline_dsm_lock(uint32_t lock) {
    return numbered("syncline_dsm_lock", lock, [&] {
        session->shared().lock(lock);
        return static_cast<int>(SYNCLINE_OK);
    });
}

int syncline_dsm_try_lock(uint32_t lock) {
    return numbered("syncline_dsm_try_lock", lock, [&] {
        return session->shared().try_lock(lock) ? static_cast<int>(SYNCLINE_OK)
                                                : error(SYNCLINE_ERR_BUSY, "lock {} is taken", lock);
    });
}

int syncline_dsm_unlock(uint32_t lock) {
    return numbered("syncline_dsm_unlock", lock, [&] {
        return session->shared().unlock(lock) ? static_cast<int>(SYNCLINE_OK)
                                              : error(SYNCLINE_ERR_INVALID, "this process has not got lock {}", lock);
    });
}

int syncline_dsm_take_numbers(uint32_t count, uint32_t* first) {
    return in_session("syncline_dsm_take_numbers", [&] {
        const uint32_t taken = session->shared().take_numbers(count);
        if (taken == UINT32_MAX) {
            return error(SYNCLINE_ERR_NO_MEMORY,
                         "{} numbers are asked for and not so many are left: ask for more in syncline_dsm_options_t",
                         count);
        }
        *first = taken;
        return static_cast<int>(SYNCLINE_OK);
    });
}

int syncline_dsm_cond_wait(uint32_t condition, uint32_t lock) {
    return numbered("syncline_dsm_cond_wait", std::max(condition, lock), [&] {
        if (!session->shared().has_lock(lock)) {
            return error(SYNCLINE_ERR_INVALID, "this process has not got lock {}", lock);
        }
        session->shared().wait_for(condition, lock);
        return static_cast<int>(SYNCLINE_OK);
    });
}

int syncline_dsm_cond_signal(uint32_t condition) {
    return numbered("syncline_dsm_cond_signal", condition, [&] {
        session->shared().signal(condition);
        return static_cast<int>(SYNCLINE_OK);
    });
}

int syncline_dsm_cond_broadcast(uint32_t condition) {
    return numbered("syncline_dsm_cond_broadcast", condition, [&] {
        session->shared().broadcast(condition);
        return static_cast<int>(SYNCLINE_OK);
    });
}

int syncline_dsm_flag_set(uint32_t flag, uint64_t value) {
    return numbered("syncline_dsm_flag_set", flag, [&] {
        session->shared().set_flag(flag, value);
        return static_cast<int>(SYNCLINE_OK);
    });
}

int syncline_dsm_flag_wait(uint32_t flag, uint64_t value, uint64_t* seen) {
    return numbered("syncline_dsm_flag_wait", flag, [&] {
        const uint64_t found = session->shared().wait_for_flag(flag, value);
        if (seen != nullptr) {
            *seen = found;
        }
        return static_cast<int>(SYNCLINE_OK);
    });
}

int syncline_dsm_get_statistics(syncline_dsm_statistics_t* statistics) {
    return in_session("syncline_dsm_get_statistics", [&] {
        const size_t size = statistics != nullptr ? statistics->struct_size : 0;
        if (size < sizeof(size_t) || size > 4096) {
            return error(SYNCLINE_ERR_INVALID, "set struct_size to sizeof(syncline_dsm_statistics_t), not {}", size);
        }
        const syncline::dsm::Statistics& counts = session->shared().statistics();
        syncline_dsm_statistics_t seen = {};
        seen.struct_size = size;
#define SYNCLINE_DSM_COUNT(name) seen.name = counts.name.value();
        SYNCLINE_DSM_COUNTS(SYNCLINE_DSM_COUNT)
#undef SYNCLINE_DSM_COUNT
        std::memcpy(statistics, &seen, std::min(size, sizeof(seen)));
        return static_cast<int>(SYNCLINE_OK);
    });
}

int syncline_dsm_reset_statistics(void) {
    return in_session("syncline_dsm_reset_statistics", [] {
        syncline::dsm::Statistics& counts = session->shared().statistics();
#define SYNCLINE_DSM_COUNT(name) counts.name.clear();
        SYNCLINE_DSM_COUNTS(SYNCLINE_DSM_COUNT)
#undef SYNCLINE_DSM_COUNT
        return static_cast<int>(SYNCLINE_OK);
    });
}

}  // extern "C"
