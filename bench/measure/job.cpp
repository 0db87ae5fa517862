// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/job.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "base/clock.h"
#include "base/failure.h"
#include "launch/child.h"

namespace syncline::bench {

namespace {
constexpr int turn_ms = 200;
constexpr uint64_t patience_ns = 60 * ns_per_s;
}  // namespace

BenchJob::BenchJob(LaunchOptions options, uint64_t table_bytes) {
    for (uint32_t rank = 0; rank < options.ranks; rank++) {
        int pair[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
            fail_errno(SYNCLINE_ERR_SYSTEM, "cannot make a socket pair for PE {}", rank);
        }
        sockets_.emplace_back(pair[0]);
        pe_sockets_.emplace_back(pair[1]);
    }
    options.quiet = true;
    options.bind_to = BindTo::kNone;  // commands say where a PE runs
    options.heap_bytes = table_bytes + (1u << 20);
    options.program = {installed_program("syncline-bench-pe"), std::to_string(table_bytes)};
    options.child_setup = [this](uint32_t rank) { ::dup2(pe_sockets_[rank].get(), STDIN_FILENO); };
    launch_ = std::make_unique<Launch>(std::move(options));
    launch_->start();
    pe_sockets_.clear();
    for (uint32_t rank = 0; rank < ranks(); rank++) {
        collect(rank);
    }
}

BenchJob::~BenchJob() {
    try {
        for (uint32_t rank = 0; rank < ranks(); rank++) {
            post(rank, {.verb = Verb::kQuit});
        }
        const uint64_t patience = now_ns() + 2 * ns_per_s;
        while (launch_->do_work(turn_ms) && now_ns() < patience) {
        }
    } catch (const std::exception&) {
        // An earlier failure was reported. The launch's destructor ends the remaining processes.
    }
}

void BenchJob::post(uint32_t rank, const Command& command) {
    if (::send(sockets_[rank].get(), &command, sizeof(command), MSG_NOSIGNAL) != sizeof(command)) {
        fail_errno(SYNCLINE_ERR_PEER, "PE {} of the benchmark is gone", rank);
    }
}

void BenchJob::post_pinned(uint32_t pes, Command command) {
    const uint32_t cpus = std::max(1u, std::thread::hardware_concurrency());
    for (uint32_t rank = 0; rank < pes; rank++) {
        command.cpu = static_cast<int32_t>(rank % cpus);
        post(rank, command);
    }
}

void BenchJob::receive(uint32_t rank, void* data, size_t bytes) {
    auto* at = static_cast<char*>(data);
    const uint64_t patience = now_ns() + patience_ns;
    while (bytes != 0) {
        pollfd polled = {sockets_[rank].get(), POLLIN, 0};
        const ssize_t got = ::poll(&polled, 1, turn_ms) > 0 ? ::recv(polled.fd, at, bytes, 0) : -1;
        if (got > 0) {
            at += got;
            bytes -= static_cast<size_t>(got);
        } else if (got == 0 || !launch_->do_work(0) || launch_->exit_code() != 0) {
            fail(SYNCLINE_ERR_PEER, "the benchmark was interrupted: PE {} of a job over {} ended (exit code {})", rank,
                 transport_name(launch_->plan().job.spec.transport), launch_->exit_code());
        } else if (now_ns() > patience) {
            fail(SYNCLINE_ERR_TIMEOUT, "PE {} of the benchmark does not answer", rank);
        }
    }
}

Result BenchJob::collect(uint32_t rank) {
    Result result;
    receive(rank, &result.head, sizeof(result.head));
    result.samples.resize(result.head.samples);
    receive(rank, result.samples.data(), result.samples.size() * sizeof(uint32_t));
    if (result.head.status != SYNCLINE_OK) {
        fail(result.head.status, "PE {} of the benchmark: {}", rank, result.head.text);
    }
    return result;
}

Result BenchJob::call(uint32_t rank, const Command& command) {
    post(rank, command);
    return collect(rank);
}

Result BenchJob::stop(uint32_t rank) {
    post(rank, {.verb = Verb::kStop});
    return collect(rank);
}

}  // namespace syncline::bench
