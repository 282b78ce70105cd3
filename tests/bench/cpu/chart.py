#!/usr/bin/env python3
"""Draws the tables that tests/bench/cpu/run prints: chart.py < table.md > chart.svg

A bar a row: the best of the other sides' time over ours (to the right of 1 ours is faster), its quartiles as a line, and
what ours reaches as text: its rate and share of the processor's peak, or its time and share of what bounds the operator.
"""
import html
import re
import sys

ROW = re.compile(r"\| (\S+) \| (\d+) \| ([\d.]+) \| (\d+)%[^|]*\|.*\| ([\d.]+) \| ([\d.]+)–([\d.]+) \|")
PRODUCT = re.compile(r":[nt][nt]$")  # its cell
LEFT, WIDTH, LINE, TOP, MOST = 250, 520, 20, 46, 2.0  # pixels, and the largest ratio that has room


def x(ratio):
    return LEFT + min(ratio, MOST) / MOST * WIDTH


def text(at_x, at_y, what, style=""):
    return f'<text x="{at_x:.1f}" y="{at_y:.1f}" {style}>{html.escape(what)}</text>'


def bar(row, y):
    cell, threads, reached, share, ratio, low, high = row
    reached += f" G operations/s, {share}% of peak" if PRODUCT.search(cell) else f" ms, {share}% of what bounds it"
    color = "#4e9a06" if float(ratio) >= 1 else "#3465a4"
    middle = y + LINE / 2
    yield text(LEFT - 8, middle + 4, f"{cell}, {threads} thread{'s' if threads != '1' else ''}", 'text-anchor="end"')
    yield f'<rect x="{LEFT}" y="{y + 3}" width="{x(float(ratio)) - LEFT:.1f}" height="{LINE - 6}" fill="{color}"/>'
    yield f'<line x1="{x(float(low)):.1f}" y1="{middle}" x2="{x(float(high)):.1f}" y2="{middle}" stroke="black"/>'
    yield text(LEFT + WIDTH + 8, middle + 4, f"{ratio}; {reached}")


def chart(rows):
    bottom = TOP + LINE * len(rows)
    yield f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 270}" height="{bottom + 12}" font-family="sans-serif" font-size="12">'
    yield '<rect width="100%" height="100%" fill="white"/>'
    yield text(LEFT, 18, "time of the best other library / time of xt; the line is from quartile to quartile")
    for number, row in enumerate(rows):
        yield from bar(row, TOP + LINE * number)
    for tenths in range(0, int(MOST * 10) + 1, 5):
        at = x(tenths / 10)
        yield text(at, TOP - 6, f"{tenths / 10:.1f}", 'text-anchor="middle"')
        yield f'<line x1="{at:.1f}" y1="{TOP}" x2="{at:.1f}" y2="{bottom}" stroke="{"#cc0000" if tenths == 10 else "#ddd"}"/>'
    yield "</svg>"


rows = [match.groups() for match in map(ROW.match, sys.stdin) if match]
if not rows:
    sys.exit("chart.py: no row of a table on the standard input")
print("\n".join(chart(rows)))
