// SPDX-License-Identifier: BSD-3-Clause
// Atomics without a result, on one element or on many of many PEs in one call.
#include <string>

#include "atomics.h"
#include "short_calls.h"
#include "waits.h"
#include "words.h"

namespace syncline_python {
namespace {

// A posted operation on one element.
template <auto post64, auto post32>
void post_one(PyArrayObject* array, nb::handle value, int pe, Py_ssize_t index) {
    const Word word = {array, address_of(element_of(array, index))};
    Scalar operand(array, value);
    check(call(is_near(pe), [&] {
        return word.is_64() ? post64(pe, word.address, operand.word<uint64_t>())
                            : post32(pe, word.address, operand.word<uint32_t>());
    }));
}

template <auto post64, auto post32, Numbers numbers>
struct ShortPost {
    static constexpr std::array names = update_names;

    static PyObject* execute(const std::array<PyObject*, 4>& given) {
        Place place;
        uint64_t operand = 0;
        if (!read_update(given, numbers, &place, &operand)) {
            return nullptr;
        }
        check(place.type.bytes == 8 ? post64(place.pe, place.address, operand)
                                    : post32(place.pe, place.address, static_cast<uint32_t>(operand)));
        return Py_NewRef(Py_None);
    }
};

// Arrays of one length, without gaps: elements, as byte offsets from the first one; PEs; operands of the array's type.
struct Updates {
    explicit Updates(const nb::object& arrays)
        : offsets(static_cast<const int64_t*>(PyArray_DATA(array_of(arrays[0])))),
          pes(static_cast<const int32_t*>(PyArray_DATA(array_of(arrays[1])))),
          values(PyArray_DATA(array_of(arrays[2]))),
          count(PyArray_SIZE(array_of(arrays[0]))) {}

    const int64_t* const offsets;
    const int32_t* const pes;
    const void* const values;
    const npy_intp count;
};

template <typename Number, auto post>
int post_each(syncline_address_t base, const Updates& updates) {
    const auto* const values = static_cast<const Number*>(updates.values);
    for (npy_intp i = 0; i < updates.count; i++) {
        const syncline_address_t address = base + static_cast<uint64_t>(updates.offsets[i]);
        if (const int status = post(updates.pes[i], address, values[i]); status != SYNCLINE_OK) {
            return status;
        }
    }
    return SYNCLINE_OK;
}

template <auto post64, auto post32>
void post_many(PyArrayObject* array, nb::handle value, nb::handle pe, nb::handle index) {
    const nb::object arrays = nb::module_::import_("syncline._updates")
                                  .attr("prepare")(nb::handle(reinterpret_cast<PyObject*>(array)), value, pe, index);
    const Updates updates(arrays);
    const syncline_address_t base = address_of(PyArray_DATA(array));
    check(interruptibly([&] {
        return PyArray_ITEMSIZE(array) == 8 ? post_each<uint64_t, post64>(base, updates)
                                            : post_each<uint32_t, post32>(base, updates);
    }));
}

bool is_one(nb::handle number) {
    return PyLong_CheckExact(number.ptr()) || (!PyArray_Check(number.ptr()) && PyNumber_Check(number.ptr()));
}

template <auto post64, auto post32, Numbers numbers>
void post(nb::handle target, nb::handle value, nb::handle pe, nb::handle index) {
    PyArrayObject* const array = array_of(target);
    check_type(array, numbers);
    if (is_one(pe) && is_one(index) && is_one(value)) {
        post_one<post64, post32>(array, value, pe_of(pe), index_of(index));
    } else {
        post_many<post64, post32>(array, value, pe, index);
    }
}

std::string signature_of(const std::string& name) {
    return "def " + name +
           "(target: numpy.typing.NDArray[typing.Any], value: numpy.typing.ArrayLike, "
           "pe: numpy.typing.ArrayLike, index: numpy.typing.ArrayLike = 0) -> None";
}

std::string text_of(const std::string& operation) {
    return operation +
           R"( at PE `pe`, atomically and exactly once. Posted: it travels with others in one packet, and is complete
at the next fence(), quiet() or barrier(), which raises its error.

`value`, `pe` and `index` may be arrays, which are broadcast: one operation for each of their elements, at
the speed of C. All indices and PEs are looked at before the first operation.)";
}

template <auto post64, auto post32, Numbers numbers>
void bind_post(nb::module_& module, const char* name, const char* operation) {
    using namespace nb::literals;
    const std::string signature = signature_of(name);
    const std::string text = text_of(operation);
    module.def(name, &post<post64, post32, numbers>, "target"_a, "value"_a, "pe"_a, "index"_a = 0,
               nb::sig(signature.c_str()), text.c_str());
    ShortCall<ShortPost<post64, post32, numbers>>::put_in_front_of(module.attr(name));
}

#define SYNCLINE_POST_OF(name) syncline_##name##64, syncline_##name##32

}  // namespace

void bind_updates(nb::module_& module) {
    constexpr Numbers integers = Numbers::kIntegers;
    bind_post<SYNCLINE_POST_OF(add), integers>(module, "add", "target[index] += value");
    bind_post<SYNCLINE_POST_OF(and), integers>(module, "and_", "target[index] &= value");
    bind_post<SYNCLINE_POST_OF(or), integers>(module, "or_", "target[index] |= value");
    bind_post<SYNCLINE_POST_OF(xor), integers>(module, "xor", "target[index] ^= value");
    bind_post<SYNCLINE_POST_OF(store), Numbers::kAny>(module, "store", "target[index] = value");
}

}  // namespace syncline_python
