// SPDX-License-Identifier: BSD-3-Clause
#include "api/armci/numbers.h"

#include <cstring>

#include "api/armci/error.h"

namespace syncline::armci {
namespace {

// Multiplies by the textbook's formula, which compilers turn into straight code; std::complex also handles infinities.
template <typename Part>
struct Complex {
    Part real, imaginary;

    friend Complex operator*(const Complex& a, const Complex& b) {
        return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
    }
    friend Complex operator+(const Complex& a, const Complex& b) {
        return {a.real + b.real, a.imaginary + b.imaginary};
    }
    friend bool operator==(const Complex& a, const Complex& b) {
        return a.real == b.real && a.imaginary == b.imaginary;
    }
};

template <typename Part>
constexpr Complex<Part> one_of(const Complex<Part>*) {
    return {1, 0};
}
template <typename Number>
constexpr Number one_of(const Number*) {
    return 1;
}

template <typename Number>
Number read(const void* from) {
    Number number;
    std::memcpy(&number, from, sizeof(number));
    return number;
}

template <typename Number>
bool is_one(const void* scale) {
    return read<Number>(scale) == one_of(static_cast<const Number*>(nullptr));
}

template <typename Number>
void multiply(uint8_t* elements, uint64_t bytes, const void* scale) {
    const auto factor = read<Number>(scale);
    for (uint64_t at = 0; at < bytes; at += sizeof(Number)) {
        const Number product = read<Number>(elements + at) * factor;
        std::memcpy(elements + at, &product, sizeof(product));
    }
}

template <typename Number>
void add(uint8_t* __restrict to, const uint8_t* __restrict from, uint64_t bytes, const void* scale) {
    const auto factor = read<Number>(scale);
    for (uint64_t at = 0; at < bytes; at += sizeof(Number)) {
        const Number sum = read<Number>(to + at) + read<Number>(from + at) * factor;
        std::memcpy(to + at, &sum, sizeof(sum));
    }
}

template <typename Number>
constexpr NumberType integer(int element) {
    return {element, sizeof(Number), sizeof(Number), is_one<Number>, multiply<Number>, add<Number>, true};
}

template <typename Number, typename Part = Number>
constexpr NumberType floating(int element) {
    return {element, sizeof(Number), sizeof(Part), is_one<Number>, multiply<Number>, add<Number>, false};
}

constexpr NumberType int_type = integer<unsigned>(SYNCLINE_INT32);
constexpr NumberType long_type = integer<unsigned long>(SYNCLINE_INT64);
constexpr NumberType float_type = floating<float>(SYNCLINE_FLOAT);
constexpr NumberType double_type = floating<double>(SYNCLINE_DOUBLE);
constexpr NumberType complex_type = floating<Complex<float>, float>(SYNCLINE_COMPLEX_FLOAT);
constexpr NumberType double_complex_type = floating<Complex<double>, double>(SYNCLINE_COMPLEX_DOUBLE);

}  // namespace

const NumberType& number_type(int type) {
    switch (type) {
        case ARMCI_ACC_INT:
            return int_type;
        case ARMCI_ACC_LNG:
            return long_type;
        case ARMCI_ACC_FLT:
            return float_type;
        case ARMCI_ACC_DBL:
            return double_type;
        case ARMCI_ACC_CPL:
            return complex_type;
        case ARMCI_ACC_DCP:
            return double_complex_type;
        default:
            refuse("type is {}, which is none of ARMCI_ACC_*", type);
    }
}

}  // namespace syncline::armci
