// SPDX-License-Identifier: BSD-3-Clause
// ARMCI has no status for what goes wrong: a sentence with the call's name ends the job.
#pragma once

#include <fmt/format.h>
#include <sys/single_threaded.h>

#include <mutex>

#include "armci.h"
#include "syncline.h"

namespace syncline::armci {

// The call that the program has made: the sentences of what it calls name it. Threads call by turns: the outermost call
// holds the turn, so that what it reaches needs no locks of its own. While the process has one thread, that costs
// nothing.
class Call {
  public:
    explicit Call(const char* name) : name_(name) {
        if (current_ == nullptr) {
            current_ = this;
            take_turn();
        }
    }
    ~Call() {
        if (current_ == this) {
            give_turn();
            current_ = nullptr;
        }
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    static const char* name() { return current_ == nullptr ? "ARMCI" : current_->name_; }

    // Numbers the threads that call, from 1.
    static unsigned long thread() {
        static unsigned long last = 0;
        static thread_local const unsigned long own = ++last;
        return own;
    }
    // Not while the process has one thread.
    static bool has_turn() { return current_ != nullptr && current_->holds_turn_; }

    // A wait for what other processes do, which may need a call of another thread here: it has the turn meanwhile.
    class Aside {
      public:
        Aside() {
            if (current_ != nullptr) {
                current_->give_turn();
            }
        }
        ~Aside() {
            if (current_ != nullptr) {
                current_->take_turn();
            }
        }
        Aside(const Aside&) = delete;
        Aside& operator=(const Aside&) = delete;
    };

  private:
    void take_turn() {
        if (!__libc_single_threaded) {
            turn_.lock();
            holds_turn_ = true;
        }
    }
    void give_turn() {
        if (holds_turn_) {
            holds_turn_ = false;
            turn_.unlock();
        }
    }

    inline static std::mutex turn_;
    [[gnu::tls_model("initial-exec")]] inline static constinit thread_local Call* current_ =
        nullptr;  // the outermost one
    const char* const name_;
    bool holds_turn_ = false;
};

template <typename... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
    const std::string why = fmt::format(format, std::forward<Args>(args)...);
    ARMCI_Error(fmt::format("{}: {}", Call::name(), why).c_str(), 1);
}

// A status of the library, which has a sentence of its own.
inline void check(int status) {
    if (status < 0) {
        refuse("{}", syncline_last_error());
    }
}

}  // namespace syncline::armci
