// SPDX-License-Identifier: BSD-3-Clause
// Sums into another PE's array.

#include "arrays.h"
#include "memory.h"
#include "requests.h"
#include "waits.h"

namespace syncline_python {
namespace {

int element_kind(PyArrayObject* array) {
    const char kind = PyArray_DESCR(array)->kind;
    const auto bytes = PyArray_ITEMSIZE(array);
    if (PyArray_ISNOTSWAPPED(array)) {
        if (kind == 'i' || kind == 'u') {
            return bytes == 4 ? SYNCLINE_INT32 : bytes == 8 ? SYNCLINE_INT64 : -1;
        }
        if (kind == 'f') {
            return bytes == 4 ? SYNCLINE_FLOAT : bytes == 8 ? SYNCLINE_DOUBLE : -1;
        }
        if (kind == 'c') {
            return bytes == 8 ? SYNCLINE_COMPLEX_FLOAT : bytes == 16 ? SYNCLINE_COMPLEX_DOUBLE : -1;
        }
    }
    return -1;
}

int add_in(int pe, int kind, const Range& range, const void* values, size_t count, syncline_request_t* request) {
    const syncline_piece_t* const pieces = range.pieces.data();
    const size_t number = range.pieces.size();
    if (range.is_one()) {
        return request != nullptr ? syncline_accumulate_nb(pe, range.start(), kind, values, count, 0, request)
                                  : syncline_accumulate(pe, range.start(), kind, values, count);
    }
    return request != nullptr ? syncline_accumulate_pieces_nb(pe, range.base, kind, pieces, number, values, 0, request)
                              : syncline_accumulate_pieces(pe, range.base, kind, pieces, number, values);
}

void add_array(nb::handle target, nb::handle value, int pe, Request* request) {
    PyArrayObject* const array = array_of(target);
    const int kind = element_kind(array);
    if (kind < 0) {
        throw nb::type_error(
            "accumulate() is for integers and floats of 4 or 8 bytes and complex numbers of two such floats");
    }
    const Range range = range_of(array);
    const nb::object values = values_for(array, value);
    const void* const data = PyArray_DATA(array_of(values));
    const auto count = static_cast<size_t>(PyArray_SIZE(array));
    if (range.bytes != 0) {
        start_or_call(request, ends_at_once(pe, range),
                      [&](syncline_request_t* begun) { return add_in(pe, kind, range, data, count, begun); });
    }
}

void accumulate(nb::handle target, nb::handle value, int pe) {
    add_array(target, value, pe, nullptr);
}

std::unique_ptr<Request> accumulate_nb(nb::handle target, nb::handle value, int pe) {
    auto request = std::make_unique<Request>(nb::none());
    add_array(target, value, pe, request.get());
    return request;
}

}  // namespace

void bind_accumulate(nb::module_& module) {
    using namespace nb::literals;
    module.def(
        "accumulate", &accumulate, "target"_a, "values"_a, "pe"_a,
        nb::sig("def accumulate(target: numpy.typing.NDArray[typing.Any], values: numpy.typing.ArrayLike, pe: "
                "int) -> None"),
        R"(Adds to PE `pe`'s memory in the place of `target`: target += values there, each number exactly once and atomic
against all other operations on it. Complete on return. Integers (modulo 2**32 or 2**64), floats and
complex numbers of 4, 8 and 16 bytes; sums of floats depend on the order in which they come.)");
    module.def("accumulate_nb", &accumulate_nb, "target"_a, "values"_a, "pe"_a,
               nb::sig("def accumulate_nb(target: numpy.typing.NDArray[typing.Any], values: numpy.typing.ArrayLike, "
                       "pe: int) -> Request"),
               "accumulate() that does not wait. `values` may change when it returns.");
}

}  // namespace syncline_python
