"""Minimax polynomials by Remez' exchange, for the scripts that print the coefficients of functions in code. Needs mpmath (Debian:
python3-mpmath)."""
from mpmath import cos, linspace, lu_solve, matrix, mpf, nstr, pi, polyval


def remez(f, weight, powers, low, high, points, rounds):
    """The c that minimise the largest |weight(x) (f(x) - sum of c_i x^powers_i)| on a grid of `points` + 1 points,
    by at most `rounds` exchanges: between points of a grid they may end in a cycle."""
    n = len(powers)
    nodes = [(low + high) / 2 - (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * n + 2)) for i in range(n + 1)]
    grid = [low + (high - low) * (1 - cos(pi * i / points)) / 2 for i in range(points + 1)]
    values, weights = [f(x) for x in grid], [weight(x) for x in grid]
    for _ in range(rounds):
        a, y = matrix(n + 1, n + 1), matrix(n + 1, 1)
        for i, x in enumerate(nodes):
            for j, power in enumerate(powers):
                a[i, j] = x**power
            a[i, n] = (-1) ** i / weight(x)
            y[i] = f(x)
        c = list(lu_solve(a, y))[:n]
        error = [w * (v - sum(each * x**power for each, power in zip(c, powers))) for x, v, w in zip(grid, values, weights)]
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


def fit(name, f, weight, count, low, high, rounded, points=800, rounds=30):
    """Prints `count` coefficients from the lowest power on, each rounded by `rounded` and the others fitted anew, and the largest
    error."""
    low, high, fixed = mpf(low), mpf(high), []
    rest = lambda x: f(x) - (polyval(fixed[::-1], x) if fixed else 0)
    for k in range(count):
        fixed.append(rounded(remez(rest, weight, range(k, count), low, high, points, rounds)[0]))
    worst = max(abs(weight(x) * rest(x)) for x in linspace(low, high, 2001) if x)
    print(f"{name}: {nstr(worst, 3)}\n  " + ", ".join(float(c).hex() for c in fixed))
