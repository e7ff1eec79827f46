#!/usr/bin/env python3
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranks that run different programs are told so, at start, and nothing runs wrongly."""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "harness"))
import build  # noqa: E402
import launch  # noqa: E402

SECONDS = 40


def main():
    parser = build.parser(__doc__)
    build.add_options(parser)
    options = parser.parse_args()
    if launch.missing():
        print(f"SKIP {launch.missing()}")
        return 77
    build.prepare_folder(options)
    _, chain = build.compile_both(options, HERE / "chain.c")
    _, other = build.compile_both(options, HERE / "one_number.c")
    changed = options.folder / "chain_changed.c"  # the same tasks by name and number, another body
    changed.write_text((HERE / "chain.c").read_text().replace("* 5 + 1", "* 5 + 2"))
    _, almost = build.compile_both(options, changed)
    wrong = 0
    for first, second in ((chain, other), (chain, almost)):
        done = launch.run([*launch.on_ranks(1, [str(first)]), ":", "-np", "1", str(second)], SECONDS)
        messages = launch.own_messages(done.err).strip()
        fine = (done.code != 0 and not done.timed_out and not done.out and len(launch.one_each(messages)) == 1
                and "different binaries" in messages)
        wrong += not fine
        print(f"{'ok  ' if fine else 'FAIL'} {first.name} beside {second.name}: exit code {done.code}, {messages or 'no message'}{done.out}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
