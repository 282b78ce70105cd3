"""Compares `xtrun --tune` with an exhaustive search over the same values of parameters.

    python3 tests/bench/tune/exhaustive.py [--threads N] [--seconds S]

For each kernel, every combination of the values that its file lists is compiled, checked and timed by `xtrun --bench`, until its
median is known to 1% or for S seconds; then `xtrun --tune` gets a tenth of the time that this took. What either of them found best is
timed again, in turn, and the medians of these rounds are compared.
"""

import argparse
import itertools
import json
import re
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--seconds", type=float, default=10.0, help="longest time for each combination")
parser.add_argument("--rounds", type=int, default=5, help="of the comparison at the end")
options = parser.parse_args()

ROOT = Path(__file__).parents[3]
XTRUN = str(ROOT / "build/release/bin/xtrun")

PROBLEMS = {
    "gemm": ("1024x1024x1024, f32", {"GEMM_T": "f32"}, """test "t" {
  %A = random(seed = 1) : memref<1024x1024xf32>
  %B = random(seed = 2) : memref<1024x1024xf32>
  %C = out : memref<1024x1024xf32>
  launch @gemm(%A, %B, %C)
  check %C == matmul(%A, %B)
}
"""),
    "softmax": ("2048x4096, f32", {}, """test "t" {
  %X = random(seed = 1) : memref<2048x4096xf32>
  %Y = out : memref<2048x4096xf32>
  launch @softmax(%X, %Y)
  check %Y == softmax(%X)
}
"""),
    "attention": ("8x1024x64, f32", {"ATTENTION_T": "f32"}, """test "t" {
  %Q = random(seed = 1) : memref<8x1024x64xf32>
  %K = random(seed = 2) : memref<8x1024x64xf32>
  %V = random(seed = 3) : memref<8x1024x64xf32>
  %O = out : memref<8x1024x64xf32>
  launch @attention(%Q, %K, %V, %O, 0.125)
  check %O == matmul(softmax(matmul(%Q, transpose(%K)) * 0.125), %V)
}
"""),
}


def run(file, arguments, defines):
    """The JSON that xtrun prints, and the seconds that it took."""
    command = [XTRUN, "--json", "--threads", str(options.threads), *arguments]
    for name, value in defines.items():
        command += ["-D", f"{name}={value}"]
    begun = time.monotonic()
    done = subprocess.run([*command, str(file)], capture_output=True, text=True)
    return json.loads(done.stdout), time.monotonic() - begun


def median(file, defines, seconds):
    """The median of a combination in seconds, or None if it does not compile or is wrong; and how long that took."""
    result, took = run(file, ["--bench", "--bench-time", str(seconds)], defines)
    tests = result["files"][0]["tests"]
    if result["status"] or not tests:
        return None, took
    return tests[0]["runs"][0]["bench"]["median"], took


def values_of(kernel):
    """The values that the file lists for each parameter."""
    text = (ROOT / f"stdlib/{kernel}.xt").read_text()
    return {name: [value.strip() for value in values.split(",")]
            for name, values in re.findall(r"^param \$(\w+) : \w+ = \S+ in \[(.*)\]", text, re.MULTILINE)}


def compare(kernel, folder):
    sizes, given, test = PROBLEMS[kernel]
    file = folder / f"{kernel}_tuned.xt"
    file.write_text(f'import "std/{kernel}"\n\n{test}')
    tuned, _ = run(file, ["--tune", "--budget", "1s"], given)  # says which parameters it varies
    names = tuned["tests"][0]["parameters"]
    lists = values_of(kernel)
    found, spent = {}, 0.0
    for combination in itertools.product(*(lists[name] for name in names)):
        seconds, took = median(file, given | dict(zip(names, combination)), options.seconds)
        spent += took
        if seconds is not None:
            found[combination] = seconds
    best = dict(zip(names, min(found, key=found.get)))
    file.with_suffix(".xt.tune").unlink(missing_ok=True)
    tuned, took = run(file, ["--tune", "--budget", f"{spent / 10:.3f}s"], given)
    record = tuned["tests"][0]["kernels"][0]
    times = {"best": [], "tuned": []}
    for _ in range(options.rounds):
        for name, values in (("best", best), ("tuned", record["values"])):
            times[name].append(median(file, given | values, 2)[0])
    ratio = statistics.median(times["best"]) / statistics.median(times["tuned"])
    text = {name: ", ".join(values.values()) for name, values in (("best", best), ("tuned", record["values"]))}
    print(f"| {kernel} | {sizes} | {len(found)} | {spent:.0f} s | {text['best']} | {took:.1f} s | {record['timed']} | {text['tuned']} "
          f"| {100 * ratio:.1f}% |", flush=True)


def main():
    version = subprocess.run([XTRUN, "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    print(f"{version}, {options.threads} threads, {options.seconds} s for each combination\n")
    print("| kernel | sizes | combinations | exhaustive search | its best | tuning | of them timed | its best | speed of the tuned one |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for kernel in PROBLEMS:
            compare(kernel, Path(folder))


main()
