// SPDX-License-Identifier: BSD-3-Clause
#include "arrays.h"

#include <algorithm>

#include "status.h"

namespace syncline_python {

PyArrayObject* array_of(nb::handle argument) {
    if (__builtin_expect(!PyArray_Check(argument.ptr()), 0)) {
        throw nb::type_error(
            "a NumPy array of symmetric memory (syncline.zeros) is needed, or a view of one; array[3] is a number: "
            "write array[3:4], or name the element by index=3");
    }
    return reinterpret_cast<PyArrayObject*>(argument.ptr());
}

namespace {

syncline_address_t ask_address(const void* data) {
    const syncline_address_t address = syncline_address(data);
    if (address == SYNCLINE_ADDRESS_NONE) {
        (void)check_count(syncline_rank());  // there may be no job
        fail(
            SYNCLINE_ERR_ADDRESS,
            "the array is not in symmetric memory, so other PEs have nothing in its place: make it by syncline.zeros() "
            "or its like, or take a view of such an array");
    }
    return address;
}

}  // namespace

syncline_address_t address_of(const void* data) {
    const syncline_address_t address = known.address_of(data);
    return known.has(address) ? address : ask_address(data);
}

void forget_job() {
    known = {};
}

void remember_pes(syncline_address_t any_word) {
    known.near_pes.resize(static_cast<size_t>(check_count(syncline_size())));
    for (size_t pe = 0; pe < known.near_pes.size(); pe++) {
        known.near_pes[pe] = syncline_pointer(static_cast<int>(pe), any_word) != nullptr;
    }
}

void remember_allocation(syncline_address_t address, size_t bytes) {
    known.heap_base = reinterpret_cast<uintptr_t>(syncline_local(address)) - address;
    known.heap_begin = known.heap_end == 0 ? address : std::min(known.heap_begin, address);
    known.heap_end = std::max(known.heap_end, address + bytes);
}

Py_ssize_t index_of(nb::handle index) {
    const Py_ssize_t number = PyLong_CheckExact(index.ptr()) ? PyLong_AsSsize_t(index.ptr())
                                                             : PyNumber_AsSsize_t(index.ptr(), PyExc_IndexError);
    if (number == -1 && PyErr_Occurred() != nullptr) {
        throw nb::python_error();
    }
    return number;
}

int pe_of(nb::handle pe) {
    const Py_ssize_t number = index_of(pe);
    return number == static_cast<int>(number) ? static_cast<int>(number) : -1;  // the library says that there is none
}

char* element_of(PyArrayObject* array, Py_ssize_t index) {
    const npy_intp size = PyArray_NDIM(array) == 1 ? PyArray_DIM(array, 0) : PyArray_SIZE(array);
    index += index < 0 ? size : 0;
    if (index < 0 || index >= size) {
        throw nb::index_error("the index is outside the array");
    }
    if (PyArray_NDIM(array) == 1) {
        return PyArray_BYTES(array) + index * PyArray_STRIDE(array, 0);
    }
    if (!PyArray_IS_C_CONTIGUOUS(array)) {
        throw nb::value_error(
            "an index needs an array of one dimension or one without gaps; take a view of the element");
    }
    return PyArray_BYTES(array) + index * PyArray_ITEMSIZE(array);
}

namespace {

// The dimensions in front of those whose elements lie one behind the other; `run` is the bytes of these.
int outer_dimensions(PyArrayObject* array, npy_intp* run) {
    int outer = PyArray_NDIM(array);
    *run = PyArray_ITEMSIZE(array);
    while (outer > 0 && (PyArray_DIM(array, outer - 1) == 1 || PyArray_STRIDE(array, outer - 1) == *run)) {
        *run *= PyArray_DIM(array, --outer);
    }
    return outer;
}

// Negative strides reach below the first element.
npy_intp lowest_offset(PyArrayObject* array) {
    npy_intp lowest = 0;
    for (int i = 0; i < PyArray_NDIM(array); i++) {
        lowest += std::min<npy_intp>(0, PyArray_STRIDE(array, i) * (PyArray_DIM(array, i) - 1));
    }
    return lowest;
}

}  // namespace

Range range_of(PyArrayObject* array) {
    Range range;
    range.bytes = static_cast<size_t>(PyArray_NBYTES(array));
    if (range.bytes == 0) {
        return range;
    }
    npy_intp run = 0;
    const int outer = outer_dimensions(array, &run);
    const npy_intp lowest = outer == 0 ? 0 : lowest_offset(array);
    range.base = address_of(PyArray_BYTES(array) + lowest);
    std::vector<npy_intp> at(static_cast<size_t>(outer), 0);
    npy_intp offset = -lowest;
    range.pieces.reserve(range.bytes / static_cast<size_t>(run));
    for (;;) {
        range.pieces.push_back({static_cast<uint64_t>(offset), static_cast<uint64_t>(run)});
        int i = outer - 1;
        for (; i >= 0; i--) {
            offset += PyArray_STRIDE(array, i);
            if (++at[i] < PyArray_DIM(array, i)) {
                break;
            }
            offset -= PyArray_STRIDE(array, i) * at[i];
            at[i] = 0;
        }
        if (i < 0) {
            return range;
        }
    }
}

nb::object empty_like(PyArrayObject* source) {
    PyArray_Descr* const type = PyArray_DESCR(source);
    Py_INCREF(type);
    PyObject* const array = PyArray_Empty(PyArray_NDIM(source), PyArray_DIMS(source), type, 0);
    return array != nullptr ? nb::steal(array) : throw nb::python_error();
}

namespace {

bool fits_as_it_is(PyArrayObject* target, nb::handle value) {
    if (!PyArray_Check(value.ptr())) {
        return false;
    }
    auto* const array = reinterpret_cast<PyArrayObject*>(value.ptr());
    return PyArray_IS_C_CONTIGUOUS(array) && PyArray_SAMESHAPE(array, target) &&
           PyArray_EquivTypes(PyArray_DESCR(array), PyArray_DESCR(target)) != 0;
}

// Lists and the like take the target's type element by element.
nb::object as_array(PyArrayObject* target, nb::handle value) {
    PyArray_Descr* const type = PyArray_Check(value.ptr()) ? nullptr : PyArray_DESCR(target);
    Py_XINCREF(type);
    PyObject* const array = PyArray_FromAny(value.ptr(), type, 0, 0, 0, nullptr);
    return array != nullptr ? nb::steal(array) : throw nb::python_error();
}

}  // namespace

nb::object values_for(PyArrayObject* target, nb::handle value) {
    if (fits_as_it_is(target, value)) {
        return nb::borrow(value);
    }
    const nb::object given = as_array(target, value);
    auto* const from = reinterpret_cast<PyArrayObject*>(given.ptr());
    if (!PyArray_CanCastArrayTo(from, PyArray_DESCR(target), NPY_SAME_KIND_CASTING)) {
        throw nb::type_error("the values are of another kind than the array; convert them by astype() first");
    }
    nb::object values = empty_like(target);
    if (PyArray_CopyInto(reinterpret_cast<PyArrayObject*>(values.ptr()), from) != 0) {
        throw nb::python_error();
    }
    return values;
}

namespace {

// Words of 64 bits are the numbers of most calls, and NumPy's general way takes as long as all else of a call.
bool is_word(PyArrayObject* array) {
    const int type = PyArray_TYPE(array);
    return (type == NPY_INT64 || type == NPY_UINT64) && PyArray_ISNOTSWAPPED(array);
}

uint64_t word_of(PyArrayObject* array, PyObject* value) {
    const uint64_t word = PyArray_TYPE(array) == NPY_UINT64 ? PyLong_AsUnsignedLongLong(value)
                                                            : static_cast<uint64_t>(PyLong_AsLongLong(value));
    if (word == UINT64_MAX && PyErr_Occurred() != nullptr) {
        throw nb::python_error();
    }
    return word;
}

}  // namespace

Scalar::Scalar(PyArrayObject* array) : array_(array) {
    if (!PyArray_ISNUMBER(array) && (size() > size_max || PyDataType_REFCHK(PyArray_DESCR(array)))) {
        throw nb::type_error("an element of this type cannot be one value; move a view of the array");
    }
}

Scalar::Scalar(PyArrayObject* array, nb::handle value) : Scalar(array) {
    nb::object whole;
    if (PyArray_ISINTEGER(array) && !PyLong_CheckExact(value.ptr())) {
        whole = nb::steal(PyNumber_Index(value.ptr()));
        if (!whole.is_valid()) {
            throw nb::python_error();
        }
        value = whole;
    }
    std::fill_n(bytes_, size(), char{});  // a record may have gaps, and compare_swap() compares them
    if (is_word(array)) {
        word<uint64_t>() = word_of(array, value.ptr());
    } else if (PyArray_SETITEM(array_, bytes_, value.ptr()) != 0) {
        throw nb::python_error();
    }
}

nb::object Scalar::value() {
    PyObject* const value = !is_word(array_)                     ? PyArray_GETITEM(array_, bytes_)
                            : PyArray_TYPE(array_) == NPY_UINT64 ? PyLong_FromUnsignedLongLong(word<uint64_t>())
                                                                 : PyLong_FromLongLong(word<int64_t>());
    return value != nullptr ? nb::steal(value) : throw nb::python_error();
}

}  // namespace syncline_python
