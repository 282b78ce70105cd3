"""Prints the table of tests/nv/run: our products, from `xtrun --bench --json`, beside torch's, which are cuBLAS's, where torch finds the GPU.

Each time is the median of launches by the device's clock. A cell that was not measured is empty.
"""
import json
import statistics
import sys


def ours(path):
    """Name, size and seconds of each test that passed."""
    rows = []
    with open(path) as file:
        document = json.load(file)
    for each in document["files"]:
        for test in each["tests"]:
            runs = [run for run in test["runs"] if "bench" in run]
            if test["status"] == "passed" and runs:
                size = int(runs[0]["sizes"].removeprefix("N = "))
                rows.append((test["test"], size, runs[0]["bench"]["median"]))
    return rows


def with_torch():
    """torch, if it is installed and finds a GPU; else None."""
    try:
        import torch
    except ImportError:
        return None
    return torch if torch.cuda.is_available() else None


def seconds_of_torch(torch, size, elem, launches=30):
    kind = {"f16": torch.float16, "bf16": torch.bfloat16}[elem]
    a, b = (torch.rand(size, size, device="cuda", dtype=kind) - 0.5 for _ in range(2))
    times = []
    for launch in range(launches + 5):
        begun, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begun.record()
        a @ b
        ended.record()
        torch.cuda.synchronize()
        if launch >= 5:
            times.append(begun.elapsed_time(ended) * 1e-3)
    return statistics.median(times)


def main():
    rows = ours(sys.argv[1])
    if not rows:
        sys.exit("no product has passed its test on the GPU, so there is no table")
    torch = with_torch()
    if torch:
        print(f"{torch.cuda.get_device_name(0)}, torch {torch.__version__}, CUDA {torch.version.cuda}\n")
    print("| product | xt, ms | Tflop/s | cuBLAS (torch), ms | Tflop/s |\n|---|---|---|---|---|")
    for name, size, seconds in rows:
        elem = name.split()[-1]
        work = 2 * size**3
        cells = [f"{seconds * 1e3:.3f}", f"{work / seconds * 1e-12:.1f}"]
        if torch:
            peer = seconds_of_torch(torch, size, elem)
            cells += [f"{peer * 1e3:.3f}", f"{work / peer * 1e-12:.1f}"]
        print(f"| {size}, {elem} | {' | '.join(cells + [''] * (4 - len(cells)))} |")


main()
