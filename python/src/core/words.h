// SPDX-License-Identifier: BSD-3-Clause
// Elements that atomics work on.
#pragma once

#include "arrays.h"
#include "status.h"

namespace syncline_python {

enum class Numbers { kIntegers, kAny };  // swap, store and compare&swap move bits, so they take floats as well

// Is the array's type one of words that the NIC knows?
inline void check_type(PyArrayObject* array, Numbers numbers) {
    const char kind = PyArray_DESCR(array)->kind;
    const auto bytes = PyArray_ITEMSIZE(array);
    const bool is_number = kind == 'i' || kind == 'u' || (kind == 'f' && numbers == Numbers::kAny);
    if (__builtin_expect(!is_number || (bytes != 8 && bytes != 4) || !PyArray_ISNOTSWAPPED(array), 0)) {
        throw nb::type_error(numbers == Numbers::kAny ? "this atomic is for integers and floats of 4 or 8 bytes"
                                                      : "this atomic is for integers of 4 or 8 bytes");
    }
}

struct Word {
    PyArrayObject* array;
    syncline_address_t address;

    bool is_64() const { return PyArray_ITEMSIZE(array) == 8; }
};

inline Word word_of(nb::handle target, Py_ssize_t index, Numbers numbers) {
    PyArrayObject* const array = array_of(target);
    check_type(array, numbers);
    return {array, address_of(element_of(array, index))};
}

}  // namespace syncline_python
