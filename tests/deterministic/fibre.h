// SPDX-License-Identifier: BSD-3-Clause
// A function with a stack of its own, which gives up control and later continues where it was.
//
// A fibre that is destroyed before its end stands for a killed process: no more of its code runs, not even destructors.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <boost/context/stack_context.hpp>
#include <functional>

namespace syncline::deterministic {

class Fibre {
  public:
    explicit Fibre(std::function<void()> body);
    ~Fibre();
    Fibre(const Fibre&) = delete;
    Fibre& operator=(const Fibre&) = delete;

    void resume();   // by the scheduler: returns when the fibre suspends itself or ends
    void suspend();  // by the fibre
    bool ended() const { return ended_; }

  private:
    [[noreturn]] static void enter(boost::context::detail::transfer_t from);
    void jump_out(bool for_good);

    std::function<void()> body_;
    boost::context::stack_context stack_;
    boost::context::detail::fcontext_t context_;
    boost::context::detail::fcontext_t outside_ = nullptr;
    bool ended_ = false;
    // AddressSanitizer's record of both stacks.
    void* own_frames_ = nullptr;
    void* outer_frames_ = nullptr;
    const void* outer_bottom_ = nullptr;
    size_t outer_size_ = 0;
};

}  // namespace syncline::deterministic
