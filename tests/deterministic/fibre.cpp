// SPDX-License-Identifier: BSD-3-Clause
#include "tests/deterministic/fibre.h"

#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstdlib>
#include <vector>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#endif

namespace syncline::deterministic {
namespace {

constexpr size_t stack_bytes = 256 * 1024;

const void* bottom_of(const boost::context::stack_context& stack) {
    return static_cast<const char*>(stack.sp) - stack.size;
}

// Stacks of fibres that have ended are used again: making one takes two system calls.
std::vector<boost::context::stack_context>& spare_stacks() {
    static std::vector<boost::context::stack_context> stacks;
    return stacks;
}

boost::context::stack_context take_stack() {
    if (spare_stacks().empty()) {
        return boost::context::protected_fixedsize_stack(stack_bytes).allocate();
    }
    const boost::context::stack_context stack = spare_stacks().back();
    spare_stacks().pop_back();
    return stack;
}

#ifdef __SANITIZE_ADDRESS__
void leave_stack(void** frames, const void* bottom, size_t size) {
    __sanitizer_start_switch_fiber(frames, bottom, size);
}
void arrive_at_stack(void* frames, const void** from_bottom, size_t* from_size) {
    __sanitizer_finish_switch_fiber(frames, from_bottom, from_size);
}
void give_back_stack(const boost::context::stack_context& stack) {
    const auto page = static_cast<size_t>(4096);  // the lowest one is the guard
    __asan_unpoison_memory_region(static_cast<const char*>(bottom_of(stack)) + page, stack.size - page);
    spare_stacks().push_back(stack);
}
void abandon_stack(const boost::context::stack_context& stack) {
    const auto page = static_cast<size_t>(4096);
    __lsan_register_root_region(static_cast<const char*>(bottom_of(stack)) + page, stack.size - page);
}
#else
void leave_stack(void**, const void*, size_t) {}
void arrive_at_stack(void*, const void**, size_t*) {}
void give_back_stack(const boost::context::stack_context& stack) {
    spare_stacks().push_back(stack);
}
// No checker looks for leaks, so the next fibre writes over the stack. A process can have some 30000 at most.
void abandon_stack(const boost::context::stack_context& stack) {
    give_back_stack(stack);
}
#endif

}  // namespace

Fibre::Fibre(std::function<void()> body)
    : body_(std::move(body)),
      stack_(take_stack()),
      context_(boost::context::detail::make_fcontext(stack_.sp, stack_.size, enter)) {}

Fibre::~Fibre() {
    if (ended_) {
        give_back_stack(stack_);
    } else {
        static std::vector<std::function<void()>> killed;
        killed.push_back(std::move(body_));
        abandon_stack(stack_);
    }
}

void Fibre::enter(boost::context::detail::transfer_t from) {
    auto* const self = static_cast<Fibre*>(from.data);
    arrive_at_stack(nullptr, &self->outer_bottom_, &self->outer_size_);
    self->outside_ = from.fctx;
    self->body_();
    self->ended_ = true;
    self->jump_out(true);
    std::abort();  // the scheduler resumes no fibre that has ended
}

void Fibre::resume() {
    leave_stack(&outer_frames_, bottom_of(stack_), stack_.size);
    const boost::context::detail::transfer_t back = boost::context::detail::jump_fcontext(context_, this);
    arrive_at_stack(outer_frames_, nullptr, nullptr);
    context_ = back.fctx;
}

void Fibre::suspend() {
    jump_out(false);
}

void Fibre::jump_out(bool for_good) {
    leave_stack(for_good ? nullptr : &own_frames_, outer_bottom_, outer_size_);
    const boost::context::detail::transfer_t back = boost::context::detail::jump_fcontext(outside_, nullptr);
    arrive_at_stack(own_frames_, nullptr, nullptr);
    outside_ = back.fctx;
}

}  // namespace syncline::deterministic
