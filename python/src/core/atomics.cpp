// SPDX-License-Identifier: BSD-3-Clause
#include "atomics.h"

#include <string>

#include "requests.h"
#include "short_calls.h"
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
        if (word.is_128()) {  // only swap has come here with one
            return syncline_atomic(SYNCLINE_SWAP | SYNCLINE_128 | SYNCLINE_FETCH, pe, word.address, operand.bytes(),
                                   nullptr, old.bytes());
        }
        return word.is_64() ? fetch64(pe, word.address, operand.word<uint64_t>(), &old.word<uint64_t>())
                            : fetch32(pe, word.address, operand.word<uint32_t>(), &old.word<uint32_t>());
    }));
    return old.value();
}

template <auto fetch64, auto fetch32, Numbers numbers>
struct ShortFetch {
    static constexpr std::array names = update_names;

    static PyObject* execute(const std::array<PyObject*, 4>& given) {
        Place place;
        uint64_t operand = 0;
        if (!read_update(given, numbers, &place, &operand)) {
            return nullptr;
        }
        if (place.type.bytes == 8) {
            uint64_t old = 0;
            check(fetch64(place.pe, place.address, operand, &old));
            return number_of(old, place.type);
        }
        uint32_t old = 0;
        check(fetch32(place.pe, place.address, static_cast<uint32_t>(operand), &old));
        return number_of(old, place.type);
    }
};

struct ShortCompareSwap {
    static constexpr std::array names = {"target", "expected", "value", "pe", "index"};

    static PyObject* execute(const std::array<PyObject*, 5>& given) {
        const auto [target, expected, value, pe, index] = given;
        Place place;
        uint64_t comparand = 0;
        uint64_t operand = 0;
        if (!read_place(target, pe, index, &place) || !has_type(place, Numbers::kAny) ||
            !read_bits(expected, place.type, &comparand) || !read_bits(value, place.type, &operand)) {
            return nullptr;
        }
        if (place.type.bytes == 8) {
            uint64_t old = 0;
            check(syncline_cas64(place.pe, place.address, comparand, operand, &old));
            return number_of(old, place.type);
        }
        uint32_t old = 0;
        check(syncline_cas32(place.pe, place.address, static_cast<uint32_t>(comparand), static_cast<uint32_t>(operand),
                             &old));
        return number_of(old, place.type);
    }
};

template <auto fetch64, auto fetch32, Numbers numbers>
std::unique_ptr<Request> fetch_nb(nb::handle target, nb::handle value, int pe, Py_ssize_t index) {
    const Word word = word_of(target, index, numbers);
    Scalar operand(word.array, value);
    auto request = std::make_unique<Request>(nb::borrow(target));
    request->returns_word();
    request->start(is_near(pe), [&](syncline_request_t* begun) {
        if (word.is_128()) {
            return syncline_atomic_nb(SYNCLINE_SWAP | SYNCLINE_128 | SYNCLINE_FETCH, pe, word.address, operand.bytes(),
                                      nullptr, request->word(), 0, begun);
        }
        return word.is_64() ? fetch64(pe, word.address, operand.word<uint64_t>(),
                                      static_cast<uint64_t*>(request->word()), 0, begun)
                            : fetch32(pe, word.address, operand.word<uint32_t>(),
                                      static_cast<uint32_t*>(request->word()), 0, begun);
    });
    return request;
}

nb::object compare_swap(nb::handle target, nb::handle expected, nb::handle value, nb::handle pe_given,
                        nb::handle index) {
    const Word word = word_of(target, index_of(index), Numbers::kAnyAndPairs);
    const int pe = pe_of(pe_given);
    Scalar comparand(word.array, expected);
    Scalar operand(word.array, value);
    Scalar old(word.array);
    check(call(is_near(pe), [&] {
        return syncline_atomic(SYNCLINE_CAS | SYNCLINE_FETCH | word.width(), pe, word.address, operand.bytes(),
                               comparand.bytes(), old.bytes());
    }));
    return old.value();
}

std::unique_ptr<Request> compare_swap_nb(nb::handle target, nb::handle expected, nb::handle value, int pe,
                                         Py_ssize_t index) {
    const Word word = word_of(target, index, Numbers::kAnyAndPairs);
    Scalar comparand(word.array, expected);
    Scalar operand(word.array, value);
    auto request = std::make_unique<Request>(nb::borrow(target));
    request->returns_word();
    const int operation = SYNCLINE_CAS | SYNCLINE_FETCH | word.width();
    request->start(is_near(pe), [&](syncline_request_t* begun) {
        return syncline_atomic_nb(operation, pe, word.address, operand.bytes(), comparand.bytes(), request->word(), 0,
                                  begun);
    });
    return request;
}

// The texts that help() and the stubs have for an atomic and for its form that does not wait.
struct FetchTexts {
    FetchTexts(const std::string& name, const std::string& number, const std::string& effect, Numbers numbers)
        : later(name + "_nb"),
          signature("def " + name + arguments_of(number) + number),
          later_signature("def " + later + arguments_of(number) + "Request"),
          text(effect +
               "\n\nAtomic, executed exactly once, complete on return. `index` counts elements of `target`; the "
               "default is\n"
               "the first one. Raises PeerError if the PE is gone, Error if `target` is not symmetric, TypeError for\n"
               "elements of another type than integers of 4 or 8 bytes" +
               (numbers == Numbers::kIntegers
                    ? "."
                    : ", floats, or any type of 16 bytes, such as complex\nnumbers and pairs.")),
          later_text(name + "() that does not wait; wait() of the request returns the old value.") {}

    static std::string arguments_of(const std::string& number) {
        return "(target: numpy.typing.NDArray[typing.Any], value: " + number + ", pe: int, index: int = 0) -> ";
    }

    const std::string later;
    const std::string signature;
    const std::string later_signature;
    const std::string text;
    const std::string later_text;
};

template <auto fetch64, auto fetch32, auto nb64, auto nb32, Numbers numbers>
void bind_fetch(nb::module_& module, const char* name, const char* number, const char* effect) {
    using namespace nb::literals;
    const FetchTexts texts(name, number, effect, numbers);
    module.def(name, &fetch<fetch64, fetch32, numbers>, "target"_a, "value"_a, "pe"_a, "index"_a = 0,
               nb::sig(texts.signature.c_str()), texts.text.c_str());
    ShortCall<ShortFetch<fetch64, fetch32, numbers>>::put_in_front_of(module.attr(name));
    module.def(texts.later.c_str(), &fetch_nb<nb64, nb32, numbers>, "target"_a, "value"_a, "pe"_a, "index"_a = 0,
               nb::sig(texts.later_signature.c_str()), texts.later_text.c_str());
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
    bind_fetch<SYNCLINE_FETCH_OF(swap), Numbers::kAnyAndPairs>(
        module, "swap", "typing.Any", "Stores `value` in an element at PE `pe`; returns what was there before.");
    module.def(
        "compare_swap", &compare_swap, "target"_a, "expected"_a, "value"_a, "pe"_a, "index"_a = 0,
        nb::sig("def compare_swap(target: numpy.typing.NDArray[typing.Any], expected: typing.Any, value: typing.Any, "
                "pe: int, "
                "index: int = 0) -> typing.Any"),
        R"(Stores `value` in an element at PE `pe` if it is `expected`, bit for bit; returns what was there before, so it has
stored if that is `expected`. Atomic, executed exactly once, complete on return. Errors as of swap().)");
    ShortCall<ShortCompareSwap>::put_in_front_of(module.attr("compare_swap"));
    module.def("compare_swap_nb", &compare_swap_nb, "target"_a, "expected"_a, "value"_a, "pe"_a, "index"_a = 0,
               nb::sig("def compare_swap_nb(target: numpy.typing.NDArray[typing.Any], expected: typing.Any, value: "
                       "typing.Any, pe: int, "
                       "index: int = 0) -> Request"),
               "compare_swap() that does not wait; wait() of the request returns the old value.");
}

}  // namespace syncline_python
