// SPDX-License-Identifier: BSD-3-Clause
// Finds out whether a byte may be read or written by accessing it: a signal means no.
#pragma once

#include <csetjmp>
#include <csignal>
#include <cstdint>

namespace syncline::dsm_test {

class Probes {
  public:
    Probes() {
        struct sigaction action = {};
        action.sa_handler = [](int) { siglongjmp(back, 1); };
        action.sa_flags = SA_NODEFER;
        ::sigaction(SIGSEGV, &action, &before_[0]);
        ::sigaction(SIGBUS, &action, &before_[1]);
    }
    ~Probes() {
        ::sigaction(SIGSEGV, &before_[0], nullptr);
        ::sigaction(SIGBUS, &before_[1], nullptr);
    }
    Probes(const Probes&) = delete;
    Probes& operator=(const Probes&) = delete;

    bool reads(const volatile uint8_t* byte) {
        return try_to([&] { (void)*byte; });
    }
    bool writes(volatile uint8_t* byte, uint8_t value) {
        return try_to([&] { *byte = value; });
    }

  private:
    template <typename Access>
    static bool try_to(Access&& access) {
        if (sigsetjmp(back, 1) != 0) {
            return false;
        }
        access();
        return true;
    }
    static inline sigjmp_buf back;
    struct sigaction before_[2];
};

}  // namespace syncline::dsm_test
