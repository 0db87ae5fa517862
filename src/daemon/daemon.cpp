// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/daemon.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/failure.h"
#include "base/os.h"

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83  // from Linux 6.16; an older kernel does not know it
#endif

namespace syncline {
namespace {

// Less than the timer's intervals, which are not exact.
constexpr uint64_t job_work_ns = 5 * ns_per_ms;
constexpr uint64_t silence_check_ns = 400 * ns_per_ms;

void log_line(LimitedLog::Kind kind, const std::string& line) {
    using Kind = LimitedLog::Kind;
    const bool is_news = kind == Kind::kGone || kind == Kind::kRefused || kind == Kind::kJob;
    const spdlog::level::level_enum level = is_news                        ? spdlog::level::info
                                            : kind == Kind::kNoDescriptors ? spdlog::level::err
                                                                           : spdlog::level::warn;
    spdlog::log(level, "{}", line);
}

// A daemon that was killed leaves its socket's name behind; a living daemon answers.
void clear_stale(const std::string& address) {
    struct stat found = {};
    if (address.empty() || address[0] == '@' || ::lstat(address.c_str(), &found) != 0) {
        return;
    }
    if (!S_ISSOCK(found.st_mode)) {
        fail(SYNCLINE_ERR_INVALID, "'{}', where the daemon is to listen, exists and is no socket", address);
    }
    try {
        Channel::connect(address);
    } catch (const Failure&) {
        ::unlink(address.c_str());
        return;
    }
    fail(SYNCLINE_ERR_BUSY, "another synclined listens at '{}'", address);
}

}  // namespace

Daemon::Daemon(const Options& options)
    : options_(options),
      settings_(options.settings),
      log_(log_line),
      jobs_(settings_, !options_.end_with_jobs, options_.admission.job_requests, &log_),
      handlers_(&jobs_, clients_, settings_, &log_),
      admission_(options.admission, ::geteuid()),
      connections_(options.admission.connections),
      spare_(::open("/dev/null", O_RDONLY | O_CLOEXEC)) {
    clear_stale(options_.address);
    listener_ = Channel::listen(options_.address, 0666);
    epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
    signal_event_.reset(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    timer_.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
    ::fcntl(listener_.get(), F_SETFL, O_NONBLOCK);
    if (options_.refuses_descriptors && !options_.end_with_jobs) {
        const int none = 0;  // connections inherit the option
        (void)::setsockopt(listener_.get(), SOL_SOCKET, SO_PASSRIGHTS, &none, sizeof(none));
    }
    if (!epoll_ || !signal_event_ || !timer_ || !spare_) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "synclined cannot create its event loop");
    }
    watch(listener_.get());
    watch(signal_event_.get());
    watch(timer_.get());
    watch(jobs_.built());
    if (options_.prepares_for_xdp) {
        jobs_.prepare_for_xdp(settings_.interfaces);
    }
}

Daemon::~Daemon() {
    for (auto& [fd, client] : clients_) {
        hang_up(client.get());
    }
    turn_away_all();
    listener_.reset();  // before a process of the undertaker could inherit it
    if (!options_.address.empty() && options_.address[0] != '@') {
        ::unlink(options_.address.c_str());
    }
}

void Daemon::watch(int fd) const {
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "synclined cannot watch a descriptor");
    }
}

void Daemon::stop() {
    stop_asked_ = true;
    signal_event(signal_event_.get());
}

void Daemon::ask_to_reload() {
    reload_asked_ = true;
    signal_event(signal_event_.get());
}

void Daemon::take_signal() {
    drain_event(signal_event_.get());
    stopping_ = stopping_ || stop_asked_;
    if (reload_asked_.exchange(false) && options_.reload) {
        options_.reload(this);
    }
}

void Daemon::change(const Settings& settings) {
    settings_ = settings;
    jobs_.change(settings_);
}

void Daemon::run() {
    try {
        while (!stopping_ && !(options_.end_with_jobs && jobs_.had_any() && jobs_.none_runs())) {
            do_work(-1);
        }
    } catch (const std::exception& exception) {
        say_goodbye(fmt::format("ended: {}", exception.what()));
        throw;
    }
    say_goodbye("was stopped");
}

// A client that does not receive the message learns the end when the daemon hangs up.
void Daemon::say_goodbye(const std::string& end) {
    for (const auto& [fd, client] : clients_) {
        if (const NodeJob* const job = client->job(); job != nullptr && !client->detached) {
            Message goodbye;
            goodbye.type = MessageType::kStop;
            const std::string sentence = fmt::format("the daemon of node {} {}", job->job().spec.config.node, end);
            goodbye.append(sentence.data(), sentence.size());
            (void)client->channel.send(goodbye);
        }
    }
}

int Daemon::do_work(int timeout_ms) {
    epoll_event events[32];
    const int count = ::epoll_wait(epoll_.get(), events, 32, timeout_ms);
    for (int i = 0; i < count; i++) {
        const int fd = events[i].data.fd;
        if (fd == listener_.get()) {
            accept_clients();
        } else if (fd == signal_event_.get()) {
            take_signal();
        } else if (fd == timer_.get()) {
            run_timers();
        } else if (fd == jobs_.built()) {
            take_built();
        } else if (const auto client = clients_.find(fd); client != clients_.end()) {
            serve(client->second.get(), (events[i].events & EPOLLHUP) != 0);
        }
    }
    plan_ticks();
    return count;
}

void Daemon::run_timers() {
    uint64_t ticks;
    (void)!::read(timer_.get(), &ticks, sizeof(ticks));
    const uint64_t now = now_ns();
    if (now >= jobs_worked_ns_ + job_work_ns) {
        jobs_worked_ns_ = now;
        jobs_.do_work(now);
    }
    release_segments();
    undertaker_.do_work();
    resume_all();
    if (now >= looked_for_silent_ns_ + silence_check_ns) {
        looked_for_silent_ns_ = now;
        drop_silent(now);
        log_.summarise(now);
        admission_.forget_idle(now);
    }
}

}  // namespace syncline
