// SPDX-License-Identifier: BSD-3-Clause
#include "completion.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <vector>

#include "arrays.h"
#include "waits.h"

namespace syncline_python {
namespace {

// A PE that is gone writes nothing. While a wait without a bound lasts, this asks a few PEs at a time, in turn, for the
// word in the place of the awaited one. As syncline_wait_until64() does, it names each that is gone once: a program
// that is built to survive that waits again.
class Roll {
  public:
    void look(syncline_address_t word) {
        const auto size = static_cast<size_t>(check_count(syncline_size()));
        gone_.resize(size);
        for (size_t asked = 0; asked < std::min(size, asked_at_once); asked++) {
            next_ = (next_ + 1) % size;
            const int pe = static_cast<int>(next_);
            uint64_t ignored = 0;
            if (!gone_[next_] &&
                interruptibly([&] { return syncline_get(pe, word, &ignored, sizeof(ignored)); }) == SYNCLINE_ERR_PEER) {
                gone_[next_] = true;
                fail(SYNCLINE_ERR_PEER,
                     "PE " + std::to_string(pe) +
                         " is gone, the word may never be written; wait again if another PE is to write it");
            }
        }
    }

  private:
    static constexpr size_t asked_at_once = 8;

    std::vector<bool> gone_;
    size_t next_ = 0;
};
Roll roll;  // guarded by the GIL but for its gets

enum class Order { kLess, kEqual, kGreater, kOther };

Order compare(nb::handle a, nb::handle b) {
    const auto holds = [&](int operation) {
        const int result = PyObject_RichCompareBool(a.ptr(), b.ptr(), operation);
        return result >= 0 ? result != 0 : throw nb::python_error();
    };
    return holds(Py_EQ) ? Order::kEqual : holds(Py_LT) ? Order::kLess : holds(Py_GT) ? Order::kGreater : Order::kOther;
}

bool holds(nb::handle seen, const std::string& comparison, nb::handle value) {
    const Order order = compare(seen, value);
    return comparison == "=="   ? order == Order::kEqual
           : comparison == "!=" ? order != Order::kEqual
           : comparison == ">"  ? order == Order::kGreater
           : comparison == ">=" ? order == Order::kGreater || order == Order::kEqual
           : comparison == "<"  ? order == Order::kLess
           : comparison == "<="
               ? order == Order::kLess || order == Order::kEqual
               : throw nb::value_error("a comparison is \"==\", \"!=\", \">\", \">=\", \"<\" or \"<=\"");
}

// Waits until the word is another one than `seen`. False: the time has passed.
bool wait_for_change(const uint64_t* word, uint64_t seen, const Timeout& timeout, bool for_ever,
                     Clock::time_point* look_at) {
    constexpr auto patience = std::chrono::milliseconds(500);
    for (;;) {
        const int status = without_gil([&] { return syncline_wait_until64(word, SYNCLINE_NE, seen, timeout.slice()); });
        if (status != SYNCLINE_ERR_TIMEOUT) {
            check(status);
            return true;
        }
        run_signal_handlers();
        if (timeout.left_us() == 0) {
            return false;
        }
        if (for_ever && Clock::now() >= *look_at) {
            roll.look(syncline_address(word));
            *look_at = Clock::now() + patience;
        }
    }
}

// The library compares words without a sign. So this waits for a change of the word, and Python compares numbers of its
// type.
bool wait_until(nb::handle array_given, const std::string& comparison, nb::handle value, Py_ssize_t index,
                std::optional<double> seconds) {
    PyArrayObject* const array = array_of(array_given);
    if (PyArray_ITEMSIZE(array) != 8 || !PyArray_ISNUMBER(array) || !PyArray_ISNOTSWAPPED(array)) {
        throw nb::type_error("wait_until() is for elements of 8 bytes: integers, unsigned ones or floats");
    }
    const Timeout timeout(seconds);
    const auto* const word = reinterpret_cast<const uint64_t*>(element_of(array, index));
    (void)address_of(word);
    Clock::time_point look_at = Clock::now() + std::chrono::milliseconds(500);
    Scalar seen(array);
    for (;;) {
        seen.word<uint64_t>() = __atomic_load_n(word, __ATOMIC_ACQUIRE);
        if (holds(seen.value(), comparison, value)) {
            return true;
        }
        if (!wait_for_change(word, seen.word<uint64_t>(), timeout, !seconds, &look_at)) {
            return false;
        }
    }
}

}  // namespace

void bind_completion(nb::module_& module) {
    using namespace nb::literals;
    module.def(
        "quiet", [] { check(interruptibly(syncline_quiet)); },
        R"(Waits until everything that this PE, all its threads, has started is complete at its targets. Raises the first
error of a posted operation. Later operations are ordered behind all of it.)");
    module.def(
        "fence", [](int pe) { check(interruptibly([&] { return syncline_fence(pe); })); }, "pe"_a,
        "quiet() for what was started towards PE `pe`.");
    module.def(
        "wait_until", &wait_until, "array"_a, "comparison"_a, "value"_a, "index"_a = 0, "timeout"_a = nb::none(),
        nb::sig(
            "def wait_until(array: numpy.typing.NDArray[typing.Any], comparison: typing.Literal['==', '!=', '>', '>=', "
            "'<', '<='], value: float, index: int = 0, timeout: float | None = None) -> bool"),
        R"(Waits until an element of 8 bytes of this PE's symmetric memory compares so with `value`. All that its writer had
completed before is visible then. False: `timeout` seconds have passed. A value that is there for a moment
only may be missed. Without a timeout it raises PeerError, once for each PE of the job that it finds gone;
wait again if another PE is to write the word. Ctrl-C ends it and changes nothing.)");
}

}  // namespace syncline_python
