// SPDX-License-Identifier: BSD-3-Clause
// Elements that atomics work on.
#pragma once

#include "arrays.h"
#include "short_calls.h"
#include "status.h"

namespace syncline_python {

// Store moves bits, so it takes floats as well; swap and compare&swap also take elements of 16 bytes of any type.
enum class Numbers { kIntegers, kAny, kAnyAndPairs };

// Is the array's type one of words that the NIC knows?
inline void check_type(PyArrayObject* array, Numbers numbers) {
    const char kind = PyArray_DESCR(array)->kind;
    const auto bytes = PyArray_ITEMSIZE(array);
    const bool is_number =
        PyArray_ISNOTSWAPPED(array) && (kind == 'i' || kind == 'u' || (kind == 'f' && numbers != Numbers::kIntegers));
    if (__builtin_expect((is_number && (bytes == 8 || bytes == 4)) || (bytes == 16 && numbers == Numbers::kAnyAndPairs),
                         1)) {
        return;
    }
    throw nb::type_error(numbers == Numbers::kIntegers ? "this atomic is for integers of 4 or 8 bytes"
                         : numbers == Numbers::kAny    ? "this atomic is for integers and floats of 4 or 8 bytes"
                                                       : "this atomic is for integers and floats of 4 or 8 bytes and "
                                                         "for elements of 16 bytes");
}

// As check_type(), for a short call, which leaves pairs to nanobind's function.
inline bool has_type(const Place& place, Numbers numbers) {
    return place.type.bytes >= 4 && (numbers != Numbers::kIntegers || place.type.kind != NumberType::kFloat);
}

// The arguments of a short call that changes one word by one operand.
inline constexpr std::array update_names = {"target", "value", "pe", "index"};

// Reads `given`, in the order of update_names.
SYNCLINE_SHORT bool read_update(const std::array<PyObject*, update_names.size()>& given, Numbers numbers, Place* place,
                                uint64_t* operand) {
    const auto [target, value, pe, index] = given;
    return read_place(target, pe, index, place) && has_type(*place, numbers) && read_bits(value, place->type, operand);
}

struct Word {
    PyArrayObject* array;
    syncline_address_t address;

    bool is_64() const { return PyArray_ITEMSIZE(array) == 8; }
    bool is_128() const { return PyArray_ITEMSIZE(array) == 16; }
    int width() const { return is_128() ? SYNCLINE_128 : is_64() ? SYNCLINE_64 : SYNCLINE_32; }
};

inline Word word_of(nb::handle target, Py_ssize_t index, Numbers numbers) {
    PyArrayObject* const array = array_of(target);
    check_type(array, numbers);
    return {array, address_of(element_of(array, index))};
}

}  // namespace syncline_python
