// SPDX-License-Identifier: BSD-3-Clause
// NumPy's interface for C, for all files of the module; module.cpp loads it. It reads an array's address, type and
// strides in a few nanoseconds, where nanobind's own ndarray takes as long as a whole remote operation of one node.
#pragma once

#include <nanobind/nanobind.h>

#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL syncline_numpy_interface
#ifndef SYNCLINE_LOADS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

namespace nb = nanobind;
