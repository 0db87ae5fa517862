// SPDX-License-Identifier: BSD-3-Clause
// An operation that was started and not waited for, as an object of Python.
#pragma once

#include <nanobind/stl/unique_ptr.h>
#include <syncline.h>

#include <memory>

#include "arrays.h"

namespace syncline_python {

class Request {
  public:
    // `result` is what wait() returns; the array or, of an atomic, an element of its type.
    explicit Request(nb::object result) : result_(std::move(result)) {}
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;
    ~Request();

    // For the call that starts the operation.
    syncline_request_t* handle() { return &handle_; }
    void* word() { return &word_; }
    void returns_word() { is_word_ = true; }

    bool test();
    nb::object wait();

  private:
    nb::object result() const;

    syncline_request_t handle_ = 0;
    nb::object result_;
    uint64_t word_ = 0;
    bool is_word_ = false;
};

void bind_requests(nb::module_& module);

}  // namespace syncline_python
