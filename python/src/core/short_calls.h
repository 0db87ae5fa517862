// SPDX-License-Identifier: BSD-3-Clause
// Calls on one number in the memory of this node, in front of nanobind's.
//
// nanobind finds a call's arguments in its tables, which takes longer than the atomic that the call is about. So a
// short call reads the arguments by itself and executes the operation where all of them are as they mostly are: numbers
// of Python, an array, a PE whose memory is mapped here. It executes nothing where an argument is another one, and
// nanobind's function makes the call. Help, signature and stubs are nanobind's.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <utility>

#include "arrays.h"
#include "status.h"

namespace syncline_python {

// A word that holds a number of an array's type.
struct NumberType {
    enum Kind : uint8_t { kNone, kSigned, kUnsigned, kFloat } kind = kNone;
    uint8_t bytes = 0;  // 1, 2, 4 or 8
};

// By NumPy's number of the type.
constexpr std::array<NumberType, NPY_DOUBLE + 1> make_number_types() {
    std::array<NumberType, NPY_DOUBLE + 1> types = {};
    types[NPY_BYTE] = {NumberType::kSigned, 1};
    types[NPY_UBYTE] = {NumberType::kUnsigned, 1};
    types[NPY_SHORT] = {NumberType::kSigned, 2};
    types[NPY_USHORT] = {NumberType::kUnsigned, 2};
    types[NPY_INT] = {NumberType::kSigned, 4};
    types[NPY_UINT] = {NumberType::kUnsigned, 4};
    types[NPY_LONG] = types[NPY_LONGLONG] = {NumberType::kSigned, 8};
    types[NPY_ULONG] = types[NPY_ULONGLONG] = {NumberType::kUnsigned, 8};
    types[NPY_FLOAT] = {NumberType::kFloat, 4};
    types[NPY_DOUBLE] = {NumberType::kFloat, 8};
    return types;
}
inline constexpr std::array number_types = make_number_types();

// All of the following return whether they have found what they put into `*`; a std::optional would go through memory
// each time, which is half of what a call takes.
#define SYNCLINE_SHORT [[gnu::always_inline]] inline

// A number of Python that is not larger than 64 bits with their sign.
SYNCLINE_SHORT bool read_integer(PyObject* number, long long* value) {
    if (!PyLong_CheckExact(number)) {
        return false;
    }
    auto* const digits = reinterpret_cast<PyLongObject*>(number);
#if PY_VERSION_HEX >= 0x030c0000
    if (PyUnstable_Long_IsCompact(digits)) {
        *value = PyUnstable_Long_CompactValue(digits);
        return true;
    }
#else
    if (const Py_ssize_t size = Py_SIZE(digits); size >= -1 && size <= 1) {
        *value = size * static_cast<long long>(digits->ob_digit[0]);
        return true;
    }
#endif
    int overflow = 0;
    *value = PyLong_AsLongLongAndOverflow(number, &overflow);
    return overflow == 0;
}

SYNCLINE_SHORT bool read_float(PyObject* value, NumberType type, uint64_t* bits) {
    double number = 0;
    if (long long whole = 0; PyFloat_CheckExact(value)) {
        number = PyFloat_AS_DOUBLE(value);
    } else if (read_integer(value, &whole)) {
        number = static_cast<double>(whole);
    } else {
        return false;
    }
    if (type.bytes == 8) {
        *bits = std::bit_cast<uint64_t>(number);
        return true;
    }
    *bits = std::bit_cast<uint32_t>(static_cast<float>(number));
    return std::abs(number) <= FLT_MAX;  // NumPy warns of others
}

// The bits of a value: of an int for integers, of an int or a float for floats.
SYNCLINE_SHORT bool read_bits(PyObject* value, NumberType type, uint64_t* bits) {
    if (type.kind == NumberType::kFloat) {
        return read_float(value, type, bits);
    }
    long long number = 0;
    if (!read_integer(value, &number)) {
        return false;
    }
    *bits = static_cast<uint64_t>(number);
    const int unused = 64 - 8 * type.bytes;
    return type.kind == NumberType::kSigned ? number == static_cast<int64_t>(*bits << unused) >> unused
                                            : number >= 0 && number == static_cast<int64_t>(*bits << unused >> unused);
}

SYNCLINE_SHORT PyObject* number_of(uint64_t bits, NumberType type) {
    if (type.kind == NumberType::kFloat) {
        return PyFloat_FromDouble(type.bytes == 8 ? std::bit_cast<double>(bits)
                                                  : double{std::bit_cast<float>(static_cast<uint32_t>(bits))});
    }
    const int unused = 64 - 8 * type.bytes;
    return type.kind == NumberType::kSigned ? PyLong_FromLongLong(static_cast<int64_t>(bits << unused) >> unused)
                                            : PyLong_FromUnsignedLongLong(bits << unused >> unused);
}

// One number in the memory of a PE of this node.
struct Place {
    NumberType type;
    int pe;
    syncline_address_t address;
};

SYNCLINE_SHORT bool read_type(PyArrayObject* array, NumberType* type) {
    const PyArray_Descr* const descr = PyArray_DESCR(array);
    const auto number = static_cast<size_t>(descr->type_num);
    if (number >= number_types.size() || !PyArray_ISNBO(descr->byteorder)) {
        return false;
    }
    *type = number_types[number];
    return type->kind != NumberType::kNone;
}

// One dimension with any step, or more of them without gaps.
SYNCLINE_SHORT bool read_shape(PyArrayObject* array, npy_intp* length, npy_intp* step) {
    if (PyArray_NDIM(array) == 1) {
        *length = PyArray_DIM(array, 0);
        *step = PyArray_STRIDE(array, 0);
        return true;
    }
    *length = PyArray_SIZE(array);
    *step = PyArray_NDIM(array) == 0 ? 0 : PyArray_STRIDE(array, PyArray_NDIM(array) - 1);
    return PyArray_IS_C_CONTIGUOUS(array);
}

// Without `index` it is the first element.
SYNCLINE_SHORT bool read_place(PyObject* target, PyObject* pe, PyObject* index, Place* place) {
    auto* const array = reinterpret_cast<PyArrayObject*>(target);
    long long rank = 0;
    long long number = 0;
    npy_intp length = 0;
    npy_intp step = 0;
    if (!PyArray_Check(target) || !read_type(array, &place->type) || !read_shape(array, &length, &step) ||
        !read_integer(pe, &rank) || (index != nullptr && !read_integer(index, &number))) {
        return false;
    }
    number += number < 0 ? length : 0;
    if (number < 0 || number >= length || !is_near(rank)) {
        return false;
    }
    place->pe = static_cast<int>(rank);
    place->address = known.address_of(PyArray_BYTES(array) + number * step);
    return known.has(place->address) && (place->address & (place->type.bytes - 1u)) == 0;
}

// The names of a function's arguments.
template <size_t count>
class Names {
  public:
    explicit Names(const std::array<const char*, count>& texts) {
        for (size_t i = 0; i < count; i++) {
            names_[i] = PyUnicode_InternFromString(texts[i]);
        }
    }

    // Puts each argument into its place; the last one may be missing, and is NULL then. False: nanobind is to say what
    // is wrong.
    bool read(PyObject* const* given, size_t number, PyObject* keywords, std::array<PyObject*, count>* into) const {
        const size_t named = keywords != nullptr ? static_cast<size_t>(PyTuple_GET_SIZE(keywords)) : 0;
        if (number + named > count) {
            return false;
        }
        *into = {};
        std::copy_n(given, number, into->begin());
        for (size_t i = 0; i < named; i++) {
            // The names in a program's text are interned, so they are the same objects.
            const auto found = std::find(names_.begin(), names_.end(), PyTuple_GET_ITEM(keywords, i));
            if (found == names_.end() || (*into)[static_cast<size_t>(found - names_.begin())] != nullptr) {
                return false;
            }
            (*into)[static_cast<size_t>(found - names_.begin())] = given[number + i];
        }
        return std::find(into->begin(), into->end() - 1, nullptr) == into->end() - 1;
    }

  private:
    std::array<PyObject*, count> names_;
};

// A short call. `Call` has `names`, those of its arguments, and execute(), which returns the result of the call, or
// NULL where nanobind is to make the call.
template <typename Call>
class ShortCall {
  public:
    // From here on the function of the module tries the short call first.
    static void put_in_front_of(const nb::object& function) {
        static const Names<Call::names.size()> its_names(Call::names);
        names = &its_names;
        vectorcallfunc* const place = place_of_vectorcall(function.ptr());
        general = std::exchange(*place, &vectorcall);
    }

  private:
    // Where CPython looks for what a call of this object does.
    static vectorcallfunc* place_of_vectorcall(PyObject* function) {
        return reinterpret_cast<vectorcallfunc*>(reinterpret_cast<char*>(function) +
                                                 Py_TYPE(function)->tp_vectorcall_offset);
    }

    static PyObject* vectorcall(PyObject* self, PyObject* const* given, size_t number, PyObject* keywords) {
        std::array<PyObject*, Call::names.size()> arguments;
        if (names->read(given, static_cast<size_t>(PyVectorcall_NARGS(number)), keywords, &arguments)) {
            try {
                if (PyObject* const result = Call::execute(arguments);
                    result != nullptr || PyErr_Occurred() != nullptr) {
                    return result;
                }
            } catch (nb::python_error& error) {
                error.restore();
                return nullptr;
            }
        }
        return general(self, given, number, keywords);
    }

    inline static const Names<Call::names.size()>* names = nullptr;
    inline static vectorcallfunc general = nullptr;
};

}  // namespace syncline_python
