#!/usr/bin/env python3
"""Compares random expressions of tests with numpy: expressions.py XTRUN FOLDER SEED COUNT.

Each expression fills a buffer that is saved; numpy computes the same from the same arrays. Integers must be equal,
floats to 1e-9: both compute in f64.
"""
import math
import random
import subprocess
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")
xtrun, folder, seed, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
random.seed(seed)
numbers = np.random.default_rng(seed)
BUFFERS = {
    "X": ("f32", numbers.uniform(-2, 2, (3, 4)).astype("f4")),
    "I": ("i32", numbers.integers(-5, 6, (3, 4)).astype("i4")),
    "J": ("i64", numbers.integers(0, 4, (4, 3)).astype("i8")),
    "V": ("f64", numbers.uniform(-1, 1, (4,))),
    "T": ("i16", numbers.integers(-9, 9, (2, 3, 4)).astype("i2")),
    "H": ("f16", numbers.uniform(-1, 1, (2, 4, 3)).astype("f2")),
}
LITERALS = ["0", "1", "2", "3", "-1", "7", "0.5", "-0.25", "1.5"]
UNARY = {
    "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p,
    "expm1": np.expm1, "sqrt": np.sqrt, "tanh": np.tanh, "sinh": np.sinh, "sin": np.sin, "cos": np.cos,
    "atan": np.arctan, "erf": np.vectorize(math.erf, otypes=[float]), "rsqrt": lambda x: 1 / np.sqrt(x),
}
ROUNDING = {"floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "roundeven": np.rint}
ARITHMETIC = {"+": np.add, "-": np.subtract, "*": np.multiply}
COMPARISONS = {
    "<": np.less, "<=": np.less_equal, "==": np.equal, "!=": np.not_equal, ">": np.greater, ">=": np.greater_equal,
}
REDUCTIONS = {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min, "prod": np.prod}


class Unsuitable(Exception):
    """What was drawn has no value, or not one that is the same everywhere."""


def is_integer(x):
    return x.dtype.kind in "iub"


def plain(x):
    x = np.asarray(x)
    return x.astype("i8") if is_integer(x) else x.astype("f8")


def need(condition):
    if not condition:
        raise Unsuitable


def leaf():
    if random.random() < 0.75:
        name = random.choice(list(BUFFERS))
        return "%" + name, plain(BUFFERS[name][1])
    text = random.choice(LITERALS)
    return text, np.array(float(text) if "." in text else int(text))


def binary(depth):
    (a, x), (b, y) = expression(depth), expression(depth)
    op = random.choice([*ARITHMETIC, *COMPARISONS, "/", "mod", "and", "or"])
    text = f"({a} {op} {b})"
    if op in ARITHMETIC:
        return text, ARITHMETIC[op](x, y)
    if op in COMPARISONS:
        return text, COMPARISONS[op](x, y)
    if op == "/":
        return text, x.astype("f8") / y.astype("f8")
    if op == "mod":
        need(not (is_integer(x) and is_integer(y) and (y == 0).any()))
        return text, np.mod(x, y)
    return text, (np.logical_and if op == "and" else np.logical_or)(x != 0, y != 0)


def function(depth):
    a, x = expression(depth)
    name = random.choice([*UNARY, *ROUNDING, "abs", "-", "not"])
    if name == "-":
        return f"(-({a}))", -x
    if name == "not":
        return f"(not {a})", x == 0
    if name == "abs":
        return f"abs({a})", np.abs(x)
    if name in ROUNDING:
        return f"{name}({a})", x if is_integer(x) else ROUNDING[name](x)
    return f"{name}({a})", UNARY[name](x.astype("f8"))


def extreme(depth):
    (a, x), (b, y) = expression(depth), expression(depth)
    name = random.choice(["min", "max"])
    return f"{name}({a}, {b})", (np.minimum if name == "min" else np.maximum)(x, y)


def reduction(depth):
    a, x = expression(depth)
    need(x.ndim > 0 and x.size > 0)
    name, dim = random.choice(list(REDUCTIONS)), random.choice([None, *range(x.ndim)])
    if dim is None:
        return f"{name}({a})", REDUCTIONS[name](x)
    return f"{name}({a}, dim = {dim})", REDUCTIONS[name](x, axis=dim, keepdims=True)


def product(depth):
    (a, x), (b, y) = expression(depth), expression(depth)
    need(x.ndim > 0 and y.ndim > 0)
    return f"matmul({a}, {b})", np.matmul(x, y)


def transposition(depth):
    a, x = expression(depth)
    need(x.ndim > 1)
    if random.random() < 0.5:
        return f"transpose({a})", np.swapaxes(x, -1, -2)
    order = random.sample(range(x.ndim), x.ndim)
    return f"transpose({a}, {order})", np.transpose(x, order)


def choice(depth):
    (a, x), (b, y), (c, z) = expression(depth), expression(depth), expression(depth)
    return f"where({a}, {b}, {c})", np.where(x != 0, y, z)


def part(depth):
    a, x = expression(depth)
    need(x.ndim > 0 and x.size > 0 and (a[0] == "%" or a[-1] == ")"))
    texts, items = [], []
    for extent in x.shape[: random.randint(1, x.ndim)]:
        if random.random() < 0.3:
            items.append(random.randrange(-extent, extent))
            texts.append(str(items[-1]))
            continue
        begin = random.randrange(extent)
        ends = [random.choice([None, begin]), random.choice([None, random.randint(begin, extent)])]
        if random.random() < 0.3:
            ends.append(random.choice([1, 2, 3, -1, -2]))
        items.append(slice(*ends))
        texts.append(":".join("" if end is None else str(end) for end in ends))
    return f"{a}[{', '.join(texts)}]", x[tuple(items)]


def softmax(depth):
    a, x = expression(depth)
    x = x.astype("f8")
    need(x.ndim > 0 and x.size > 0 and np.isfinite(x).all())
    dim = random.randrange(x.ndim)
    e = np.exp(x - x.max(axis=dim, keepdims=True))
    return f"softmax({a}, {dim})", e / e.sum(axis=dim, keepdims=True)


def gather(depth):
    a, x = expression(depth)
    need(x.ndim > 0 and x.size > 0)
    dim = random.randrange(x.ndim)
    return f"gather({a}, %J mod {x.shape[dim]}, dim = {dim})", np.take(x, BUFFERS["J"][1] % x.shape[dim], axis=dim)


def cast(depth):
    a, x = expression(depth)
    if random.random() < 0.5:
        name, kind = random.choice([("f32", "f4"), ("f16", "f2")])
    else:
        name, kind = random.choice([("i8", "i1"), ("i16", "i2"), ("u8", "u1"), ("i32", "i4")])
        need(is_integer(x))
    return f"cast({a}, {name})", x.astype(kind)


KINDS = [binary] * 4 + [function] * 2 + [extreme, reduction, product, transposition, choice, part, softmax, gather, cast]


def expression(depth):
    if depth <= 0 or random.random() < 0.2:
        return leaf()
    text, value = random.choice(KINDS)(depth - 1)
    value = plain(value)
    need(value.ndim <= 5 and value.size <= 5000)
    # What nears 64 bits overflows, which is a mistake here and not in numpy.
    need(not is_integer(value) or value.size == 0 or np.abs(value.astype("f8")).max() < 2**40)
    return text, value


cases = []
while len(cases) < count:
    try:
        cases.append(expression(random.randint(1, 4)))
    except (Unsuitable, ValueError):
        pass

text = ""
for name, (_, array) in BUFFERS.items():
    np.save(f"{folder}/{name}.npy", array)
for i, (expr, value) in enumerate(cases):
    text += f'test "{i}" {{\n'
    for name, (kind, array) in BUFFERS.items():
        text += f'  %{name} = load "{name}.npy" : memref<{"".join(f"{e}x" for e in array.shape)}{kind}>\n'
    shape = "".join(f"{e}x" for e in value.shape) or "1x"
    kind = "i64" if is_integer(value) else "f64"
    text += f'  %Z = fill({expr}) : memref<{shape}{kind}>\n  save %Z "out{i}.npy"\n}}\n'
with open(f"{folder}/expressions.xt", "w") as file:
    file.write(text)
run = subprocess.run([xtrun, "-q", f"{folder}/expressions.xt"], capture_output=True, text=True)
failures = 0 if run.returncode == 0 else 1
print(run.stdout + run.stderr, end="")
for i, (expr, value) in enumerate(cases):
    try:
        got = np.load(f"{folder}/out{i}.npy").reshape(value.shape)
    except (OSError, ValueError) as error:
        print(f"{expr}: {error}")
        failures += 1
        continue
    close = got == value if is_integer(value) else np.isclose(got, value, rtol=1e-9, atol=1e-12, equal_nan=True)
    if not close.all():
        print(f"{expr}\n  got {got}\n  numpy {value}")
        failures += 1
print(f"{failures} of {count} differ from numpy (seed {seed})")
sys.exit(failures != 0)
