#!/usr/bin/env python3
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes random annotated C sources, and compares what they print when compiled by cc and by streamap-cc.

Where random_programs tries sequences of fixed tasks, this tries the compiler: random loops, bounds, sections, types, dimensions,
resource lists and places of pragmas. Every source is right by construction: bodies touch only what their sections name.

  gen.py SEED                                   prints the source of a seed
  gen.py --check --seeds 1-20 --folder OUT ...  compiles, runs and compares
"""
import concurrent.futures
import random
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "harness"))
import build  # noqa: E402
import launch  # noqa: E402

TYPES = ["int", "unsigned", "long", "short", "unsigned char", "uint64_t"]  # wrapping arithmetic only
INDEX_TYPES = ["int", "long", "short", "size_t", "unsigned"]
SIZE = 160  # elements of each array; every index of a body lies below


class Array:
    """A global array of SIZE elements, or of ROWS x COLUMNS."""

    def __init__(self, number, kind, columns=0):
        self.name, self.kind, self.columns = f"g{number}", kind, columns

    def declare(self):
        return f"static {self.kind} {self.name}[{SIZE // self.columns}][{self.columns}];" if self.columns else \
            f"static {self.kind} {self.name}[{SIZE}];"


class Task:
    """A task function: its text, and how to call it."""

    def __init__(self, dice, number):
        self.dice, self.name = dice, f"task{number}"
        shape = dice.choice([self.line, self.line, self.halo, self.rows, self.columns, self.whole, self.reduction, self.two_loops])
        self.values = []  # (type, name, function that draws an argument)
        self.pointers = []  # (element type, name, columns or 0, is it const)
        self.clauses, self.body = [], []
        shape()

    # ---- pieces ----

    def value(self, kind, name, draw):
        self.values.append((kind, name, draw))

    def pointer(self, kind, name, columns=0, const=False):
        self.pointers.append((kind, name, columns, const))

    def resources(self):
        dice = self.dice
        form = dice.randrange(6)
        if form == 0:
            return "*:C"
        if form == 1:
            return f"{dice.randint(1, 3)}:C, {dice.randint(1, 2)}:c"
        if form == 2:
            return f"(n / {dice.randint(20, 60)} + 1):C"
        if form == 3:
            return f"[0-{dice.randint(0, 3)}]:C"
        if form == 4:
            return "TASKS:C"
        return f"{dice.randint(1, 6)}:C"

    def loop(self, offset=0, margin=0):
        """A canonical loop over i within [margin, n - margin), and its index type."""
        dice = self.dice
        kind = dice.choice(INDEX_TYPES)
        step = dice.choice([1, 1, 1, 2, 3, 7])
        low = margin + dice.choice([0, 0, 1, 4]) + offset
        high = f"({kind})n - {margin}" if margin else f"({kind})n"
        up = dice.random() < 0.7 or kind in ("size_t", "unsigned")
        if up:
            relation = dice.choice([f"i < {high}", f"i <= {high} - 1"] if kind not in ("size_t", "unsigned") else [f"i < {high}"])
            change = "i++" if step == 1 else f"i += {step}"
            return f"for ({kind} i = {low}; {relation}; {change})"
        change = dice.choice(["i--", "--i"]) if step == 1 else f"i -= {step}"
        return f"for ({kind} i = {high} - 1; i >= {low}; {change})"

    def term(self, names):
        """An expression over values in scope."""
        dice = self.dice
        text = dice.choice(names)
        for _ in range(dice.randint(1, 3)):
            other = dice.choice(names + [str(dice.randint(1, 99))])
            text = f"({text} {dice.choice(['+', '-', '*', '^', '|'])} {other})"
        return text

    def n(self, least=0):
        self.value("long", "n", lambda dice: dice.choice([least, dice.randint(least, SIZE // 2 - 4), SIZE // 2 - 4]))

    # ---- shapes ----

    def line(self):
        """y[a*i+b] from x[i] and y itself."""
        dice = self.dice
        self.n()
        self.value("int", "k", lambda d: d.randint(-50, 50))
        kind_x, kind_y = dice.choice(TYPES), dice.choice(TYPES)
        self.pointer(kind_x, "x", const=True)
        self.pointer(kind_y, "y")
        a, b = dice.choice([(1, 0), (1, 3), (2, 0), (2, 1)])
        place = "i" if (a, b) == (1, 0) else f"{a}*i+{b}"
        access = dice.choice(["inout", "out"])
        self.clauses = [f"split(i)", f"in(x[i])", f"{access}(y[{place}])"]
        names = ["x[i]", "k"] + ([f"y[{place}]"] if access == "inout" else [])
        guard = dice.choice(["", "", "if (x[i] & 1) "])
        self.body = [f"{self.loop()}", f"    {guard}y[{place}] = ({kind_y}){self.term(names)};"]

    def halo(self):
        dice = self.dice
        self.n(8)
        kind = dice.choice(TYPES)
        self.pointer(kind, "x", const=True)
        self.pointer(kind, "y")
        left, right = dice.randint(0, 3), dice.randint(0, 3)
        self.clauses = ["split(i)", "extent(x[0:n], y[0:n])", f"in(x[i-{left}:{left + right + 1}])", "out(y[i])"]
        terms = " + ".join(f"(i >= {d} ? x[i - {d}] : 3)" for d in range(left, 0, -1)) or "1"
        terms += " - " + (" - ".join(f"((long)i + {d} < n ? x[i + {d}] : 5)" for d in range(1, right + 1)) or "2")
        self.body = ["for (long i = 0; i < n; i++)", f"    y[i] = ({kind})({terms} + 2 * x[i]);"]

    def rows(self):
        """Rows of two-dimensional arrays, given as C array parameters."""
        dice = self.dice
        columns = 16
        kind = dice.choice(TYPES)
        self.value("long", "n", lambda d: d.randint(0, SIZE // columns))
        self.value("int", "m", lambda d: d.randint(0, columns))
        self.pointer(kind, "x", columns, const=True)
        self.pointer(kind, "y", columns)
        self.clauses = ["split(i)", "in(x[i][0:m])", dice.choice(["inout(y[i][0:m])", "inout(y[i:1][0:m])"])]
        self.body = [f"{self.loop()}", "    for (int j = 0; j < m; j++)",
                     f"        y[i][j] = ({kind}){self.term(['x[i][j]', 'y[i][j]', '(int)i', 'j'])};"]

    def columns(self):
        dice = self.dice
        columns = 20
        kind = dice.choice(TYPES)
        self.value("long", "n", lambda d: d.randint(0, columns))
        self.value("int", "r", lambda d: d.randint(0, SIZE // columns))
        self.pointer(kind, "y", columns)
        self.clauses = ["split(i)", "inout(y[0:r][i])"]
        self.body = [f"{self.loop()}", "    for (int j = 1; j < r; j++)", f"        y[j][i] = ({kind})(y[j][i] * 3 + y[j - 1][i]);"]

    def whole(self):
        """No split: one task on sections with bounds of their own."""
        dice = self.dice
        self.n(1)
        self.value("long", "from", lambda d: d.randint(0, 20))
        kind = dice.choice(TYPES)
        self.pointer(kind, "x", const=True)
        self.pointer(kind, "y")
        self.clauses = ["in(x[from:n])", f"{dice.choice(['inout', 'out'])}(y[0:n])"]
        self.body = ["for (long i = 0; i < n; i++)", f"    if (i % {dice.randint(1, 3)} == 0)",
                     f"        y[i] = ({kind})(x[from + n - 1 - i] + {dice.randint(0, 9)});"]

    def reduction(self):
        dice = self.dice
        self.n()
        kind = dice.choice(["int", "unsigned", "long", "uint64_t"])
        bins = dice.choice([1, 1, 4])
        self.pointer(dice.choice(TYPES), "x", const=True)
        self.pointer(kind, "s")
        operator, update = dice.choice([
            ("+", "s[{0}] += x[i];"), ("^", "s[{0}] ^= ({1})x[i];"), ("|", "s[{0}] |= ({1})(x[i] & 0x3f);"), ("&", "s[{0}] &= ({1})(x[i] | 0xf0);"),
            ("max", "if (({1})x[i] > s[{0}]) s[{0}] = ({1})x[i];"), ("min", "s[{0}] = s[{0}] < ({1})x[i] ? s[{0}] : ({1})x[i];"),
            ("*", "s[{0}] *= ({1})x[i] | 1;")])
        self.clauses = ["split(i)", "in(x[i])", f"reduction({operator}: s[0:{bins}])"]
        self.body = [f"{self.loop()} {{", "    " + update.format(f"(long)i % {bins}" if bins > 1 else "0", kind), "}"]

    def two_loops(self):
        dice = self.dice
        self.n(8)
        kind = dice.choice(TYPES)
        self.value("int", "k", lambda d: d.randint(1, 9))
        self.pointer(kind, "x", const=True)
        self.pointer(kind, "y")
        self.pointer(kind, "z")
        self.clauses = ["split(i)", "in(x[i])", "inout(y[i], z[i])"]
        self.body = ["int twice = k * 2;", f"{self.loop()}", f"    y[i] = ({kind})(x[i] * k + y[i]);", "twice += k;",
                     f"{self.loop(margin=dice.randint(0, 3))}", f"    z[i] = ({kind})(y[i] - z[i] * twice);"]

    # ---- text ----

    def is_split(self):
        return "split(i)" in self.clauses

    def signature(self):
        pointers = []
        for kind, name, columns, const in self.pointers:
            words = f"const {kind}" if const else kind
            pointers.append(f"{words} {name}[{SIZE // columns}][{columns}]" if columns else f"{words} *{name}")
        return f"void {self.name}({', '.join([f'{k} {n}' for k, n, _ in self.values] + pointers)})"

    def pragma(self):
        clauses = self.clauses[:]
        self.dice.shuffle(clauses)
        resources = self.resources() if self.is_split() else self.dice.choice(["1:C", "ONE:c", "1:C", ""])
        separator = self.dice.choice([" ", ", "])
        line = f"#pragma streamap resource {resources}{separator if resources else ' '}{separator.join(clauses)}"
        if len(line) > 100 and self.dice.random() < 0.5:  # a continued line
            cut = line.rindex(" ", 0, 100)
            line = f"{line[:cut]} \\\n       {line[cut:]}"
        return line

    def definition(self):
        return "\n".join([self.signature(), "{"] + ["    " + line for line in self.body] + ["}"])

    # ---- what another language may do otherwise ----

    def may_be_late(self):
        """Whether the definition may stand behind main."""
        return True

    def prototype(self):
        return [self.pragma(), self.signature() + ";"]

    def at_once(self):
        return [self.pragma(), self.definition()]

    def late_definition(self):
        return self.definition()

    def called(self):
        return self.name

    def argument(self, pointer, array, offset):
        """What a call passes for a pointer: elements of an array from the offset on."""
        return f"{array.name} + {offset}" if offset else array.name


class Source:
    task_class, suffix = Task, ".c"
    headers = ["stddef.h", "stdint.h", "stdio.h"]

    def __init__(self, seed):
        self.dice = dice = random.Random(seed)
        self.tasks = [self.task_class(dice, k) for k in range(dice.randint(3, 6))]
        self.arrays = []
        for task in self.tasks:
            for kind, _, columns, _ in task.pointers:
                needed = max(2, sum((k, c) == (kind, columns) for k, _, c, _ in task.pointers))
                while sum((a.kind, a.columns) == (kind, columns) for a in self.arrays) < needed:
                    self.arrays.append(Array(len(self.arrays), kind, columns))
        self.out = set()  # arrays that tasks may still be working on

    def call(self, task, indent):
        dice = self.dice
        arguments = [str(draw(dice)) for _, _, draw in task.values]
        used = []
        for pointer in task.pointers:
            kind, _, columns, _ = pointer
            free = [a for a in self.arrays if (a.kind, a.columns) == (kind, columns) and a not in used]
            array = dice.choice(free)
            used.append(array)
            inside = not columns and dice.random() >= 0.6 and task.values[0][1] == "n" and not self.reaches_far(task)
            arguments.append(task.argument(pointer, array, dice.randint(0, SIZE // 2 - 20) if inside else 0))
        self.out.update(used)
        call = f"{indent}{task.called()}({', '.join(arguments)});"
        if task.is_split() and dice.random() < 0.2:
            return f"{indent}#pragma streamap resource {dice.randint(1, 5)}:C\n{call}"
        return call

    @staticmethod
    def reaches_far(task):
        return any("2*i" in clause for clause in task.clauses) or "in(x[from:n])" in task.clauses

    def statement(self, indent):
        dice = self.dice
        form = dice.randrange(14)
        if form == 0:
            self.out.clear()
            return f"{indent}#pragma streamap wait"
        if form == 1 and self.out:
            array = dice.choice(sorted(self.out, key=lambda a: a.name))
            self.out.discard(array)
            whole = f"{array.name}[0:{SIZE // array.columns}][0:{array.columns}]" if array.columns else f"{array.name}[0:{SIZE}]"
            return f"{indent}#pragma streamap wait on({dice.choice([whole, array.name])})\n" + self.poke(array, indent)
        if form == 2:
            mine = [a for a in self.arrays if a not in self.out]
            if mine:
                return self.poke(dice.choice(mine), indent)
        if form == 3:
            times = dice.randint(1, 3)
            return f"{indent}for (int turn = 0; turn < {times}; turn++)\n" + self.call(dice.choice(self.tasks), indent + "    ")
        return self.call(dice.choice(self.tasks), indent)

    def poke(self, array, indent):
        place = f"[{self.dice.randrange(SIZE // array.columns)}][{self.dice.randrange(array.columns)}]" if array.columns else \
            f"[{self.dice.randrange(SIZE)}]"
        return f"{indent}{array.name}{place} += ({array.kind}){self.dice.randint(1, 99)};"

    def text(self):
        dice = self.dice
        parts = [*(f"#include <{header}>" for header in self.headers), f"#define TASKS {dice.randint(2, 4)}", "#define ONE 1", ""]
        for task in self.tasks:
            # The pragma at the prototype, the definition behind main; or both at once.
            task.late = dice.random() < 0.3 and task.may_be_late()
            parts += [*(task.prototype() if task.late else task.at_once()), ""]
        parts += [a.declare() for a in self.arrays] + [
            "", "static void show(const char *name, const void *data, size_t bytes)", "{", "    uint64_t hash = 14695981039346656037u;",
            "    for (size_t i = 0; i < bytes; i++)", "        hash = (hash ^ ((const unsigned char *)data)[i]) * 1099511628211u;",
            '    printf("%s %016llx\\n", name, (unsigned long long)hash);', "}", "",
            "static void fill(unsigned char *data, size_t bytes, unsigned k)", "{", "    for (size_t i = 0; i < bytes; i++)",
            "        data[i] = (unsigned char)((i + k) * 2654435761u >> 13);", "}", "", "int main(void)", "{"]
        parts += [f"    fill((unsigned char *){a.name}, sizeof {a.name}, {k});" for k, a in enumerate(self.arrays)]
        parts += [self.statement("    ") for _ in range(dice.randint(8, 30))]
        parts += ["    #pragma streamap wait"] + [f'    show("{a.name}", {a.name}, sizeof {a.name});' for a in self.arrays]
        parts += ["    return 0;", "}", ""]
        parts += [task.late_definition() + "\n" for task in self.tasks if task.late]
        return "\n".join(parts)


def check(source_class, seed, options):
    """Compiles and runs one source. Returns what is wrong, or None."""
    source = options.folder / f"source{seed}{source_class.suffix}"
    source.write_text(source_class(seed).text())
    binaries = []
    if source_class.suffix == ".c":
        compile_one, compilers = build.compile_c, (options.cc, options.streamap_cc)
    else:
        compile_one, compilers = build.compile_cxx, (options.cxx, options.streamap_cxx)
    for compiler, tag in zip(compilers, ("plain", "streamap")):
        binary = options.folder / f"source{seed}.{tag}"
        error = compile_one(compiler, [source], binary, ["-w"])  # random text is full of what one would be warned about
        if error:
            return error
        binaries.append(str(binary))
    expected = launch.run([binaries[0]], 20)
    if expected.code != 0:
        return f"{source}: by the plain compiler it ends with {expected.code}"
    for ranks in options.ranks:
        done = launch.run(launch.on_ranks(ranks, [binaries[1]]), 60)
        if done.code != 0 or done.timed_out or done.out != expected.out:
            return (f"{source} on {ranks} ranks: exit code {done.code}{', time limit' if done.timed_out else ''}\n"
                    f"{done.err}--- cc\n{expected.out}--- streamap-cc\n{done.out}")
    return None


def main(source_class=Source, description=__doc__):
    parser = build.parser(description)
    parser.add_argument("seed", type=int, nargs="?")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--seeds", default="1-20")
    build.add_options(parser)
    parser.add_argument("--ranks", type=int, action="append", default=[])
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if not options.check:
        print(source_class(options.seed or 1).text())
        return 0
    if any(options.ranks) and launch.missing():
        print(f"SKIP {launch.missing()}")
        return 77
    build.prepare_folder(options)
    first, _, last = options.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    begin, wrong = time.monotonic(), 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for error in pool.map(lambda seed: check(source_class, seed, options), seeds):
            if error:
                wrong += 1
                print(f"FAIL {error}", flush=True)
    print(f"{len(seeds)} random sources, {wrong} wrong ({time.monotonic() - begin:.0f} s)")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
