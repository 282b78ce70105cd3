#!/usr/bin/env python3
"""Prints the polynomials of targets/cpu/vector/vector_math.cc: minimax fits in relative error by Remez' exchange, rounded to f32
from the lowest power on, the others fitted anew each time. Needs mpmath (Debian: python3-mpmath); takes a minute."""
import sys
from pathlib import Path

from mpmath import erf, erfc, exp, expm1, frexp, log, log1p, mp, mpf, nint, sqrt

sys.path.append(str(Path(__file__).parents[1] / "llvm"))
from minimax import fit

mp.dps = 40


def to_f32(x):
    mantissa, exponent = frexp(x)
    return nint(mantissa * 2**24) / mpf(2) ** 24 * mpf(2) ** exponent


half = log(mpf(2)) / 2 * mpf("1.0001")
# Near 0 the forms below lose all digits, and the errors there do not count: two terms of the series.
fit("exp", lambda x: (expm1(x) - x) / x**2 if abs(x) > mpf(10) ** -10 else mpf(1) / 2 + x / 6,
    lambda x: (x * x + mpf("1e-3")) / exp(x), 5, -half, half, to_f32)
part = log(mpf(2)) / 64 * mpf("1.0001")
fit("exp of a part, beside 0.5", lambda x: (expm1(x) - x**2 / 2) / x if abs(x) > mpf(10) ** -10 else mpf(1),
    lambda x: (abs(x) + mpf("1e-6")) / exp(x), 1, -part, part, to_f32)
fit("log", lambda x: (log1p(x) - x + x * x / 2) / x**3 if abs(x) > mpf(10) ** -8 else mpf(1) / 3 - x / 4,
    lambda x: (abs(x) ** 3 + mpf("1e-4")) / abs(log1p(x) + mpf("1e-9")), 8, sqrt(mpf(1) / 2) - 1, sqrt(mpf(2)) - 1, to_f32)
small = lambda t: erf(sqrt(t)) / sqrt(t) - 1
fit("erf up to 1", small, lambda t: 1 / (small(t) + 1), 7, mpf(10) ** -12, 1, to_f32)
fit("erf beyond", lambda x: -log(erfc(x)), lambda x: erfc(x) / erf(x), 7, 1, 4, to_f32)
