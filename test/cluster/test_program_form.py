#!/usr/bin/env python3
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A directive in front of main, on two emulated nodes of which one has 1 and the other 3 GPUs (doubles of CUDA's driver): each G rank has a GPU of its
own node, by UUID, no two have the same one unless they were asked to share, and the ranks are in the order of the list."""
import shlex
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "harness"))
import build  # noqa: E402
import launch  # noqa: E402
import nodes  # noqa: E402

SECONDS = 60
GPUS = {"nodeA": ["GPU-aaaaaaaa-0000-0000-0000-000000000000"],
        "nodeB": [f"GPU-bbbbbbbb-0000-0000-0000-00000000000{i}" for i in range(3)]}
EVEN = {"nodeA": 4, "nodeB": 4}

# The list, processes a node, mpirun's --map-by, what is expected: the kinds in the order of ranks, or a part of the message.
CASES = [
    ("4:G, 4:C", EVEN, "slot", "GGGGCCCC"),
    ("4:G, 4:C", EVEN, "node", "GGGGCCCC"),
    ("4:C, 4:G", EVEN, "slot", "CCCCGGGG"),
    ("4:C, 4:G", EVEN, "node", "CCCCGGGG"),
    ("*:G, *:C", EVEN, "node", "GGGGCCCC"),
    ("[1]:G, [3-4]:G, [0]:C, [2]:C", {"nodeA": 2, "nodeB": 3}, "slot", "CGCGG"),
    ("*:C", {"nodeA": 1, "nodeB": 2}, "node", "CCC"),
    ("3:G, 1:C", {"nodeA": 1, "nodeB": 3}, "slot", "GGGC"),
    ("6:G, 2:C share(50)", EVEN, "node", "GGGGGGCC"),
    ("5:G, 3:C", EVEN, "slot", "!main asks for 5 G tasks, and there are GPUs for 4"),
    ("3:G, 5:C", {"nodeA": 4}, "slot", "!main asks for 8 tasks, and there are 4 processes"),
    ("2:G, 2:C", {"nodeA": 4}, "slot", "!nodeA: 4 processes, 1 GPU"),
]


def mpicc_says(step):
    return shlex.split(launch.run(["mpicc", f"--showme:{step}"], 20).out)


def write_wrapper(folder, doubles):
    """Starts a program with the GPUs of the node that it is on."""
    wrapper = folder / "with_gpus"
    text = "#!/bin/sh\ncase $(hostname) in\n"
    for host, gpus in GPUS.items():
        settings = f"devices={len(gpus)}" + "".join(f";{number}.uuid={uuid}" for number, uuid in enumerate(gpus))
        text += f"{host}) CUDA_DOUBLE='{settings}' ;;\n"
    text += f'esac\nexport CUDA_DOUBLE\nLD_LIBRARY_PATH="{doubles}:$LD_LIBRARY_PATH" exec "$@"\n'
    wrapper.write_text(text)
    wrapper.chmod(0o755)
    return wrapper


def judge(done, kinds, slots, tasks_a_gpu):
    """What is wrong, or None."""
    if done.code != 0 or done.err.strip():
        return f"exit code {done.code}\n{done.out}{done.err}"
    lines = [line.split() for line in done.out.splitlines()]
    if [line[0] for line in lines] != [str(rank) for rank in range(len(kinds))]:
        return f"the ranks are not in order:\n{done.out}"
    used = {}
    for kind, (rank, host, visible, seen, threads) in zip(kinds, lines):
        uuid = visible.removeprefix("visible=")
        if kind == "C" and (uuid or seen != "seen=none"):
            return f"C task {rank} sees {uuid}, {seen}"
        if kind == "G" and (uuid not in GPUS[host] or seen != f"seen=1:{uuid}"):
            return f"G task {rank} on {host} sees {uuid}, {seen}"
        if not threads.removeprefix("threads=").isdigit():
            return f"task {rank} has {threads}"
        if kind == "G":
            used[uuid] = used.get(uuid, 0) + 1
    if any(count > tasks_a_gpu for count in used.values()):
        return f"GPUs are shared unasked: {used}"
    hosts = [line[1] for line in lines]
    return None if {host: hosts.count(host) for host in slots} == slots else f"processes are elsewhere: {hosts}"


def judge_refusal(done, message):
    if done.code == 0 or done.out:
        return f"it ran: exit code {done.code}\n{done.out}"
    told = done.err.count("streamap: error")
    return None if told == 1 and message in done.err else f"told {told} times:\n{done.err}"


def main():
    parser = build.parser(__doc__)
    build.add_options(parser)
    parser.add_argument("--doubles", type=Path, required=True, help="folder of the double of libcuda.so.1")
    options = parser.parse_args()
    if nodes.missing():
        print(f"SKIP {nodes.missing()}")
        return 77
    build.prepare_folder(options)
    wrapper = write_wrapper(options.folder, options.doubles)
    flags = [*mpicc_says("compile"), "-D_GNU_SOURCE"]
    wrong = 0
    with nodes.Nodes(list(GPUS)) as cluster:
        for number, (items, slots, by, expected) in enumerate(CASES):
            program = options.folder / f"program{number}"
            error = build.compile_c(options.streamap_cc, [HERE / "program_form.c", "-ldl", *mpicc_says("link")], program,
                                    [*flags, f"-DLIST={items}"])
            if not error:
                done = launch.run(cluster.command(slots, [str(wrapper), str(program)], ["--map-by", by]), SECONDS, options.folder)
                error = judge_refusal(done, expected[1:]) if expected[0] == "!" else judge(done, expected, slots, 2 if "share" in items else 1)
            wrong += bool(error)
            print(f"{'FAIL' if error else 'ok  '} {items} on {slots}, by {by}{': ' + error if error else ''}", flush=True)
    print(f"{len(CASES)} programs, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
