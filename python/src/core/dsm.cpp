// SPDX-License-Identifier: BSD-3-Clause
// Calls that wait for other processes have no form that does not wait. So in the main thread such a call runs in a
// thread of its own, while this one lets Python's handlers of signals run. Ctrl-C leaves the call where it is. No
// release or acquire can be undone, so shared memory is over for this process: later calls say so,
// and the job ends when the process does (docs/DSM.md, how processes end).
#include "dsm.h"

#include <nanobind/stl/string.h>
#include <syncline/dsm.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "arrays.h"
#include "job.h"
#include "memory.h"
#include "waits.h"

namespace syncline_python {
namespace {

std::string interrupted;  // the call; guarded by the GIL

// A call in a thread of its own.
class Errand {
  public:
    static std::shared_ptr<Errand> begin(std::function<int()> call) {
        auto errand = std::make_shared<Errand>();
        errand->thread_ = std::thread([errand, call = std::move(call)] { errand->end(call()); });
        return errand;
    }
    bool wait_for(std::chrono::milliseconds time) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, time, [this] { return done_; });
    }
    // Its thread is gone then, with all that the library keeps for a thread.
    void join() { thread_.join(); }
    void leave() { thread_.detach(); }
    void check() const {
        if (status_ != SYNCLINE_OK) {
            fail(status_, message_);
        }
    }

  private:
    void end(int status) {
        const std::lock_guard lock(mutex_);
        status_ = status;
        message_ = status != SYNCLINE_OK ? syncline_last_error() : "";
        done_ = true;
        changed_.notify_all();
    }

    std::thread thread_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool done_ = false;
    int status_ = SYNCLINE_OK;
    std::string message_;
};

void check_usable() {
    if (is_dsm_interrupted()) {
        fail(SYNCLINE_ERR_INVALID, "an exception such as Ctrl-C's has left dsm." + interrupted +
                                       "() half done, so shared memory is over for this process; end the program");
    }
}

void run(const char* name, std::function<int()> call) {
    check_usable();
    if (!is_main_thread() || syncline_dsm_processes() == 1) {
        check(without_gil(call));
        return;
    }
    const std::shared_ptr<Errand> errand = Errand::begin(std::move(call));
    while (!without_gil([&] { return errand->wait_for(std::chrono::milliseconds(50)); })) {
        if (PyErr_CheckSignals() != 0) {
            interrupted = name;
            errand->leave();
            throw nb::python_error();
        }
    }
    errand->join();
    errand->check();
}

void init(size_t bytes, int protocol, uint32_t locks) {
    check_usable();
    world().meet("dsm.init");
    syncline_dsm_options_t options = {};
    options.struct_size = sizeof(options);
    options.bytes = bytes;
    options.protocol = protocol;
    options.locks = locks;
    check(without_gil([&] { return syncline_dsm_init(&options); }));
}

nb::object allocate(size_t bytes, int homes) {
    const auto memory = std::make_shared<void*>(nullptr);
    run("empty", [=] {
        *memory = syncline_dsm_alloc(bytes, homes);
        return *memory != nullptr ? SYNCLINE_OK : SYNCLINE_ERR_NO_MEMORY;
    });
    return array_over(*memory, bytes);
}

void free(nb::handle array) {
    void* const memory = PyArray_DATA(array_of(array));
    run("free", [=] { return syncline_dsm_free(memory); });
}

bool acquire(uint32_t lock, bool blocking) {
    check_usable();
    const int status = without_gil([&] { return syncline_dsm_try_lock(lock); });
    if (status == SYNCLINE_ERR_BUSY && blocking) {
        run("acquire", [=] { return syncline_dsm_lock(lock); });
        return true;
    }
    return status != SYNCLINE_ERR_BUSY && (check(status), true);
}

void release(uint32_t lock) {
    check_usable();
    check(without_gil([&] { return syncline_dsm_unlock(lock); }));
}

uint64_t wait_for_flag(uint32_t flag, uint64_t value) {
    const auto seen = std::make_shared<uint64_t>(0);
    run("wait", [=] { return syncline_dsm_flag_wait(flag, value, seen.get()); });
    return *seen;
}

void prefetch(nb::handle array, bool write) {
    check_usable();
    PyArrayObject* const given = array_of(array);
    if (!PyArray_IS_C_CONTIGUOUS(given) && !PyArray_IS_F_CONTIGUOUS(given)) {
        throw nb::value_error("prefetch() is for an array without gaps");
    }
    check(without_gil(
        [&] { return syncline_dsm_prefetch(PyArray_DATA(given), static_cast<size_t>(PyArray_NBYTES(given)), write); }));
}

template <auto call>
void quick(uint32_t number) {
    check_usable();
    check(without_gil([&] { return call(number); }));
}

}  // namespace

bool is_dsm_open() {
    void* base = nullptr;
    size_t bytes = 0;
    return syncline_dsm_range(&base, &bytes) == SYNCLINE_OK;
}

bool is_dsm_interrupted() {
    return !interrupted.empty();
}

void bind_dsm(nb::module_& module) {
    using namespace nb::literals;
    module.def("_dsm_init", &init, "bytes"_a, "protocol"_a, "locks"_a);
    module.def("_dsm_finalize", [] { run("finalize", syncline_dsm_finalize); });
    module.def("_dsm_allocate", &allocate, "bytes"_a, "homes"_a,
               nb::sig("def _dsm_allocate(bytes: int, homes: int) -> numpy.typing.NDArray[numpy.uint8]"));
    module.def("_dsm_free", &free, "array"_a,
               nb::sig("def _dsm_free(array: numpy.typing.NDArray[typing.Any]) -> None"));
    module.def("_dsm_barrier", [] { run("barrier", syncline_dsm_barrier); });
    module.def("_dsm_prefetch", &prefetch, "array"_a, "write"_a,
               nb::sig("def _dsm_prefetch(array: numpy.typing.NDArray[typing.Any], write: bool) -> None"));
    module.def("_dsm_acquire", &acquire, "lock"_a, "blocking"_a);
    module.def("_dsm_release", &release, "lock"_a);
    module.def(
        "_dsm_condition_wait",
        [](uint32_t condition, uint32_t lock) { run("wait", [=] { return syncline_dsm_cond_wait(condition, lock); }); },
        "condition"_a, "lock"_a);
    module.def("_dsm_condition_signal", &quick<syncline_dsm_cond_signal>, "condition"_a);
    module.def("_dsm_condition_broadcast", &quick<syncline_dsm_cond_broadcast>, "condition"_a);
    module.def(
        "_dsm_flag_set",
        [](uint32_t flag, uint64_t value) {
            check_usable();
            check(without_gil([&] { return syncline_dsm_flag_set(flag, value); }));
        },
        "flag"_a, "value"_a);
    module.def("_dsm_flag_wait", &wait_for_flag, "flag"_a, "value"_a);
    module.def("_dsm_is_interrupted", &is_dsm_interrupted);
}

}  // namespace syncline_python
