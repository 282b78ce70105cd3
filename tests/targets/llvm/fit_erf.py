#!/usr/bin/env python3
"""Prints the polynomials for erf of targets/llvm/double_functions.cc: minimax fits in relative error by Remez' exchange, rounded to f64
from the lowest power on, the others fitted anew each time. Needs mpmath (Debian: python3-mpmath); takes a minute."""
from mpmath import cos, erf, erfc, linspace, log, lu_solve, matrix, mp, mpf, nstr, pi, polyval, sqrt

mp.dps = 60


def remez(f, weight, powers, low, high):
    """The c that minimise the largest |weight(x) (f(x) - sum of c_i x^powers_i)|."""
    n = len(powers)
    value = lambda c, x: sum(each * x**power for each, power in zip(c, powers))
    nodes = [(low + high) / 2 - (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * n + 2)) for i in range(n + 1)]
    grid = [low + (high - low) * (1 - cos(pi * i / 500)) / 2 for i in range(501)]
    values, weights = [f(x) for x in grid], [weight(x) for x in grid]
    for _ in range(12):
        a, y = matrix(n + 1, n + 1), matrix(n + 1, 1)
        for i, x in enumerate(nodes):
            for j, power in enumerate(powers):
                a[i, j] = x**power
            a[i, n] = (-1) ** i / weight(x)
            y[i] = f(x)
        c = list(lu_solve(a, y))[:n]
        error = [w * (v - value(c, x)) for x, v, w in zip(grid, values, weights)]
        peaks = []  # the largest of each run of one sign
        for i, e in enumerate(error):
            if not peaks or (e > 0) != (error[peaks[-1]] > 0):
                peaks.append(i)
            elif abs(e) > abs(error[peaks[-1]]):
                peaks[-1] = i
        while len(peaks) > n + 1:
            peaks.pop(0 if abs(error[peaks[0]]) < abs(error[peaks[-1]]) else -1)
        found = [grid[i] for i in peaks]
        if len(found) <= n or all(abs(p - q) < mpf(10) ** -9 for p, q in zip(found, nodes)):
            break
        nodes = found
    return c


def fit(name, f, weight, n, low, high):
    low, high, fixed = mpf(low), mpf(high), []
    sum_of_fixed = lambda x: polyval(fixed[::-1], x) if fixed else 0
    for k in range(n):
        fixed.append(mpf(float(remez(lambda x: f(x) - sum_of_fixed(x), weight, range(k, n), low, high)[0])))
    worst = max(abs(weight(x) * (f(x) - sum_of_fixed(x))) for x in linspace(low, high, 2001))
    print(f"{name}: {nstr(worst, 3)}\n  " + ", ".join(float(x).hex() for x in fixed))


near = mpf(10) ** -20  # below this, erf(x)/x is its limit
ratio = lambda t: erf(sqrt(t)) / sqrt(t) if t > near else 2 / sqrt(pi)
fit("erf up to 1, in powers of x^2", lambda t: ratio(t) - 1, lambda t: 1 / ratio(t), 12, 0, 1)
fit("erf beyond, in powers of x - 1", lambda u: -log(erfc(1 + u)), lambda u: erfc(1 + u) / erf(1 + u), 18, 0, 5)
