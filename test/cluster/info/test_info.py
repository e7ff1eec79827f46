#!/usr/bin/env python3
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""streamap-info: the table, the JSON, and each problem of --doctor when it is planted, and none where there is none."""
import argparse
import json
import os
import re
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "harness"))
import launch  # noqa: E402

SECONDS = 60
CODES = {"singletons", "different-binaries", "thread-level", "cores-bound", "no-driver", "gpu-invisible", "cuda-order",
         "gpu-exclusive", "gpu-shared", "gpu-lost", "mpi-not-gpu-aware"}
CORES = len(os.sched_getaffinity(0))

ONE_GPU = "devices=1"
TWO_GPUS = "devices=2"
# The second is faster, so CUDA counts it first.
UNEQUAL = "devices=2;0.sms=8;1.sms=16"


@dataclass
class Planted:
    """What is planted, and all that --doctor may say about it."""
    what: str
    found: set
    ranks: int = 0
    gpus: str = None  # settings of the CUDA double; None: there is no driver
    environment: dict = field(default_factory=dict)
    before: list = field(default_factory=list)  # words in front of the program
    second: list = None  # another program for the last rank
    mpi_double: dict = None
    arguments: list = field(default_factory=list)


AWARE = {"MPI_DOUBLE_GPU": "1"}


def table(options):
    other = options.folder / "other_program"
    other.write_text("another file\n")
    same = options.folder / "same_program"
    same.write_text("a file\n")
    return [
        # A healthy machine.
        Planted("nothing, without mpirun and GPUs", set()),
        Planted("nothing, on two ranks", set(), 2),
        Planted("nothing, one GPU", set(), 0, ONE_GPU),
        Planted("nothing, two GPUs, two ranks, an MPI that takes device pointers", set(), 2, TWO_GPUS, mpi_double=AWARE),
        Planted("nothing, one program on two ranks", set(), 2, arguments=[str(same)]),
        Planted("nothing, each rank told to take another GPU", set(), 2, TWO_GPUS, mpi_double=AWARE,
                before=["sh", "-c", 'CUDA_VISIBLE_DEVICES=$OMPI_COMM_WORLD_LOCAL_RANK exec "$@"', "sh"]),
        Planted("nothing, unequal GPUs in the order of nvidia-smi", set(), 0, UNEQUAL, {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}),
        Planted("nothing, two ranks on one GPU by MPS", set(), 2, ONE_GPU, {"CUDA_MPS_PIPE_DIRECTORY": "pipe"}, mpi_double=AWARE),
        Planted("nothing, an exclusive GPU for one rank", set(), 0, ONE_GPU + ";mode=exclusive"),
        # The problems.
        Planted("an MPI that is not the launcher's", {"singletons"}, 0, environment={"PMI_RANK": "0", "PMI_SIZE": "4"}),
        Planted("another program on rank 1", {"different-binaries"}, 2, arguments=[str(same)], second=[str(other)]),
        Planted("no program on rank 1", {"different-binaries"}, 2, arguments=[str(same)], second=[str(options.folder / "none")]),
        Planted("an MPI for one thread", {"thread-level"}, 2, mpi_double={"MPI_DOUBLE_THREADS": "single"}),
        Planted("an MPI for main's thread", {"thread-level"}, 2, mpi_double={"MPI_DOUBLE_THREADS": "funneled"}),
        Planted("one core of several", {"cores-bound"}, 0, before=["taskset", "-c", str(min(os.sched_getaffinity(0)))]),
        Planted("many slots on one core", {"cores-bound"}, 0, environment={"STREAMAP_SLOTS": "64"}),
        Planted("more ranks than cores", {"cores-bound"}, CORES + 1),
        Planted("no driver that is asked for", {"no-driver"}, 0, environment={"STREAMAP_DEVICES": "cuda,driver=libnone.so"}),
        Planted("a driver that does not start", {"no-driver", "gpu-invisible"}, 0, ONE_GPU + ";fail=cuInit:1+=999"),
        Planted("a GPU hidden by its number", {"gpu-invisible"}, 0, TWO_GPUS, {"CUDA_VISIBLE_DEVICES": "0"}),
        Planted("all GPUs hidden", {"gpu-invisible"}, 0, TWO_GPUS, {"CUDA_VISIBLE_DEVICES": ""}),
        Planted("a name of no GPU", {"gpu-invisible"}, 0, ONE_GPU, {"CUDA_VISIBLE_DEVICES": "GPU-ffff"}),
        Planted("CUDA's own order", {"cuda-order"}, 0, UNEQUAL),
        Planted("an order for each rank", {"cuda-order"}, 2, TWO_GPUS, mpi_double=AWARE,
                before=["sh", "-c", '[ "$OMPI_COMM_WORLD_RANK" = 0 ] || export CUDA_DEVICE_ORDER=PCI_BUS_ID; exec "$@"', "sh"]),
        Planted("a prohibited GPU", {"gpu-exclusive"}, 0, ONE_GPU + ";mode=prohibited"),
        Planted("an exclusive GPU for two ranks", {"gpu-exclusive"}, 2, ONE_GPU + ";mode=exclusive", mpi_double=AWARE),
        Planted("an exclusive GPU that another program has", {"gpu-exclusive"}, 0, ONE_GPU + ";mode=exclusive;others=1"),
        Planted("two ranks on one GPU", {"gpu-shared"}, 2, ONE_GPU, mpi_double=AWARE),
        Planted("two ranks told to take the same GPU", {"gpu-shared", "gpu-invisible"}, 2, TWO_GPUS,
                {"CUDA_VISIBLE_DEVICES": "1"}, mpi_double=AWARE),
        Planted("an MPI that takes no device pointers", {"mpi-not-gpu-aware"}, 2, TWO_GPUS, mpi_double={"MPI_DOUBLE_GPU": "0"}),
    ]


def start(options, planted, arguments):
    environment = {"CUDA_VISIBLE_DEVICES": None, "CUDA_DEVICE_ORDER": None, "CUDA_MPS_PIPE_DIRECTORY": None, **planted.environment}
    if planted.gpus is not None:
        environment["CUDA_DOUBLE"] = planted.gpus
        environment["LD_LIBRARY_PATH"] = f"{options.doubles}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    words = [*planted.before, options.program, *arguments]
    if planted.mpi_double is not None:
        words = ["env", f"LD_PRELOAD={options.mpi_answers}", *(f"{k}={v}" for k, v in planted.mpi_double.items()), *words]
    unset = [word for name, value in environment.items() if value is None for word in ("-u", name)]
    command = ["env", *unset, *launch.on_ranks(planted.ranks, [*words, *planted.arguments])]
    if planted.second is not None:
        command = ["env", *unset, *launch.on_ranks(planted.ranks - 1, [*words, *planted.arguments]), ":", "-np", "1", *words, *planted.second]
    return launch.run(command, SECONDS, options.folder, {name: value for name, value in environment.items() if value is not None})


def judge_doctor(options, planted):
    done = start(options, planted, ["--doctor", "--json"])
    own = launch.own_messages(done.err).strip()
    if done.timed_out:
        return f"no end after {SECONDS} s"
    try:
        facts = json.loads(done.out)
        findings = facts["findings"]
    except (ValueError, KeyError):
        return f"exit code {done.code}, no JSON: {done.out}{done.err}"
    found = {finding["code"] for finding in findings}
    if not found <= CODES or found != planted.found:
        return f"found {sorted(found)}, not {sorted(planted.found)}: {findings}"
    if planted.gpus is not None and not planted.found and not all(rank["devices"] for rank in facts["ranks"]):
        return f"the doubles are not there: {facts}"
    if not all(finding["what"] and finding["fix"] and finding["where"] for finding in findings):
        return f"without words: {findings}"
    if done.code != (1 if found else 0):
        return f"exit code {done.code}"
    return f"messages: {own}" if own else None


def judge_table(options):
    """The table and the JSON tell the same, of two ranks with three devices; the text of --doctor names the fix."""
    planted = Planted("", set(), 2, "devices=3;memory=64MiB;1.name=Slow GPU;2.taken=16MiB;2.others=2")
    done = start(options, planted, [])
    text = done.out
    for part in (r"^2 ranks on 1 machine, started by Open MPI; ", r"  rank 0: may use core", r"  rank 1: may use core", r"Slow GPU GPU-",
                 r"64\.0 MiB \(16\.0 MiB used\)", "used by 2 other processes", "reaches 2 peers directly", "used by rank 1", "driver: NVIDIA 580"):
        if not re.search(part, text, re.MULTILINE):
            return f"the table has no '{part}':\n{text}{done.err}"
    facts = json.loads(start(options, planted, ["--json"]).out)
    if facts["version"] != 1 or len(facts["ranks"]) != 2 or len(facts["nodes"]) != 1 or facts["nodes"][0]["ranks"] != [0, 1]:
        return f"the JSON is not of two ranks on one node: {facts}"
    used = sorted(use["uuid"] for rank in facts["ranks"] for use in rank["uses"])
    seen = sorted(device["uuid"] for device in facts["ranks"][0]["devices"])
    if used != seen or len(seen) != 3:
        return f"three devices are not shared out: {used}, {seen}"
    if {rank["mpi"]["threads"] for rank in facts["ranks"]} - {"MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"}:
        return f"thread levels: {facts}"
    words = start(options, Planted("", set(), 0, ONE_GPU + ";mode=prohibited"), ["--doctor"]).out
    if "nvidia-smi -c DEFAULT" not in words:
        return f"no fix in: {words}"
    return None


def judge_use(options):
    for arguments, environment, part in ((["--josn"], {}, "did you mean --json?"), (["a", "b"], {}, "one program is enough"),
                                         ([], {"STREAMAP_SLOT": "2"}, "did you mean STREAMAP_SLOTS?")):
        for ranks in (0, 2):
            done = start(options, Planted("", set(), ranks, environment=environment), arguments)
            if done.code != 2 or part not in done.err:
                return f"{arguments} with {environment} on {ranks} ranks: exit code {done.code}: {done.err}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--folder", type=Path, default=Path("."))
    parser.add_argument("--doubles")
    parser.add_argument("--mpi-answers")
    parser.add_argument("--only", default="", help="only rows with this in their name")
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    options.program, options.doubles, options.mpi_answers = map(os.path.abspath, (options.program, options.doubles, options.mpi_answers))
    options.folder.mkdir(parents=True, exist_ok=True)
    if launch.missing():
        print(f"SKIP {launch.missing()}")
        return 77
    wrong = runs = 0
    checks = [(row.what, lambda row=row: judge_doctor(options, row)) for row in table(options)]
    checks += [("the table and the JSON", lambda: judge_table(options)), ("wrong use", lambda: judge_use(options))]
    for name, check in checks:
        if options.only not in name:
            continue
        if name == "one core of several" and (CORES < 2 or not shutil.which("taskset")):
            print(f"SKIP {name}: it needs taskset and two cores")
            continue
        if name in ("nothing, on two ranks",) and CORES < 2:
            print(f"SKIP {name}: it needs two cores")
            continue
        problem = check()
        runs += 1
        wrong += bool(problem)
        print(f"{'FAIL' if problem else 'ok  '} {name}{': ' + problem if problem else ''}", flush=True)
    print(f"{runs - wrong} of {runs} right")
    return 1 if wrong or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
