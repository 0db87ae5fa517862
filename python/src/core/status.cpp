// SPDX-License-Identifier: BSD-3-Clause
#include "status.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace syncline_python {

void fail(int status, const std::string& message) {
    const nb::object error = nb::module_::import_("syncline._errors").attr("error_of")(status, message);
    PyErr_SetObject(error.type().ptr(), error.ptr());
    throw nb::python_error();
}

}  // namespace syncline_python
