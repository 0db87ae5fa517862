// SPDX-License-Identifier: BSD-3-Clause
#include "base/os.h"

#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <thread>

#include "base/interruptions.h"

namespace syncline {

uint64_t now_ns() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<uint64_t>(time.tv_sec) * ns_per_s + static_cast<uint64_t>(time.tv_nsec);
}

void cpu_relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

void yield_cpu() {
    ::sched_yield();
}

CpuSet allowed_cpus() {
    CpuSet found;
    cpu_set_t set;
    if (::sched_getaffinity(0, sizeof(set), &set) == 0) {
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
            if (CPU_ISSET(cpu, &set)) {
                found.bits[cpu / 64 % 4] |= 1ull << (cpu % 64);
            }
        }
    }
    return found;
}

bool sleep_on(const std::vector<int>& fds, uint64_t duration_ns) {
    std::vector<pollfd> polled;
    for (const int fd : fds) {
        polled.push_back({fd, POLLIN, 0});
    }
    const timespec timeout = {static_cast<time_t>(duration_ns / ns_per_s), static_cast<long>(duration_ns % ns_per_s)};
    return ::ppoll(polled.data(), polled.size(), &timeout, nullptr) > 0;
}

int make_event() {
    return ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
}

void signal_event(int fd) {
    const uint64_t one = 1;
    (void)!::write(fd, &one, sizeof(one));
}

void drain_event(int fd) {
    uint64_t count;
    (void)!::read(fd, &count, sizeof(count));
}

namespace {

class Thread final : public Background {
  public:
    explicit Thread(std::function<void()> body) {
        const Uninterrupted caller;  // its blocked signals are blocked in the thread, too
        thread_ = std::thread(std::move(body));
    }
    ~Thread() override { thread_.join(); }

  private:
    std::thread thread_;
};

class SleepingDoorbell final : public Doorbell {
  public:
    void ring() override {
        {
            const std::lock_guard<std::mutex> guard(guard_);
            rung_ = true;
        }
        changed_.notify_one();
    }
    void wait() override {
        std::unique_lock<std::mutex> lock(guard_);
        changed_.wait(lock, [this] { return rung_; });
        rung_ = false;
    }

  private:
    std::mutex guard_;
    std::condition_variable changed_;
    bool rung_ = false;
};

}  // namespace

std::unique_ptr<Background> run_in_background(std::function<void()> body) {
    return std::make_unique<Thread>(std::move(body));
}

std::unique_ptr<Doorbell> make_doorbell() {
    return std::make_unique<SleepingDoorbell>();
}

void end_process(int code) {
    std::_Exit(code);
}

}  // namespace syncline
