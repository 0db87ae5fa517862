// SPDX-License-Identifier: BSD-3-Clause
// The calls in front of which the calls of this library stand: libc's, or those of another library in front of libc.
#pragma once

#include <dlfcn.h>

#include <atomic>

namespace syncline::ports {

// dlsym() allocates and takes locks, so a constructor calls find() before main(); only calls that come still earlier
// look up by themselves.
template <typename Function>
class NextCall {
  public:
    constexpr explicit NextCall(const char* name) : name_(name) {}
    void find() { function_.store(::dlsym(RTLD_NEXT, name_), std::memory_order_release); }

    template <typename... Arguments>
    auto operator()(Arguments... arguments) {
        void* function = function_.load(std::memory_order_acquire);
        if (__builtin_expect(function == nullptr, 0)) {
            find();
            function = function_.load(std::memory_order_acquire);
        }
        return reinterpret_cast<Function*>(function)(arguments...);
    }

  private:
    const char* name_;
    std::atomic<void*> function_{nullptr};
};

}  // namespace syncline::ports
