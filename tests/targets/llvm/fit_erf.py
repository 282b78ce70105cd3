#!/usr/bin/env python3
"""Prints the polynomials for erf of targets/llvm/double_functions.cc: minimax fits in relative error by Remez' exchange, rounded to f64
from the lowest power on, the others fitted anew each time. Needs mpmath (Debian: python3-mpmath); takes a minute."""
from mpmath import erf, erfc, log, mp, mpf, pi, sqrt

from minimax import fit

mp.dps = 60


def to_f64(x):
    return mpf(float(x))


near = mpf(10) ** -20  # below this, erf(x)/x is its limit
ratio = lambda t: erf(sqrt(t)) / sqrt(t) if t > near else 2 / sqrt(pi)
fit("erf up to 1, in powers of x^2", lambda t: ratio(t) - 1, lambda t: 1 / ratio(t), 12, 0, 1, to_f64, points=500, rounds=12)
fit("erf beyond, in powers of x - 1", lambda u: -log(erfc(1 + u)), lambda u: erfc(1 + u) / erf(1 + u), 18, 0, 5, to_f64, points=500, rounds=12)
