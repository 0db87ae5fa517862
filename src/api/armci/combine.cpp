// SPDX-License-Identifier: BSD-3-Clause
#include "api/armci/combine.h"

#include <algorithm>
#include <string_view>
#include <type_traits>

#include "api/armci/error.h"
#include "message.h"

namespace syncline::armci {
namespace {

using Combine = decltype(Numbers::combine);

template <typename T>
T magnitude(T value) {
    return value < 0 ? static_cast<T>(-value) : value;
}

template <typename T, typename Of>
void each(void* into, const void* from, int count, Of of) {
    auto* const one = static_cast<T*>(into);
    const auto* const other = static_cast<const T*>(from);
    for (int i = 0; i < count; i++) {
        one[i] = of(one[i], other[i]);
    }
}

template <typename T>
Combine combine_of(std::string_view operation) {
    if (operation == "+") {
        return [](void* a, const void* b, int n) { each<T>(a, b, n, [](T x, T y) { return static_cast<T>(x + y); }); };
    }
    if (operation == "*") {
        return [](void* a, const void* b, int n) { each<T>(a, b, n, [](T x, T y) { return static_cast<T>(x * y); }); };
    }
    if (operation == "max") {
        return [](void* a, const void* b, int n) { each<T>(a, b, n, [](T x, T y) { return std::max(x, y); }); };
    }
    if (operation == "min") {
        return [](void* a, const void* b, int n) { each<T>(a, b, n, [](T x, T y) { return std::min(x, y); }); };
    }
    if (operation == "absmax") {
        return [](void* a, const void* b, int n) {
            each<T>(a, b, n, [](T x, T y) { return std::max(magnitude(x), magnitude(y)); });
        };
    }
    if (operation == "absmin") {
        return [](void* a, const void* b, int n) {
            each<T>(a, b, n, [](T x, T y) { return std::min(magnitude(x), magnitude(y)); });
        };
    }
    if constexpr (std::is_integral_v<T>) {
        if (operation == "or" || operation == "|") {
            return
                [](void* a, const void* b, int n) { each<T>(a, b, n, [](T x, T y) { return static_cast<T>(x | y); }); };
        }
        if (operation == "&&" || operation == "land") {
            return [](void* a, const void* b, int n) {
                each<T>(a, b, n, [](T x, T y) { return static_cast<T>(x != 0 && y != 0); });
            };
        }
        if (operation == "||" || operation == "lor") {
            return [](void* a, const void* b, int n) {
                each<T>(a, b, n, [](T x, T y) { return static_cast<T>(x != 0 || y != 0); });
            };
        }
    }
    refuse("operation is '{}', which is none of +, *, max, min, absmax, absmin{}", operation,
           std::is_integral_v<T> ? ", or, &&, ||" : "");
}

}  // namespace

Numbers numbers_of(int type, const char* operation) {
    if (operation == nullptr) {
        refuse("operation is NULL");
    }
    switch (type) {
        case ARMCI_INT:
            return {sizeof(int), combine_of<int>(operation)};
        case ARMCI_LONG:
            return {sizeof(long), combine_of<long>(operation)};
        case ARMCI_LONG_LONG:
            return {sizeof(long long), combine_of<long long>(operation)};
        case ARMCI_FLOAT:
            return {sizeof(float), combine_of<float>(operation)};
        case ARMCI_DOUBLE:
            return {sizeof(double), combine_of<double>(operation)};
        default:
            refuse("type is {}, which is none of message.h's", type);
    }
}

}  // namespace syncline::armci
