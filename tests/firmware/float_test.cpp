// SPDX-License-Identifier: BSD-3-Clause
// Method: the sums that the firmware makes in integer instructions are compared with the CPU's, bit for bit; of a NaN
// only that it is one. A seed is 100,000 pairs of each type: random bits, subnormal numbers, numbers that nearly
// cancel, and numbers whose exponents are close. Beside them, every pair of a thousand special numbers.
//
// Which seeds are run, and how to replay one: tests/seeds.h.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "base/prng.h"
#include "firmware/native.h"
#include "tests/seeds.h"

namespace syncline {
namespace {

struct Double {
    using Number = double;
    using Bits = uint64_t;
    static constexpr int fraction = 52;
    static constexpr fw_combine combine = FW_COMBINE_SUM_DOUBLE;
};

struct Float {
    using Number = float;
    using Bits = uint32_t;
    static constexpr int fraction = 23;
    static constexpr fw_combine combine = FW_COMBINE_SUM_FLOAT;
};

// "" if the firmware's sum is the CPU's.
template <typename Type>
std::string difference(typename Type::Bits x, typename Type::Bits y) {
    using Number = typename Type::Number;
    using Bits = typename Type::Bits;
    const volatile Number one = std::bit_cast<Number>(x);
    const volatile Number other = std::bit_cast<Number>(y);
    const Number wanted = one + other;
    const auto found = static_cast<Bits>(fw_combine_values(Type::combine, x, y));
    const Number sum = std::bit_cast<Number>(found);
    const bool equal = wanted != wanted ? sum != sum : found == std::bit_cast<Bits>(wanted);
    return equal ? "" : fmt::format("{:#x} + {:#x} is {:#x}, not {:#x}", x, y, std::bit_cast<Bits>(wanted), found);
}

template <typename Type>
class FloatSums : public testing::Test {
  protected:
    using Bits = typename Type::Bits;
    static constexpr Bits one = Bits{1} << Type::fraction;
    static constexpr int width = sizeof(Bits) * 8;
    static constexpr Bits sign = Bits{1} << (width - 1);
    static constexpr int exponents = 1 << (width - 1 - Type::fraction);

    static Bits with_exponent(Bits bits, int exponent) {
        return (bits & (sign | (one - 1))) | static_cast<Bits>(exponent) << Type::fraction;
    }

    static std::string run(uint64_t seed) {
        Prng prng(seed);
        for (int i = 0; i < 100'000; i++) {
            auto x = static_cast<Bits>(prng.next());
            auto y = static_cast<Bits>(prng.next());
            switch (i & 3) {
                case 1:
                    x = with_exponent(x, static_cast<int>(prng.below(3)));
                    y = with_exponent(y, static_cast<int>(prng.below(3)));
                    break;
                case 2:
                    y = (x ^ sign) + static_cast<Bits>(prng.below(16)) - 8;
                    break;
                case 3:
                    y = with_exponent(y, static_cast<int>((x & ~sign) >> Type::fraction ^ prng.below(8)));
                    break;
                default:
                    break;
            }
            if (std::string found = difference<Type>(x, y); !found.empty()) {
                return found;
            }
        }
        return "";
    }

    // Both signs of 25 exponents with 20 fractions.
    static std::vector<Bits> special() {
        constexpr int bias = exponents / 2 - 1;
        constexpr int digits = Type::fraction;
        const int chosen[] = {0,
                              1,
                              2,
                              3,
                              bias - digits - 3,
                              bias - digits - 2,
                              bias - digits - 1,
                              bias - digits,
                              bias - digits + 1,
                              bias - 3,
                              bias - 2,
                              bias - 1,
                              bias,
                              bias + 1,
                              bias + 2,
                              bias + 3,
                              bias + digits - 1,
                              bias + digits,
                              bias + digits + 1,
                              bias + digits + 2,
                              bias + digits + 3,
                              exponents - 4,
                              exponents - 3,
                              exponents - 2,
                              exponents - 1};
        const Bits half = one >> 1;
        const Bits fractions[] = {0,       1,        2,        3,       4,        5,        7,
                                  8,       half - 2, half - 1, half,    half + 1, half + 2, one - 9,
                                  one - 8, one - 5,  one - 4,  one - 3, one - 2,  one - 1};
        std::vector<Bits> all;
        for (const int exponent : chosen) {
            for (const Bits fraction : fractions) {
                all.push_back(with_exponent(fraction, exponent));
                all.push_back(sign | with_exponent(fraction, exponent));
            }
        }
        return all;
    }
};

using Types = testing::Types<Double, Float>;
TYPED_TEST_SUITE(FloatSums, Types);

TYPED_TEST(FloatSums, OfRandomNumbersAreTheCpus) {
    for_each_seed(10, 10, [](uint64_t seed) { return TestFixture::run(seed); });
}

TYPED_TEST(FloatSums, OfSpecialNumbersAreTheCpus) {
    const auto numbers = TestFixture::special();
    ASSERT_EQ(numbers.size(), 1000U);
    for (const auto x : numbers) {
        for (const auto y : numbers) {
            const std::string found = difference<TypeParam>(x, y);
            ASSERT_EQ(found, "");
        }
    }
}

}  // namespace
}  // namespace syncline
