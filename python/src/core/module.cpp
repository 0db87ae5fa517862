// SPDX-License-Identifier: BSD-3-Clause
// The module syncline._core: one binding for each subject, each in its file.
#define SYNCLINE_LOADS_NUMPY
#include "numpy_interface.h"

#include "atomics.h"
#include "completion.h"
#include "dsm.h"
#include "job.h"
#include "locks.h"
#include "memory.h"
#include "requests.h"

using namespace syncline_python;

NB_MODULE(_core, module) {
    if (_import_array() < 0) {
        throw nb::python_error();
    }
    remember_main_thread();
    nb::set_leak_warnings(false);  // a program may end with arrays, locks and requests in its variables
    module.doc() = "The compiled half of the package syncline; import that one.";
    bind_requests(module);
    bind_job(module);
    bind_memory(module);
    bind_accumulate(module);
    bind_atomics(module);
    bind_updates(module);
    bind_completion(module);
    bind_locks(module);
    bind_collectives(module);
    bind_dsm(module);
    // Functions without work, bare and with the arguments of an atomic: bench/scalar_calls.py compares calls with them.
    using namespace nb::literals;
    module.def("_empty", [] {});
    module.def(
        "_empty_with_arguments", [](nb::handle, nb::handle, int, Py_ssize_t) {}, "target"_a, "value"_a, "pe"_a,
        "index"_a = 0);
}
