// SPDX-License-Identifier: BSD-3-Clause
#include "memory.h"

#include "arrays.h"
#include "job.h"
#include "requests.h"
#include "short_calls.h"
#include "waits.h"

namespace syncline_python {

nb::object array_over(void* memory, size_t bytes) {
    npy_intp length = static_cast<npy_intp>(bytes);
    PyObject* const array = PyArray_SimpleNewFromData(1, &length, NPY_UINT8, memory);
    return array != nullptr ? nb::steal(array) : throw nb::python_error();
}

namespace {

nb::object allocate(size_t bytes) {
    world().meet("empty");
    syncline_address_t address = 0;
    check(without_gil([&] { return syncline_alloc(bytes, 0, &address); }));
    remember_allocation(address, bytes);
    return array_over(syncline_local(address), bytes);
}

void free(nb::handle array) {
    const syncline_address_t address = address_of(PyArray_DATA(array_of(array)));
    world().meet("free");
    check(without_gil([&] { return syncline_free(address); }));
}

int move_in(int pe, const Range& range, const void* values, syncline_request_t* request) {
    if (range.is_one()) {
        return request != nullptr ? syncline_put_nb(pe, range.start(), values, range.bytes, 0, request)
                                  : syncline_put(pe, range.start(), values, range.bytes);
    }
    return request != nullptr
               ? syncline_put_pieces_nb(pe, range.base, range.pieces.data(), range.pieces.size(), values, 0, request)
               : syncline_put_pieces(pe, range.base, range.pieces.data(), range.pieces.size(), values);
}

int move_out(int pe, const Range& range, void* values, syncline_request_t* request) {
    if (range.is_one()) {
        return request != nullptr ? syncline_get_nb(pe, range.start(), values, range.bytes, 0, request)
                                  : syncline_get(pe, range.start(), values, range.bytes);
    }
    return request != nullptr
               ? syncline_get_pieces_nb(pe, range.base, range.pieces.data(), range.pieces.size(), values, 0, request)
               : syncline_get_pieces(pe, range.base, range.pieces.data(), range.pieces.size(), values);
}

// A swap stores a word as a put does, and within a node it is an instruction in line.
int put_scalar(int pe, syncline_address_t address, Scalar& scalar) {
    if (scalar.size() == 8 && address % 8 == 0) {
        uint64_t old = 0;
        return syncline_swap64(pe, address, scalar.word<uint64_t>(), &old);
    }
    return syncline_put(pe, address, scalar.bytes(), scalar.size());
}

void put_element(PyArrayObject* array, nb::handle value, int pe, nb::handle index) {
    const syncline_address_t address = address_of(element_of(array, index_of(index)));
    Scalar scalar(array, value);
    check(call(is_near(pe), [&] { return put_scalar(pe, address, scalar); }));
}

void put(nb::handle target, nb::handle value, int pe, nb::handle index) {
    PyArrayObject* const array = array_of(target);
    if (!index.is_none()) {
        put_element(array, value, pe, index);
        return;
    }
    const Range range = range_of(array);
    const nb::object values = values_for(array, value);
    const void* const data = PyArray_DATA(array_of(values));
    if (range.bytes != 0) {
        check(call(ends_at_once(pe, range), [&] { return move_in(pe, range, data, nullptr); }));
    }
}

std::unique_ptr<Request> put_nb(nb::handle target, nb::handle value, int pe) {
    const Range range = range_of(array_of(target));
    const nb::object values = values_for(array_of(target), value);
    const void* const data = PyArray_DATA(array_of(values));
    auto request = std::make_unique<Request>(nb::none());
    if (range.bytes != 0) {
        request->start(ends_at_once(pe, range),
                       [&](syncline_request_t* begun) { return move_in(pe, range, data, begun); });
    }
    return request;
}

// A load reads a word as a get does.
int get_scalar(int pe, syncline_address_t address, Scalar& scalar) {
    const void* const memory = scalar.size() == 8 && address % 8 == 0 ? syncline_pointer(pe, address) : nullptr;
    if (memory != nullptr) {
        scalar.word<uint64_t>() = __atomic_load_n(static_cast<const uint64_t*>(memory), __ATOMIC_ACQUIRE);
        return SYNCLINE_OK;
    }
    return syncline_get(pe, address, scalar.bytes(), scalar.size());
}

nb::object get_element(PyArrayObject* array, int pe, nb::handle index) {
    const syncline_address_t address = address_of(element_of(array, index_of(index)));
    Scalar scalar(array);
    check(call(is_near(pe), [&] { return get_scalar(pe, address, scalar); }));
    return scalar.value();
}

// A swap stores a word as a put does, and is an instruction in line. A shorter number is stored first; an `or` of
// nothing then wakes a PE that waits for the word around it.
int put_bits(const Place& place, void* memory, uint64_t bits) {
    uint64_t old = 0;
    uint32_t short_old = 0;
    switch (place.type.bytes) {
        case 8:
            return syncline_swap64(place.pe, place.address, bits, &old);
        case 4:
            return syncline_swap32(place.pe, place.address, static_cast<uint32_t>(bits), &short_old);
        case 2:
            __atomic_store_n(static_cast<uint16_t*>(memory), static_cast<uint16_t>(bits), __ATOMIC_RELEASE);
            break;
        default:
            __atomic_store_n(static_cast<uint8_t*>(memory), static_cast<uint8_t>(bits), __ATOMIC_RELEASE);
    }
    return syncline_or32(place.pe, place.address / 4 * 4, 0);
}

uint64_t get_bits(const Place& place, const void* memory) {
    switch (place.type.bytes) {
        case 8:
            return __atomic_load_n(static_cast<const uint64_t*>(memory), __ATOMIC_ACQUIRE);
        case 4:
            return __atomic_load_n(static_cast<const uint32_t*>(memory), __ATOMIC_ACQUIRE);
        case 2:
            return __atomic_load_n(static_cast<const uint16_t*>(memory), __ATOMIC_ACQUIRE);
        default:
            return __atomic_load_n(static_cast<const uint8_t*>(memory), __ATOMIC_ACQUIRE);
    }
}

struct ShortPut {
    static constexpr std::array names = {"target", "value", "pe", "index"};

    static PyObject* execute(const std::array<PyObject*, 4>& given) {
        const auto [target, value, pe, index] = given;
        Place place;
        uint64_t bits = 0;
        if (index == nullptr || !read_place(target, pe, index, &place) || !read_bits(value, place.type, &bits)) {
            return nullptr;
        }
        void* const memory = place.type.bytes >= 4 ? nullptr : syncline_pointer(place.pe, place.address);
        if (place.type.bytes < 4 && memory == nullptr) {
            return nullptr;
        }
        check(put_bits(place, memory, bits));
        return Py_NewRef(Py_None);
    }
};

struct ShortGet {
    static constexpr std::array names = {"source", "pe", "index"};

    static PyObject* execute(const std::array<PyObject*, 3>& given) {
        const auto [source, pe, index] = given;
        Place place;
        if (index == nullptr || !read_place(source, pe, index, &place)) {
            return nullptr;
        }
        const void* const memory = syncline_pointer(place.pe, place.address);
        return memory != nullptr ? number_of(get_bits(place, memory), place.type) : nullptr;
    }
};

// The array that a get fills: the caller's, which must be as the source is, or a new one.
nb::object destination(PyArrayObject* source, nb::handle out) {
    if (out.is_none()) {
        return empty_like(source);
    }
    PyArrayObject* const array = array_of(out);
    if (!PyArray_ISCARRAY(array) || !PyArray_SAMESHAPE(array, source) ||
        !PyArray_EquivTypes(PyArray_DESCR(array), PyArray_DESCR(source))) {
        throw nb::value_error("out must have the source's shape and type, be writable and have no gaps");
    }
    return nb::borrow(out);
}

nb::object get(nb::handle source, int pe, nb::handle index, nb::handle out) {
    PyArrayObject* const array = array_of(source);
    if (!index.is_none()) {
        return get_element(array, pe, index);
    }
    const Range range = range_of(array);
    nb::object values = destination(array, out);
    void* const data = PyArray_DATA(array_of(values));
    if (range.bytes != 0) {
        check(call(ends_at_once(pe, range), [&] { return move_out(pe, range, data, nullptr); }));
    }
    return values;
}

std::unique_ptr<Request> get_nb(nb::handle source, int pe, nb::handle out) {
    const Range range = range_of(array_of(source));
    const nb::object values = destination(array_of(source), out);
    void* const data = PyArray_DATA(array_of(values));
    auto request = std::make_unique<Request>(values);
    if (range.bytes != 0) {
        request->start(ends_at_once(pe, range),
                       [&](syncline_request_t* begun) { return move_out(pe, range, data, begun); });
    }
    return request;
}

}  // namespace

void bind_memory(nb::module_& module) {
    using namespace nb::literals;
    module.def("_allocate", &allocate, "bytes"_a,
               nb::sig("def _allocate(bytes: int) -> numpy.typing.NDArray[numpy.uint8]"));
    module.def(
        "free", &free, "array"_a, nb::sig("def free(array: numpy.typing.NDArray[typing.Any]) -> None"),
        R"(Collective, with the array of zeros() or its like, or a view that begins where it does. Gives the memory back:
an access to the array, or to a view of it, reads and writes what is allocated there next.)");
    module.def(
        "put", &put, "target"_a, "value"_a, "pe"_a, "index"_a = nb::none(),
        nb::sig("def put(target: numpy.typing.NDArray[typing.Any], value: numpy.typing.ArrayLike, pe: int, "
                "index: int | None = None) -> None"),
        R"(Writes `value` into PE `pe`'s memory in the place of `target`, as target[...] = value would here; with `index`
into that one element. Complete on return: the target's memory has it. An aligned element of 1, 2, 4 or 8
bytes is written at once, others piecewise; views may leave gaps. No order with other puts that are not
waited for. Raises PeerError if the PE is gone, Error if `target` is not symmetric or there is no such PE.)");
    ShortCall<ShortPut>::put_in_front_of(module.attr("put"));
    module.def(
        "get", &get, "source"_a, "pe"_a, "index"_a = nb::none(), "out"_a = nb::none(),
        nb::sig("def get(source: numpy.typing.NDArray[typing.Any], pe: int, index: int | None = None, "
                "out: numpy.typing.NDArray[typing.Any] | None = None) -> typing.Any"),
        R"(Reads PE `pe`'s memory in the place of `source`: a new array, or `out` filled; with `index` that one element,
as a number of Python. An aligned element of 1, 2, 4 or 8 bytes is read at once. Errors as of put().)");
    ShortCall<ShortGet>::put_in_front_of(module.attr("get"));
    module.def(
        "put_nb", &put_nb, "target"_a, "value"_a, "pe"_a,
        nb::sig(
            "def put_nb(target: numpy.typing.NDArray[typing.Any], value: numpy.typing.ArrayLike, pe: int) -> Request"),
        "put() that does not wait. `value` may change when it returns.");
    module.def("get_nb", &get_nb, "source"_a, "pe"_a, "out"_a = nb::none(),
               nb::sig("def get_nb(source: numpy.typing.NDArray[typing.Any], pe: int, "
                       "out: numpy.typing.NDArray[typing.Any] | None = None) -> Request"),
               "get() that does not wait; wait() of the request returns the array.");
}

}  // namespace syncline_python
