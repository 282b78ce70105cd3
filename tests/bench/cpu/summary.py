#!/usr/bin/env python3
"""Summarises the pages of results beside it: summary.py prints the README's table, summary.py --chart draws summary.svg.

Each number is the time of the best other side over the time of xt, so that above 1 xt is faster: for products the geometric
mean over the 13 shapes of one element type, for other operators the ratio itself. With two threads, products of bf16 and i8
other than 1x4096x4096 whose ratio is above 2 are left out: there both threads of the other side shared a core.
"""
import html
import math
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
PAGES = [("Zen 5", "results_zen5.md"), ("Zen 4", "results.md"), ("Xeon with AMX", "results_amx.md"),
         ("that Xeon, AVX2", "results_avx2.md"), ("Zen 3, AVX2", "results_zen3.md")]
PRODUCTS = [("f32", "product, f32", "OpenBLAS, BLIS, Eigen, oneDNN, libxsmm"), ("f64", "product, f64", "OpenBLAS, BLIS, Eigen, libxsmm"),
            ("f16", "product, f16", "the f32 products of these"), ("bf16", "product, bf16", "oneDNN"),
            ("i8", "product, i8", "oneDNN")]
OPERATORS = [("softmax:4096x4096:f32", "softmax, f32", "oneDNN"), ("layernorm:4096x4096:f32", "layernorm, f32", "oneDNN"),
             ("gelu:1024x1024x1024:f32", "product, bias, gelu, f32", "oneDNN"),
             ("gelu:1024x1024x1024:bf16", "product, bias, gelu, bf16", "oneDNN"),
             ("attention:8x2048x64:f32", "attention, f32", "oneDNN, onnxruntime"), ("attention:8x2048x64:bf16", "attention, bf16", "oneDNN")]
ROW = re.compile(r"^\| (\S+) \| (\d) \|.*\| ([\d.]+) \| [\d.]+–[\d.]+ \|$")


def ratios(page):
    """The ratios of a page's products and operators, by cell and threads."""
    found, section = {}, ""
    for line in (HERE / page).read_text().splitlines():
        if line.startswith("## "):
            section = line[3:]
        if match := ROW.match(line):
            if section in ("Products", "Operators", "Other operators"):
                found[match[1], match[2]] = float(match[3])
    return found


def mean(found, elem, threads):
    may_share = threads == "2" and elem in ("bf16", "i8")
    kept = [ratio for (cell, count), ratio in found.items() if count == threads and cell.startswith(elem + ":")
            and not (may_share and ratio > 2 and ":1x4096x4096:" not in cell)]
    return math.exp(sum(map(math.log, kept)) / len(kept)) if kept else None


def table():
    """Rows of (operator, peers, numbers of each machine), a number for one thread and one for two."""
    pages = [ratios(page) for _, page in PAGES]
    for elem, name, peers in PRODUCTS:
        yield name, peers, [[mean(page, elem, threads) for threads in "12"] for page in pages]
    for cell, name, peers in OPERATORS:
        yield name, peers, [[page.get((cell, threads)) for threads in "12"] for page in pages]


def markdown(rows):
    yield "| operator | best of | " + " | ".join(name for name, _ in PAGES) + " |"
    yield "|---|---|" + "---|" * len(PAGES)
    for name, peers, machines in rows:
        cells = [" / ".join(f"{ratio:.2f}" for ratio in both) if None not in both else "" for both in machines]
        yield f"| {name} | {peers} | " + " | ".join(cells) + " |"


def text(x, y, what, style=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{html.escape(what)}</text>'


def chart(rows):
    left, width, line, top, most = 190, 560, 12, 62, 2.8
    colors = ["#204a87", "#3465a4", "#ce5c00", "#f57900", "#4e9a06"]
    scale = lambda ratio: left + min(ratio, most) / most * width
    bottom = top + sum(line * sum(both[0] is not None for both in machines) + 8 for _, _, machines in rows)
    yield f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 60}" height="{bottom + 8}" font-family="sans-serif" font-size="12">'
    yield '<rect width="100%" height="100%" fill="white"/>'
    yield text(left, 18, "time of the best other library / time of xt, one thread: right of the red line xt is faster")
    for number, (name, _) in enumerate(PAGES):
        yield f'<rect x="{left + 115 * number}" y="27" width="10" height="10" fill="{colors[number]}"/>'
        yield text(left + 115 * number + 14, 36, name)
    for halves in range(0, int(most * 2) + 1):
        at, color = scale(halves / 2), "#cc0000" if halves == 2 else "#ddd"
        yield f'<line x1="{at:.1f}" y1="{top - 8}" x2="{at:.1f}" y2="{bottom}" stroke="{color}"/>'
        yield text(at, top - 10, f"{halves / 2:.1f}", 'text-anchor="middle"')
    y = top
    for name, _, machines in rows:
        yield text(left - 8, y + 10, name, 'text-anchor="end"')
        for color, (one, _) in zip(colors, machines):
            if one is None:
                continue
            yield f'<rect x="{left}" y="{y}" width="{scale(one) - left:.1f}" height="{line - 2}" fill="{color}"/>'
            yield text(scale(one) + 4, y + 9, f"{one:.2f}", 'font-size="9"')
            y += line
        y += 8
    yield "</svg>"


if __name__ == "__main__":
    if sys.argv[1:] == ["--chart"]:
        (HERE / "summary.svg").write_text("\n".join(chart(list(table()))) + "\n")
    else:
        print("\n".join(markdown(table())))
