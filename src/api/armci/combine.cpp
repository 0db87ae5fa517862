// SPDX-License-Identifier: BSD-3-Clause
#include "api/armci/combine.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <iterator>
#include <string>
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

enum class Operation { kSum, kProduct, kMax, kMin, kAbsMax, kAbsMin, kBits, kBoth, kEither, kCommonBits };

// In the order in which ARMCI compares names: "&&" comes before "&".
struct Spelling {
    const char* text;
    Operation operation;
};
constexpr Spelling spellings[] = {
    {"+", Operation::kSum},           {"*", Operation::kProduct},     {"max", Operation::kMax},
    {"min", Operation::kMin},         {"absmax", Operation::kAbsMax}, {"absmin", Operation::kAbsMin},
    {"or", Operation::kBits},         {"&&", Operation::kBoth},       {"land", Operation::kBoth},
    {"||", Operation::kEither},       {"lor", Operation::kEither},    {"&", Operation::kCommonBits},
    {"band", Operation::kCommonBits}, {"|", Operation::kBits},        {"bor", Operation::kBits},
};

template <typename T>
Combine integer_combine_of(Operation operation) {
    switch (operation) {
        case Operation::kBits:
            return
                [](void* a, const void* b, int n) { each<T>(a, b, n, [](T x, T y) { return static_cast<T>(x | y); }); };
        case Operation::kCommonBits:
            return
                [](void* a, const void* b, int n) { each<T>(a, b, n, [](T x, T y) { return static_cast<T>(x & y); }); };
        case Operation::kBoth:
            return [](void* a, const void* b, int n) {
                each<T>(a, b, n, [](T x, T y) { return static_cast<T>(x != 0 && y != 0); });
            };
        case Operation::kEither:
            return [](void* a, const void* b, int n) {
                each<T>(a, b, n, [](T x, T y) { return static_cast<T>(x != 0 || y != 0); });
            };
        default:
            return nullptr;
    }
}

template <typename T>
Combine combine_of(Operation operation) {
    switch (operation) {
        case Operation::kSum:
            return
                [](void* a, const void* b, int n) { each<T>(a, b, n, [](T x, T y) { return static_cast<T>(x + y); }); };
        case Operation::kProduct:
            return
                [](void* a, const void* b, int n) { each<T>(a, b, n, [](T x, T y) { return static_cast<T>(x * y); }); };
        case Operation::kMax:
            return [](void* a, const void* b, int n) { each<T>(a, b, n, [](T x, T y) { return std::max(x, y); }); };
        case Operation::kMin:
            return [](void* a, const void* b, int n) { each<T>(a, b, n, [](T x, T y) { return std::min(x, y); }); };
        case Operation::kAbsMax:
            return [](void* a, const void* b, int n) {
                each<T>(a, b, n, [](T x, T y) { return std::max(magnitude(x), magnitude(y)); });
            };
        case Operation::kAbsMin:
            return [](void* a, const void* b, int n) {
                each<T>(a, b, n, [](T x, T y) { return std::min(magnitude(x), magnitude(y)); });
            };
        default:
            if constexpr (std::is_integral_v<T>) {
                return integer_combine_of<T>(operation);
            }
            return nullptr;
    }
}

template <typename T>
Numbers numbers_of(const char* operation) {
    const auto* const found = std::find_if(std::begin(spellings), std::end(spellings),
                                           [&](const Spelling& one) { return begins_with(operation, one.text); });
    const Combine combine = found == std::end(spellings) ? nullptr : combine_of<T>(found->operation);
    if (combine == nullptr) {
        refuse("operation is '{}', which is none of +, *, max, min, absmax, absmin{}", shown(operation),
               std::is_integral_v<T> ? ", or, |, bor, &, band, &&, land, ||, lor" : "");
    }
    return {sizeof(T), combine};
}

}  // namespace

bool begins_with(const char* operation, const char* name) {
    return std::strncmp(operation, name, std::strlen(name)) == 0;
}

// The text may lack a terminating zero.
std::string shown(const char* operation) {
    constexpr size_t longest = 8;
    std::string text;
    while (text.size() < longest && std::isgraph(static_cast<unsigned char>(operation[text.size()]))) {
        text += operation[text.size()];
    }
    return text;
}

Numbers numbers_of(int type, const char* operation) {
    if (operation == nullptr) {
        refuse("operation is NULL");
    }
    switch (type) {
        case ARMCI_INT:
            return numbers_of<int>(operation);
        case ARMCI_LONG:
            return numbers_of<long>(operation);
        case ARMCI_LONG_LONG:
            return numbers_of<long long>(operation);
        case ARMCI_FLOAT:
            return numbers_of<float>(operation);
        case ARMCI_DOUBLE:
            return numbers_of<double>(operation);
        default:
            refuse("type is {}, which is none of message.h's", type);
    }
}

}  // namespace syncline::armci
