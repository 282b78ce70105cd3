"""Prints what a call of a kernel costs from Python, beside the same operators of numpy and, where it is installed, PyTorch.

    XT_LIBRARY=build/release/lib/libxt.so PYTHONPATH=targets/api/python python3 tests/bench/api/calls.py [--threads N] [--seconds S]

Times are medians in microseconds, with their 95% intervals, of calls whose arrays are there already. PyTorch, numpy's BLAS and xt
use the same number of threads.
"""

import argparse
import os
import time
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--threads", type=int, default=os.cpu_count())
parser.add_argument("--seconds", type=float, default=1.0, help="longest time for each number")
options = parser.parse_args()
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = str(options.threads)  # read when the packages are loaded

import numpy as np  # noqa: E402
import xt  # noqa: E402

try:
    import torch

    torch.set_num_threads(options.threads)
except ImportError:
    torch = None

STDLIB = Path(__file__).parents[3] / "stdlib"
EMPTY = "kernel @empty(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>) {\n}\n"
SCALE = """kernel @scale(%X: memref<?x?xf32>, %Y: memref<?x?xf32>, %by: f32)
    grid (%i = 0 to dim(%X, 0) step 64, %j = 0 to dim(%X, 1) step 256) {
  %tx = init_tile %X[%i, %j] -> tile<64x256xf32>
  %x  = load_tile %tx
  %ty = init_tile %Y[%i, %j] -> tile<64x256xf32>
  store_tile (%x * %by), %ty
}
"""


def timed(call):
    """The times of a function: until the interval is within 2% of the median."""
    call()
    times, end, wanted = [], time.perf_counter() + options.seconds, 9
    while True:
        begun = time.perf_counter()
        call()
        done = time.perf_counter()
        times.append(done - begun)
        if len(times) < wanted and (done < end or len(times) < 9):
            continue
        found = xt.Times.of(times)
        if found.high - found.low < 0.02 * found.median or done >= end:
            return f"{microseconds(found.median)} ({microseconds(found.low)} to {microseconds(found.high)})"
        wanted = len(times) + len(times) // 4 + 1


def microseconds(seconds):
    return f"{seconds * 1e6:.0f}" if seconds >= 1e-3 else f"{seconds * 1e6:.3g}"


def softmax(x, y):
    np.subtract(x, x.max(axis=1, keepdims=True), out=y)
    np.exp(y, out=y)
    y /= y.sum(axis=1, keepdims=True)


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def main():
    kernels = {name: xt.compile(STDLIB / f"{name}.xt", threads=options.threads, tuning="", defines=defines)[name]
               for name, defines in (("gemm", {"GEMM_T": "f32", "GEMM_BM": 128, "GEMM_BN": 128}), ("softmax", {}))}
    scale = xt.compile("scale.xt", text=SCALE, threads=options.threads).scale
    empty = xt.compile("empty.xt", text=EMPTY, threads=options.threads).empty
    print(f"{xt.version()}, {options.threads} threads, numpy {np.__version__}, "
          f"{'PyTorch ' + torch.__version__ if torch else 'PyTorch is not installed'}; microseconds\n")
    row("operator", "size", "xt, called", "xt, prepared", "numpy", "PyTorch")
    row("---", "---", "---", "---", "---", "---")
    arrays = [np.ones((8, 8), np.float32) for _ in range(3)]
    row("nothing (three arrays)", "", timed(lambda: empty(*arrays)), timed(empty.prepare(*arrays)), "", "")
    random = np.random.default_rng(1)
    for size in (64, 256, 1024):
        a, b = random.random((2, size, size), np.float32)
        c = np.empty_like(a)
        t = [torch.from_numpy(x) for x in (a, b, c)] if torch else None
        for name, kernel, arguments, by_numpy, by_torch in (
            ("product", kernels["gemm"], (a, b, c), lambda: np.matmul(a, b, out=c), lambda: torch.mm(t[0], t[1], out=t[2])),
            ("softmax", kernels["softmax"], (a, c), lambda: softmax(a, c), lambda: torch.softmax(t[0], 1, out=t[2])),
            ("times a number", scale, (a, c, 2.0), lambda: np.multiply(a, np.float32(2), out=c), lambda: torch.mul(t[0], 2.0, out=t[2])),
        ):
            row(name, size, timed(lambda: kernel(*arguments)), timed(kernel.prepare(*arguments)), timed(by_numpy),
                timed(by_torch) if torch else "")


main()
