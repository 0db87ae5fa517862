// SPDX-License-Identifier: BSD-3-Clause
#include "requests.h"

#include <cstring>
#include <utility>

#include "waits.h"

namespace syncline_python {

// Until the operation is complete its buffer is the library's, so an object that is dropped waits. The peer timeout
// bounds it.
Request::~Request() {
    if (handle_ != 0) {
        (void)without_gil([&] { return syncline_wait(handle_); });
    }
}

bool Request::test() {
    if (handle_ == 0) {
        return true;
    }
    int done = 0;
    const int status = syncline_test(handle_, &done);
    if (done != 0 || status != SYNCLINE_OK) {
        handle_ = 0;
    }
    check(status);
    return done != 0;
}

nb::object Request::wait() {
    if (const syncline_request_t handle = std::exchange(handle_, 0); handle != 0) {
        check(without_gil([&] { return syncline_wait(handle); }));
    }
    return result();
}

nb::object Request::result() const {
    if (!is_word_) {
        return result_;
    }
    Scalar scalar(array_of(result_));
    std::memcpy(scalar.bytes(), &word_, scalar.size());
    return scalar.value();
}

void bind_requests(nb::module_& module) {
    nb::class_<Request>(
        module, "Request",
        R"(An operation that is under way. It is complete, executed exactly once at its target, when test() has
returned True or wait() has returned; until then memory that it writes is the library's. fence() and
quiet() complete it, too. An object that is dropped waits for its operation.)")
        .def("test", &Request::test, "Is it complete? Does not wait. Raises the operation's Error.")
        .def(
            "wait", &Request::wait, nb::sig("def wait(self) -> typing.Any"),
            R"(Waits until it is complete, at most the peer timeout behind the last sign of life of its target. Returns the
array of a get, the old value of an atomic, None for others. Raises the operation's Error.)");
}

}  // namespace syncline_python
