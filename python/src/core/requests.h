// SPDX-License-Identifier: BSD-3-Clause
// An operation that was started and not waited for, as an object of Python.
#pragma once

#include <nanobind/stl/unique_ptr.h>
#include <syncline.h>

#include <memory>

#include "arrays.h"
#include "status.h"
#include "waits.h"

namespace syncline_python {

class Request {
  public:
    // `result` is what wait() returns; the array or, of an atomic, an element of its type.
    explicit Request(nb::object result) : state_(std::make_unique<State>()) { state_->result = std::move(result); }
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;
    ~Request();

    // Has `begin(request)` start the operation.
    template <typename Begin>
    void start(bool near, Begin&& begin) {
        was_interrupted_ = true;
        check(call(near, [&] { return begin(&state_->handle); }));
        was_interrupted_ = false;
    }
    // Where an atomic leaves the old value.
    void* word() { return &state_->word; }
    void returns_word() { is_word_ = true; }

    bool test();
    nb::object wait();

  private:
    nb::object result() const;

    // Until the operation is complete this is the library's to write.
    struct State {
        syncline_request_t handle = 0;
        nb::object result;
        alignas(16) uint64_t word[2] = {};
    };
    std::unique_ptr<State> state_;
    bool is_word_ = false;
    bool was_interrupted_ = false;
};

// The operation that `request` is for, or, without one, the blocking call.
template <typename Begin>
void start_or_call(Request* request, bool near, Begin&& begin) {
    if (request != nullptr) {
        request->start(near, begin);
    } else {
        check(call(near, [&] { return begin(static_cast<syncline_request_t*>(nullptr)); }));
    }
}

void bind_requests(nb::module_& module);

}  // namespace syncline_python
