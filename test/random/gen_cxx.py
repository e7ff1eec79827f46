#!/usr/bin/env python3
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes random annotated C++ sources: the tasks of gen.py in the forms that C++ has for them.

Namespaces, static members, templates over element types and over values, spans, references, references to const; used like gen.py.
"""
import re
import sys

import gen

HOMES = ["plain", "plain", "static", "inline", "namespace", "anonymous", "member", "member of template"]


class Task(gen.Task):
    def __init__(self, dice, number):
        super().__init__(dice, number)
        self.home = dice.choice(HOMES)
        self.by_reference = {name for _, name, _ in self.values if dice.random() < 0.2}
        self.spans = {name for _, name, columns, _ in self.pointers if not columns and dice.random() < 0.5}
        self.single = None  # the pointer that is a reference
        if any("reduction" in clause and "[0:1]" in clause for clause in self.clauses) and dice.random() < 0.5:
            self.make_reference("s")
        kinds = sorted({kind for kind, *_ in self.pointers})
        self.parameter = dice.choice(kinds) if dice.random() < 0.5 else None  # the element type that is T
        self.trailing = dice.random() < 0.2

    def make_reference(self, name):
        self.single = name
        self.spans.discard(name)
        self.clauses = [clause.replace(f"{name}[0:1]", name) for clause in self.clauses]
        self.body = [line.replace(f"{name}[0]", name) for line in self.body]

    # ---- text ----

    def is_template(self):
        return self.parameter is not None or self.home == "member of template"

    def pointer_text(self, kind, name, columns, const):
        words = "T" if kind == self.parameter else kind
        words = f"const {words}" if const else words
        if name == self.single:
            return f"{words} &{name}"
        if name in self.spans:
            return f"std::span<{words}> {name}"
        return f"{words} {name}[{gen.SIZE // columns}][{columns}]" if columns else f"{words} *{name}"

    def signature(self):
        values = [f"const {kind} &{name}" if name in self.by_reference else f"{kind} {name}" for kind, name, _ in self.values]
        parameters = ", ".join(values + [self.pointer_text(*pointer) for pointer in self.pointers])
        head = f"auto {self.name}({parameters}) -> void" if self.trailing else f"void {self.name}({parameters})"
        head = {"static": "static ", "inline": "inline ", "member": "static ", "member of template": "static "}.get(self.home, "") + head
        return f"template <class T>\n{head}" if self.parameter else head

    def may_be_late(self):
        return "member" not in self.home

    def within(self, lines):
        """Lines of a declaration or definition, in the task's namespace or class."""
        opening = {"namespace": f"namespace n{self.name} {{", "anonymous": "namespace {", "member": f"struct s{self.name} {{",
                   "member of template": f"template <int N>\nstruct s{self.name} {{"}.get(self.home)
        closing = "};" if "member" in self.home else "}"
        return [opening, *lines, closing] if opening else lines

    def prototype(self):
        self.directive = self.pragma()
        return self.within([self.directive, self.signature() + ";"])

    def at_once(self):
        return self.within([self.pragma(), self.definition()])

    def late_definition(self):
        # Templates and inline functions need their directive again at the definition.
        again = [self.directive] if self.is_template() or self.home == "inline" else []
        return "\n".join(self.within([*again, self.definition()]))

    def called(self):
        scope = {"namespace": f"n{self.name}::", "member": f"s{self.name}::", "member of template": f"s{self.name}<7>::"}.get(self.home, "")
        return scope + self.name + (f"<{self.parameter}>" if self.parameter else "")

    def argument(self, pointer, array, offset):
        kind, name, _, const = pointer
        if name == self.single:
            return f"{array.name}[{offset}]"
        if name in self.spans and offset:
            return f"std::span<{'const ' if const else ''}{kind}>({array.name} + {offset}, {gen.SIZE - offset})"
        return super().argument(pointer, array, offset)


class Source(gen.Source):
    task_class, suffix = Task, ".cpp"
    headers = ["cstddef", "cstdint", "cstdio", "span"]

    def text(self):
        # C's own names are those of the C++ headers in std, too; void * does not turn into another pointer by itself.
        return re.sub(r"\bsize_t\b", "std::size_t", super().text().replace("uint64_t", "std::uint64_t"))


if __name__ == "__main__":
    sys.exit(gen.main(Source, __doc__))
