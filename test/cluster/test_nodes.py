#!/usr/bin/env python3
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples and programs on two emulated nodes: the answer of cc, and, by the trace, tasks on both nodes."""
import json
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TEST = HERE.parent
sys.path.insert(0, str(TEST / "harness"))
sys.path.insert(0, str(TEST / "programs"))
import build  # noqa: E402
import launch  # noqa: E402
import nodes  # noqa: E402
import run as programs  # noqa: E402

SAMPLES = TEST.parent / "samples"
SECONDS = 90

# Name, sources, libraries, arguments, relative tolerance of decimal numbers.
WHOLE_SAMPLES = [
    ("pi", ["pi/pi.c"], [], [], 1e-12),
    ("cholesky", ["cholesky/cholesky.c"], [], ["6", "64"], 0),
    ("heat", ["heat/heat.c", "heat/picture.c"], ["-lpng"], ["-n", "100", str(SAMPLES / "heat/start.png")], 0),
]
# Those in which the way between nodes matters most. The value: whether it has work enough that both nodes must get some.
PROGRAMS = {"large_arrays": False, "many_tasks": True, "overwrite_after_wait_on": True, "reduce_integers": True, "surroundings": False,
            "wavefront": True, "whole_halves_whole": False, "float_mode": False, "columns": True, "pipeline": True}
LAYOUTS = [{"nodeA": 2, "nodeB": 2}, {"nodeA": 1, "nodeB": 1}, {"nodeB": 1, "nodeA": 2}]


def nodes_with_tasks(trace):
    events = json.loads(trace.read_text())["traceEvents"]
    return {event["args"]["node"] for event in events if event["ph"] == "X"}


def run_on_nodes(cluster, layout, binary, arguments, folder, environment):
    """Runs it with a trace. The environment goes by mpirun's -x, as it must between real machines."""
    trace = folder / f"{binary.name}.trace.json"
    trace.unlink(missing_ok=True)
    exports = [word for name, value in {**environment, "STREAMAP_TRACE": str(trace)}.items() for word in ("-x", f"{name}={value}")]
    done = launch.run(cluster.command(layout, [str(binary), *arguments], exports), SECONDS, folder)
    return done, nodes_with_tasks(trace) if done.code == 0 and trace.exists() else set()


def check_samples(cluster, options):
    wrong = 0
    for name, sources, libraries, arguments, tolerance in WHOLE_SAMPLES:
        reference, binary = options.folder / f"{name}.cc", options.folder / name
        for compiler, output in ((options.cc, reference), (options.streamap_cc, binary)):
            error = build.compile_c(compiler, [*(SAMPLES / source for source in sources), *libraries], output)
            if error:
                print(f"FAIL {error}")
                return wrong + 1
        expected = launch.run([str(reference), *arguments], SECONDS).out
        for layout in LAYOUTS:
            done, where = run_on_nodes(cluster, layout, binary, arguments, options.folder, {})
            fine = done.code == 0 and programs.same(expected, done.out, tolerance) and where == {"nodeA", "nodeB"}
            wrong += not fine
            print(f"{'ok  ' if fine else 'FAIL'} {name} on {layout}: {done.out.strip()}, tasks on {sorted(where)}", flush=True)
            if not fine:
                print(f"     with cc: {expected.strip()}\n{done.err}")
    return wrong


def check_programs(cluster, options):
    wrong = 0
    for number, (name, busy) in enumerate(PROGRAMS.items()):
        program = programs.Program(TEST / "programs" / f"{name}.c", options.folder)
        error = program.build(options)
        layout = LAYOUTS[number % len(LAYOUTS)]
        where = set()
        if not error:
            done, where = run_on_nodes(cluster, layout, program.binary, [], options.folder, program.environment)
            error = program.judge(done)
            if not error and busy and where != {"nodeA", "nodeB"}:
                error = f"tasks on {sorted(where)} only"
        wrong += bool(error)
        print(f"{'FAIL' if error else 'ok  '} {name} on {layout}{': ' + error if error else ''}", flush=True)
    return wrong


def main():
    parser = build.parser(__doc__)
    build.add_options(parser)
    options = parser.parse_args()
    if nodes.missing():
        print(f"SKIP {nodes.missing()}")
        return 77
    build.prepare_folder(options)
    begin = time.monotonic()
    with nodes.Nodes(["nodeA", "nodeB"]) as cluster:
        wrong = check_samples(cluster, options) + check_programs(cluster, options)
    print(f"{wrong} wrong ({time.monotonic() - begin:.0f} s)")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
