// SPDX-License-Identifier: BSD-3-Clause
// ARMCI has no status for failures: a message that names the call ends the job.
#pragma once

#include <fmt/format.h>
#include <sys/single_threaded.h>

#include <mutex>

#include "armci.h"
#include "syncline.h"

namespace syncline::armci {

// The call that the program has made; messages of the functions that it calls name it. Threads call by turns: the
// outermost call holds the turn, so the code that it reaches needs no locks of its own. While the process has one
// thread, the turn costs nothing.
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

    // Returns the number of the calling thread, from 1.
    static unsigned long thread() {
        static unsigned long last = 0;
        static thread_local const unsigned long own = ++last;
        return own;
    }
    // Always false while the process has one thread.
    static bool has_turn() { return current_ != nullptr && current_->holds_turn_; }

    // Gives the turn to other threads during a wait for other processes, which may need a call of another thread here.
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
        nullptr;  // the outermost call
    const char* const name_;
    bool holds_turn_ = false;
};

template <typename... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
    const std::string why = fmt::format(format, std::forward<Args>(args)...);
    ARMCI_Error(fmt::format("{}: {}", Call::name(), why).c_str(), 1);
}

// Ends the job if a status of the library, which has a message of its own, is not OK.
inline void check(int status) {
    if (status < 0) {
        refuse("{}", syncline_last_error());
    }
}

}  // namespace syncline::armci
