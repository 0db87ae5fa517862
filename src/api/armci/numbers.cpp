// SPDX-License-Identifier: BSD-3-Clause
#include "api/armci/numbers.h"

#include <complex>
#include <cstring>

#include "api/armci/error.h"

namespace syncline::armci {
namespace {

template <typename Number>
Number read(const void* from) {
    Number number;
    std::memcpy(&number, from, sizeof(number));
    return number;
}

template <typename Number>
bool is_one(const void* scale) {
    return read<Number>(scale) == Number(1);
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
constexpr NumberType type_of(int element, uint32_t alignment = sizeof(Number)) {
    return {element, sizeof(Number), alignment, is_one<Number>, multiply<Number>};
}

constexpr NumberType int_type = type_of<unsigned>(SYNCLINE_INT32);
constexpr NumberType long_type = type_of<unsigned long>(SYNCLINE_INT64);
constexpr NumberType float_type = type_of<float>(SYNCLINE_FLOAT);
constexpr NumberType double_type = type_of<double>(SYNCLINE_DOUBLE);
constexpr NumberType complex_type = type_of<std::complex<float>>(SYNCLINE_COMPLEX_FLOAT, sizeof(float));
constexpr NumberType double_complex_type = type_of<std::complex<double>>(SYNCLINE_COMPLEX_DOUBLE, sizeof(double));

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
