#!/usr/bin/env python3
"""Prints the polynomials of targets/cpu/vector/vector_math.cc: minimax fits in relative error by Remez' exchange, rounded to f32
from the lowest power on, the others fitted anew each time. Needs mpmath (Debian: python3-mpmath); takes a minute."""
from mpmath import cos, erf, erfc, exp, expm1, frexp, linspace, log, log1p, lu_solve, matrix, mp, mpf, nint, nstr, pi, sqrt

mp.dps = 40


def to_f32(x):
    mantissa, exponent = frexp(x)
    return nint(mantissa * 2**24) / mpf(2) ** 24 * mpf(2) ** exponent


def remez(f, weight, powers, low, high, fixed):
    """The c that minimise the largest |weight(x) (f(x) - sum of fixed - sum of c_i x^powers_i)|."""
    n = len(powers)
    rest = lambda x: f(x) - sum(c * x**p for p, c in fixed)
    nodes = [(low + high) / 2 - (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * n + 2)) for i in range(n + 1)]
    grid = [low + (high - low) * (1 - cos(pi * i / 800)) / 2 for i in range(801)]
    for _ in range(30):
        a, y = matrix(n + 1, n + 1), matrix(n + 1, 1)
        for i, x in enumerate(nodes):
            for j, p in enumerate(powers):
                a[i, j] = x**p
            a[i, n] = (-1) ** i / weight(x)
            y[i] = rest(x)
        c = lu_solve(a, y)
        error = [weight(x) * (rest(x) - sum(c[j] * x**p for j, p in enumerate(powers))) for x in grid]
        peaks = []  # the largest of each run of one sign
        for i, e in enumerate(error):
            if not peaks or (e > 0) != (error[peaks[-1]] > 0):
                peaks.append(i)
            elif abs(e) > abs(error[peaks[-1]]):
                peaks[-1] = i
        while len(peaks) > n + 1:
            peaks.pop(0 if abs(error[peaks[0]]) < abs(error[peaks[-1]]) else -1)
        found = [grid[i] for i in peaks]
        if len(found) <= n or all(abs(p - q) < mpf(10) ** -12 for p, q in zip(found, nodes)):
            break
        nodes = found
    return c


def fit(name, f, weight, degree, low, high):
    powers, fixed = list(range(degree + 1)), []
    low, high = mpf(low), mpf(high)
    for k in powers:
        fixed.append((k, to_f32(remez(f, weight, powers[k:], low, high, fixed)[0])))
    worst = max(abs(weight(x) * (f(x) - sum(c * x**p for p, c in fixed))) for x in linspace(low, high, 2001) if x)
    print(f"{name}: {nstr(worst, 3)}\n  " + ", ".join(float(c).hex() for _, c in fixed))


half = log(mpf(2)) / 2 * mpf("1.0001")
# Near 0 the forms below lose all digits, and the errors there do not count: two terms of the series.
fit("exp", lambda x: (expm1(x) - x) / x**2 if abs(x) > mpf(10) ** -10 else mpf(1) / 2 + x / 6,
    lambda x: (x * x + mpf("1e-3")) / exp(x), 4, -half, half)
part = log(mpf(2)) / 64 * mpf("1.0001")
fit("exp of a part, beside 0.5", lambda x: (expm1(x) - x**2 / 2) / x if abs(x) > mpf(10) ** -10 else mpf(1),
    lambda x: (abs(x) + mpf("1e-6")) / exp(x), 0, -part, part)
fit("log", lambda x: (log1p(x) - x + x * x / 2) / x**3 if abs(x) > mpf(10) ** -8 else mpf(1) / 3 - x / 4,
    lambda x: (abs(x) ** 3 + mpf("1e-4")) / abs(log1p(x) + mpf("1e-9")), 7, sqrt(mpf(1) / 2) - 1, sqrt(mpf(2)) - 1)
small = lambda t: erf(sqrt(t)) / sqrt(t) - 1
fit("erf up to 1", small, lambda t: 1 / (small(t) + 1), 6, mpf(10) ** -12, 1)
fit("erf beyond", lambda x: -log(erfc(x)), lambda x: erfc(x) / erf(x), 6, 1, 4)
