#!/usr/bin/env python3
# Draws a trace (STREAMAP_TRACE=trace.json) as an SVG: a lane a slot, a bar a task.
#
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import html
import json
import sys
from pathlib import Path

COLOURS = ["#4878cf", "#e1812c", "#3a923a", "#c03d3e", "#9372b2", "#845b53", "#d684bd", "#7f7f7f"]
LEFT, RIGHT, TOP, LANE, GAP, WIDTH = 190, 16, 36, 22, 12, 960


def read_tasks(path):
    """[(rank, slot, start, duration, name)] with times in microseconds from the first start, and names of ranks and slots."""
    events = json.loads(Path(path).read_text())
    events = events["traceEvents"] if isinstance(events, dict) else events
    tasks = [(e["pid"], e["tid"], e["ts"], e["dur"], e["name"]) for e in events if e.get("ph") == "X"]
    if not tasks:
        sys.exit(f"{path}: no task in it")
    names = {e["pid"]: e["args"]["name"] for e in events if e.get("ph") == "M" and e.get("name") == "process_name"}
    names |= {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e.get("ph") == "M" and e.get("name") == "thread_name"}
    first = min(task[2] for task in tasks)
    return [(rank, slot, start - first, duration, name) for rank, slot, start, duration, name in tasks], names


def step(span):
    """A round distance between two marks of the time axis, about eight of them."""
    unit = 1.0
    while span / unit > 80:
        unit *= 10
    for factor in (1, 2, 5, 10):
        if span / (unit * factor) <= 8:
            return unit * factor
    return unit * 10


def draw(tasks, names, begin, end):
    """The SVG text of the tasks that run between two times (microseconds)."""
    tasks = [task for task in tasks if task[2] < end and task[2] + task[3] > begin]
    lanes = sorted({(rank, slot) for rank, slot, *_ in tasks})
    places, y, last = {}, TOP, None
    for lane in lanes:
        y += GAP if last is not None and lane[0] != last else 0
        places[lane], last = y, lane[0]
        y += LANE
    colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(sorted({task[4] for task in tasks}))}
    scale = (WIDTH - LEFT - RIGHT) / (end - begin)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y + 52}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{y + 52}" fill="#ffffff"/>']
    x = LEFT
    for name, colour in colours.items():
        out.append(f'<rect x="{x}" y="10" width="12" height="12" fill="{colour}"/><text x="{x + 17}" y="20">{html.escape(name)}</text>')
        x += 36 + 8 * len(name)
    mark = begin
    while mark <= end:
        px = LEFT + (mark - begin) * scale
        out.append(f'<line x1="{px:.1f}" y1="{TOP - 4}" x2="{px:.1f}" y2="{y + 6}" stroke="#dddddd"/>'
                   f'<text x="{px:.1f}" y="{y + 20}" text-anchor="middle" fill="#555555">{(mark - begin) / 1000:g}</text>')
        mark += step(end - begin)
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{y + 40}" text-anchor="middle" fill="#555555">milliseconds</text>')
    for (rank, slot), top in places.items():
        label = f"{names.get(rank, f'rank {rank}')}, {names.get((rank, slot), f'slot {slot}')}"
        out.append(f'<rect x="{LEFT}" y="{top + 1}" width="{WIDTH - LEFT - RIGHT}" height="{LANE - 2}" fill="#f2f2f2"/>'
                   f'<text x="{LEFT - 8}" y="{top + 15}" text-anchor="end">{html.escape(label)}</text>')
    for rank, slot, start, duration, name in tasks:
        left = max(start, begin)
        width = max(0.4, (min(start + duration, end) - left) * scale)
        out.append(f'<rect x="{LEFT + (left - begin) * scale:.1f}" y="{places[(rank, slot)] + 3}" width="{width:.1f}" '
                   f'height="{LANE - 6}" fill="{colours[name]}"/>')
    return "\n".join([*out, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description="Draws a trace as an SVG.")
    parser.add_argument("trace")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--begin", type=float, default=0.0, help="milliseconds from the first task")
    parser.add_argument("--end", type=float, help="milliseconds from the first task (default: the last one's end)")
    options = parser.parse_args()
    tasks, names = read_tasks(options.trace)
    end = options.end * 1000 if options.end is not None else max(task[2] + task[3] for task in tasks)
    Path(options.output).write_text(draw(tasks, names, options.begin * 1000, max(end, options.begin * 1000 + 1)))


if __name__ == "__main__":
    main()
