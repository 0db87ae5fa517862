// SPDX-License-Identifier: BSD-3-Clause
// ARMCI has no status for what goes wrong: a sentence with the call's name ends the job.
#pragma once

#include <fmt/format.h>

#include "armci.h"
#include "syncline.h"

namespace syncline::armci {

// The call that the program has made, for the sentences of what it calls. One thread calls ARMCI at a time.
class Call {
  public:
    explicit Call(const char* name) : outer_(current_) {
        if (outer_ == nullptr) {
            current_ = name;
        }
    }
    ~Call() { current_ = outer_; }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    static const char* name() { return current_ == nullptr ? "ARMCI" : current_; }

  private:
    inline static const char* current_ = nullptr;
    const char* const outer_;
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
