# SPDX-License-Identifier: BSD-3-Clause
"""Sums of wire.py, of all four types: those of floats are the exact ones, rounded once.

Method: random words, among them neighbours of powers of two, subnormal numbers and those of opposite sign whose sum
cancels, are added; the exact sum is a fraction, which this program rounds to the nearest, ties to even, by integers.

sums.py [<seed>]
"""

import random
import struct
import sys
from fractions import Fraction

import wire

FORMS = {wire.ADD_FLOAT: ("<f", 24, 8), wire.ADD_DOUBLE: ("<d", 53, 11)}  # bits of precision and of the exponent


def number(kind, word):
    return Fraction(struct.unpack(FORMS[kind][0], word.to_bytes(wire.ELEMENT_BYTES[kind], "little"))[0])


def rounded(kind, value):
    """The word, without its sign, of a number that is not negative."""
    _, precision, exponent_bits = FORMS[kind]
    least = 3 - (1 << exponent_bits - 1) - precision  # exponent of the last bit of a subnormal number
    magnitude = value.numerator.bit_length() - value.denominator.bit_length() + 1  # the denominator is a power of two
    exponent = max(least, magnitude - precision)
    word = round(value / Fraction(2) ** exponent)  # ties to even
    if word:
        word += exponent - least << precision - 1  # the bit in front of the fraction, and a carry, count it up
    return min(word, (1 << exponent_bits) - 1 << precision - 1)


def draw(source, kind):
    _, precision, exponent_bits = FORMS[kind]
    exponent = source.choice((0, 1, 2, source.randrange((1 << exponent_bits) - 1), (1 << exponent_bits) - 2))
    fraction = source.choice((0, 1, (1 << precision - 1) - 1, source.getrandbits(precision - 1)))
    return source.getrandbits(1) << precision + exponent_bits - 1 | exponent << precision - 1 | fraction


def close_to(source, kind, word):
    """Another number, whose exponent differs by little."""
    _, precision, exponent_bits = FORMS[kind]
    steps = source.randrange(-precision - 2, precision + 3)
    exponent = max(0, min((word >> precision - 1 & (1 << exponent_bits) - 1) + steps, (1 << exponent_bits) - 2))
    return draw(source, kind) & ~((1 << exponent_bits) - 1 << precision - 1) | exponent << precision - 1


def check(kind, one, other):
    sign = 1 << 8 * wire.ELEMENT_BYTES[kind] - 1
    exact = number(kind, one) + number(kind, other)
    expected = rounded(kind, abs(exact)) | (sign if exact < 0 or exact == 0 and one & other & sign else 0)
    found = wire.add_element(kind, one, other)
    assert found == expected, "%x + %x is %x, not %x" % (one, other, found, expected)


def run(seed):
    source = random.Random(seed)
    for kind in FORMS:
        for _ in range(5000):
            one = draw(source, kind)
            check(kind, one, close_to(source, kind, one) if source.random() < 0.7 else draw(source, kind))
    assert wire.add_element(wire.ADD_INT32, 0xFFFFFFFF, 2) == 1
    assert wire.add_element(wire.ADD_INT64, wire.MASK, 2) == 1


if __name__ == "__main__":
    run(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
