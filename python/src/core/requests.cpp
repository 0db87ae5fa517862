// SPDX-License-Identifier: BSD-3-Clause
#include "requests.h"

#include <cstring>
#include <utility>

namespace syncline_python {

// Until the operation is complete its buffer is the library's, so an object that is dropped waits. The peer timeout
// bounds it. After Ctrl-C nothing waits any more, and the buffer stays for as long as the process does.
Request::~Request() {
    if (state_->handle == 0) {
        return;
    }
    if (was_interrupted_) {
        (void)state_.release();
    } else {
        (void)without_gil([&] { return syncline_wait(state_->handle); });
    }
}

bool Request::test() {
    if (state_->handle == 0) {
        return true;
    }
    int done = 0;
    const int status = syncline_test(state_->handle, &done);
    if (done != 0 || status != SYNCLINE_OK) {
        state_->handle = 0;
    }
    check(status);
    return done != 0;
}

nb::object Request::wait() {
    if (const syncline_request_t handle = std::exchange(state_->handle, 0); handle != 0) {
        int status = SYNCLINE_OK;
        try {
            status = interruptibly([&] { return syncline_wait(handle); });
        } catch (const nb::python_error&) {
            state_->handle = handle;
            was_interrupted_ = true;
            throw;
        }
        check(status);
    }
    return result();
}

nb::object Request::result() const {
    if (!is_word_) {
        return state_->result;
    }
    Scalar scalar(array_of(state_->result));
    std::memcpy(scalar.bytes(), state_->word, scalar.size());
    return scalar.value();
}

void bind_requests(nb::module_& module) {
    nb::class_<Request>(
        module, "Request",
        R"(An operation that is under way. It is complete, executed exactly once at its target, when test() has
returned True or wait() has returned; until then memory that it writes is the library's. fence() and
quiet() complete it, too. An object that is dropped waits for its operation, unless Ctrl-C has ended a wait
for it; the array of a get then stays the library's for ever.)")
        .def("test", &Request::test, "Is it complete? Does not wait. Raises the operation's Error.")
        .def(
            "wait", &Request::wait, nb::sig("def wait(self) -> typing.Any"),
            R"(Waits until it is complete, at most the peer timeout behind the last sign of life of its target. Returns the
array of a get, the old value of an atomic, None for others. Raises the operation's Error. Ctrl-C ends the
wait and not the operation; wait() may be called again.)");
}

}  // namespace syncline_python
