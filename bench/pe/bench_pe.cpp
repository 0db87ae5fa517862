// SPDX-License-Identifier: BSD-3-Clause
// syncline-bench-pe: the program of the jobs that `syncline bench` starts. It does what the driver tells it.
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bench/pe/pe.h"

namespace syncline::bench {
namespace {

constexpr int driver = STDIN_FILENO;

// Data larger than the socket's buffer takes several turns. False: the driver is gone.
bool read_all(void* data, size_t bytes) {
    return ::recv(driver, data, bytes, MSG_WAITALL) == static_cast<ssize_t>(bytes);
}

void write_all(const void* data, size_t bytes) {
    const auto* at = static_cast<const char*>(data);
    while (bytes != 0) {
        const ssize_t sent = ::send(driver, at, bytes, MSG_NOSIGNAL);
        if (sent <= 0) {
            std::_Exit(1);
        }
        at += sent;
        bytes -= static_cast<size_t>(sent);
    }
}

void run_on(int32_t cpu) {
    static int32_t now = -1;
    if (cpu == now || cpu < 0) {
        return;
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<size_t>(cpu), &set);
    if (::sched_setaffinity(0, sizeof(set), &set) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot run on CPU {}", cpu);
    }
    now = cpu;
}

Outcome execute_shared(const Pe& pe, const Command& command) {
    switch (command.verb) {
        case Verb::kSharedOpen:
            return open_shared(command);
        case Verb::kSharedClose:
            return close_shared();
        case Verb::kSharedPages:
            return take_shared_pages(command);
        case Verb::kSharedWrite:
            return write_shared_pages(command);
        case Verb::kSharedAcquire:
            return acquire_shared_pages();
        case Verb::kSharedRead:
            return read_shared_pages(pe, command);
        case Verb::kSharedLock:
            return pass_shared_lock(pe, command);
        case Verb::kSharedAllocate:
            return allocate_shared(command);
        case Verb::kSharedBarrier:
            return run_shared_barriers(command);
        default:
            return {};
    }
}

Outcome execute(Pe* pe, const Command& command) {
    run_on(command.cpu);
    switch (command.verb) {
        case Verb::kLatency:
            return measure_latency(*pe, command);
        case Verb::kLocal:
            return measure_local(*pe, command);
        case Verb::kInFlight:
            return measure_in_flight(*pe, command);
        case Verb::kPosted:
            return measure_posted(*pe, command);
        case Verb::kFold:
            return fold_table(*pe, command);
        case Verb::kBulk:
            return move_bulk(*pe, command);
        case Verb::kCompute:
            return compute(*pe, command);
        case Verb::kCount:
            return count_iterations(*pe, command);
        case Verb::kOffer:
            return offer_load(*pe, command);
        case Verb::kListen:
            return stream_listen(pe);
        case Verb::kSink:
            return stream_sink(*pe);
        case Verb::kStream:
            return stream_send(command);
        case Verb::kMakeLock:
            return make_lock(command);
        case Verb::kContend:
            return contend(*pe, command);
        case Verb::kDestroyLock:
            return destroy_lock();
        case Verb::kTraceLock:
            return trace_lock(*pe, command);
        case Verb::kBarrier:
            return run_barriers(command);
        case Verb::kFence:
            return fence(*pe, command);
        case Verb::kCpuTime:
            return count_cpu_time();
        default:
            return execute_shared(*pe, command);
    }
}

void answer(Pe* pe, const Command& command) {
    Answer answer;
    Outcome outcome;
    try {
        outcome = execute(pe, command);
        answer.samples = static_cast<uint32_t>(outcome.samples.size());
        answer.elapsed_ns = outcome.elapsed_ns;
        answer.operations = outcome.operations;
        answer.bytes = outcome.bytes;
        answer.value = outcome.value;
    } catch (const Failure& failure) {
        answer.status = failure.status();
        std::snprintf(answer.text, sizeof(answer.text), "%s", failure.what());
    }
    write_all(&answer, sizeof(answer));
    write_all(outcome.samples.data(), answer.samples * sizeof(uint32_t));
}

int serve(uint64_t table_bytes) {
    must(syncline_init(nullptr));
    Pe pe = {.word = 0, .table = 0, .table_bytes = table_bytes};
    must(syncline_alloc(4096, 4096, &pe.word));
    must(syncline_alloc(table_bytes, 65536, &pe.table));
    const Answer ready;
    write_all(&ready, sizeof(ready));
    for (Command command; read_all(&command, sizeof(command));) {
        if (command.verb == Verb::kQuit) {
            return syncline_finalize() == SYNCLINE_OK ? 0 : 1;
        }
        if (command.verb != Verb::kStop) {  // that one may come after the command that it stops has ended by itself
            answer(&pe, command);
        }
    }
    return 0;
}

}  // namespace

bool Pe::told() const {
    Command command;
    if (::recv(driver, &command, sizeof(command), MSG_PEEK | MSG_DONTWAIT) != sizeof(command)) {
        return false;
    }
    return command.verb == Verb::kStop;
}

}  // namespace syncline::bench

int main(int argc, char** argv) {
    if (argc != 2 || std::getenv("SYNCLINE_RANK") == nullptr) {
        std::fprintf(stderr, "syncline-bench-pe is started by `syncline bench`, not by hand\n");
        return 2;
    }
    ::prctl(PR_SET_TIMERSLACK, 1);
    try {
        return syncline::bench::serve(std::strtoull(argv[1], nullptr, 10));
    } catch (const syncline::Failure& failure) {
        std::fprintf(stderr, "syncline-bench-pe: %s\n", failure.what());
        return 1;
    }
}
