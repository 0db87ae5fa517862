// SPDX-License-Identifier: BSD-3-Clause
#include "atomics.h"

#include <string>

#include "requests.h"
#include "waits.h"
#include "words.h"

namespace syncline_python {
namespace {

// One operation in its two widths, which the compiler chooses in line from syncline.h.
template <auto fetch64, auto fetch32, Numbers numbers>
nb::object fetch(nb::handle target, nb::handle value, nb::handle pe_given, nb::handle index) {
    const Word word = word_of(target, index_of(index), numbers);
    const int pe = pe_of(pe_given);
    Scalar operand(word.array, value);
    Scalar old(word.array);
    check(call(is_near(pe), [&] {
        return word.is_64() ? fetch64(pe, word.address, operand.word<uint64_t>(), &old.word<uint64_t>())
                            : fetch32(pe, word.address, operand.word<uint32_t>(), &old.word<uint32_t>());
    }));
    return old.value();
}

template <auto fetch64, auto fetch32, Numbers numbers>
std::unique_ptr<Request> fetch_nb(nb::handle target, nb::handle value, int pe, Py_ssize_t index) {
    const Word word = word_of(target, index, numbers);
    Scalar operand(word.array, value);
    auto request = std::make_unique<Request>(nb::borrow(target));
    request->returns_word();
    check(call(is_near(pe), [&] {
        return word.is_64() ? fetch64(pe, word.address, operand.word<uint64_t>(),
                                      static_cast<uint64_t*>(request->word()), 0, request->handle())
                            : fetch32(pe, word.address, operand.word<uint32_t>(),
                                      static_cast<uint32_t*>(request->word()), 0, request->handle());
    }));
    return request;
}

nb::object compare_swap(nb::handle target, nb::handle expected, nb::handle value, nb::handle pe_given,
                        nb::handle index) {
    const Word word = word_of(target, index_of(index), Numbers::kAny);
    const int pe = pe_of(pe_given);
    Scalar comparand(word.array, expected);
    Scalar operand(word.array, value);
    Scalar old(word.array);
    check(call(is_near(pe), [&] {
        return word.is_64() ? syncline_cas64(pe, word.address, comparand.word<uint64_t>(), operand.word<uint64_t>(),
                                             &old.word<uint64_t>())
                            : syncline_cas32(pe, word.address, comparand.word<uint32_t>(), operand.word<uint32_t>(),
                                             &old.word<uint32_t>());
    }));
    return old.value();
}

std::unique_ptr<Request> compare_swap_nb(nb::handle target, nb::handle expected, nb::handle value, int pe,
                                         Py_ssize_t index) {
    const Word word = word_of(target, index, Numbers::kAny);
    Scalar comparand(word.array, expected);
    Scalar operand(word.array, value);
    auto request = std::make_unique<Request>(nb::borrow(target));
    request->returns_word();
    const int operation = SYNCLINE_CAS | SYNCLINE_FETCH | (word.is_64() ? SYNCLINE_64 : SYNCLINE_32);
    check(call(is_near(pe), [&] {
        return syncline_atomic_nb(operation, pe, word.address, operand.bytes(), comparand.bytes(), request->word(), 0,
                                  request->handle());
    }));
    return request;
}

template <auto fetch64, auto fetch32, auto nb64, auto nb32, Numbers numbers>
void bind_fetch(nb::module_& module, const char* name, const char* number, const std::string& effect) {
    using namespace nb::literals;
    const std::string arguments =
        std::string("(target: numpy.typing.NDArray[typing.Any], value: ") + number + ", pe: int, index: int = 0) -> ";
    const std::string signature = "def " + std::string(name) + arguments + number;
    const std::string text =
        effect +
        "\n\nAtomic, executed exactly once, complete on return. `index` counts elements of `target`; the default is\n"
        "the first one. Raises PeerError if the PE is gone, Error if `target` is not symmetric, TypeError for\n"
        "elements of another type than integers of 4 or 8 bytes" +
        (numbers == Numbers::kAny ? " or floats." : ".");
    module.def(name, &fetch<fetch64, fetch32, numbers>, "target"_a, "value"_a, "pe"_a, "index"_a = 0,
               nb::sig(signature.c_str()), text.c_str());
    const std::string later = std::string(name) + "_nb";
    const std::string later_signature = "def " + later + arguments + "Request";
    const std::string later_text =
        std::string(name) + "() that does not wait; wait() of the request returns the old value.";
    module.def(later.c_str(), &fetch_nb<nb64, nb32, numbers>, "target"_a, "value"_a, "pe"_a, "index"_a = 0,
               nb::sig(later_signature.c_str()), later_text.c_str());
}

#define SYNCLINE_FETCH_OF(name) syncline_##name##64, syncline_##name##32, syncline_##name##64_nb, syncline_##name##32_nb

}  // namespace

void bind_atomics(nb::module_& module) {
    using namespace nb::literals;
    constexpr Numbers integers = Numbers::kIntegers;
    bind_fetch<SYNCLINE_FETCH_OF(fetch_add), integers>(
        module, "fetch_add", "int", "Adds `value` to an element at PE `pe`; returns what was there before.");
    bind_fetch<SYNCLINE_FETCH_OF(fetch_and), integers>(
        module, "fetch_and", "int", "Ands `value` to an element at PE `pe`; returns what was there before.");
    bind_fetch<SYNCLINE_FETCH_OF(fetch_or), integers>(
        module, "fetch_or", "int", "Ors `value` to an element at PE `pe`; returns what was there before.");
    bind_fetch<SYNCLINE_FETCH_OF(fetch_xor), integers>(
        module, "fetch_xor", "int", "Xors `value` to an element at PE `pe`; returns what was there before.");
    bind_fetch<SYNCLINE_FETCH_OF(swap), Numbers::kAny>(
        module, "swap", "float", "Stores `value` in an element at PE `pe`; returns what was there before.");
    module.def(
        "compare_swap", &compare_swap, "target"_a, "expected"_a, "value"_a, "pe"_a, "index"_a = 0,
        nb::sig("def compare_swap(target: numpy.typing.NDArray[typing.Any], expected: float, value: float, pe: int, "
                "index: int = 0) -> float"),
        R"(Stores `value` in an element at PE `pe` if it is `expected`, bit for bit; returns what was there before, so it has
stored if that is `expected`. Atomic, executed exactly once, complete on return. Errors as of swap().)");
    module.def(
        "compare_swap_nb", &compare_swap_nb, "target"_a, "expected"_a, "value"_a, "pe"_a, "index"_a = 0,
        nb::sig("def compare_swap_nb(target: numpy.typing.NDArray[typing.Any], expected: float, value: float, pe: int, "
                "index: int = 0) -> Request"),
        "compare_swap() that does not wait; wait() of the request returns the old value.");
}

}  // namespace syncline_python
