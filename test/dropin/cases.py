# Command lines that a build may give to a C or C++ compiler.
#
# Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table: what is called, in which folder, on which files.

`{cc}` is the compiler. Sources are in `FILES`, the same for every case. Words before `:` say what may differ:
  same   nothing: exit code, what is printed, every file and its bytes
  names  the bytes of objects and programs, since they tell a directive or the macro __STREAMAP__; all else is the same
"""

PLAIN_C = r"""#include <stdio.h>
#include "number.h"
#ifndef GREETING
#define GREETING "plain"
#endif
int twice(int x) { return 2 * x; }
#ifndef NO_MAIN
int main(void) { printf(GREETING " %d\n", twice(NUMBER)); return 0; }
#endif
"""

TASK_C = r"""#include <stdio.h>
#include "number.h"
#ifndef URGENCY
#define URGENCY 1
#endif
#pragma streamap resource 2:C split(i) in(x[i]) inout(y[i]) priority(URGENCY)
void add(int n, const int *x, int *y)
{
    for (int i = 0; i < n; i++)
        y[i] += x[i];
}
#ifndef NO_MAIN
int main(void)
{
    int x[3] = {1, 2, 3}, y[3] = {NUMBER, 0, 0};
    add(3, x, y);
    #pragma streamap wait
    printf("%d %d %d\n", y[0], y[1], y[2]);
    return 0;
}
#endif
"""

WHERE_C = r"""#include <stdio.h>
#include "here.h"
#include "../where.h"
#pragma streamap resource 1:C inout(x[0:1])
void one(int *x) { x[0] = 1; }
int main(void) { puts(where), puts(here), puts(WHERE); return 0; }
"""

FILES = {
    "plain.c": PLAIN_C,
    "task.c": TASK_C,
    "number.h": "#define NUMBER 41\n",
    "include/number.h": "#define NUMBER 7\n",
    "system/number.h": "#define NUMBER 8\n",
    "other.c": "int other(void) { return 3; }\n",
    "plain.cc": "#include <vector>\nint main() { std::vector<int> v(3); return static_cast<int>(v.size()) - 3; }\n",
    "warns.c": "int f(void) { int unused; return 0; }\n",
    "wrong.c": "int f(void) { return undeclared; }\n",
    "missing.c": "#include \"generated.h\"\nint f(void) { return 0; }\n",
    "lines.c": "#line 100 \"from.y\"\nint f(void) { return undeclared; }\n",
    "date.c": "const char *f(void) { return __DATE__ __TIME__; }\n",
    "macro.h": "#define GREETING \"macro\"\n",
    "assembly.s": "\t.globl number\n\t.data\nnumber:\t.long 3\n\t.section .note.GNU-stack,\"\",@progbits\n",
    "assembly.S": "#define VALUE 3\n\t.globl number\n\t.data\nnumber:\t.long VALUE\n\t.section .note.GNU-stack,\"\",@progbits\n",
    "ready.i": "int f(void) { return 0; }\n",
    "header.h": "#ifndef HEADER_H\n#define HEADER_H\nint other(void);\n#endif\n",
    "flags.rsp": "-O1 -DGREETING=\\\"response\\\" -c\n",
    "outer.rsp": "@flags.rsp -Wall\n",
    "a folder/it's.c": "int f(void) { return 0; }\n",
    "crlf.c": "int f(void)\r\n{\r\n\treturn 0;\r\n}\r\n",
    "no_newline.c": "int f(void) { return 0; }",
    "empty.c": "",
    "comment.c": "// #pragma streamap resource 1:C\nint f(void) { return 0; }\n",
    "library.map": "{ global: twice; local: *; };\n",
    "where.h": "#define WHERE __FILE__\nstatic const char where[] = __FILE__;\n",
    "here.h": "static const char here[] = __FILE__;\n",
    "where.c": WHERE_C.replace("../", ""),
    "sub/where.c": WHERE_C,
    "sub/here.h": "static const char here[] = __FILE__;\n",
    "sub/deep.c": "#include \"../number.h\"\nint f(void) { return NUMBER; }\n",
    "build/.keep": "",
}

# name: (kind, command line, a shell's)
CASES = {
    # Steps and outputs.
    "object": ("same", "{cc} -c plain.c"),
    "object, named": ("same", "{cc} -c plain.c -o build/x.o"),
    "object, -o joined": ("same", "{cc} -c plain.c -obuild/x.o"),
    "object of a folder below": ("same", "{cc} -c sub/deep.c"),
    "program": ("same", "{cc} plain.c && ./a.out"),
    "program, named": ("same", "{cc} plain.c -o build/program && build/program"),
    "two sources, one program": ("same", "{cc} plain.c other.c -o program && ./program"),
    "two sources, two objects": ("same", "{cc} -c plain.c other.c"),
    "two sources, one output": ("same", "{cc} -c plain.c other.c -o x.o"),
    "objects, then a program": ("same", "{cc} -c plain.c && {cc} -c other.c && {cc} plain.o other.o -o program"),
    "assembly of a source": ("same", "{cc} -S -O2 plain.c"),
    "assembly to the standard output": ("same", "{cc} -S plain.c -o -"),
    "preprocessed": ("same", "{cc} -E plain.c"),
    "preprocessed, to a file": ("same", "{cc} -E plain.c -o plain.i"),
    "preprocessed, without lines": ("same", "{cc} -E -P plain.c"),
    "preprocessed, with comments": ("same", "{cc} -E -C comment.c"),
    "macros": ("same", "{cc} -E -dM plain.c | grep -v __STREAMAP__"),
    "syntax only": ("same", "{cc} -fsyntax-only plain.c"),
    "output thrown away": ("same", "{cc} -c plain.c -o /dev/null"),
    "output into no folder": ("same", "{cc} -c plain.c -o nowhere/x.o"),
    "output is a folder": ("same", "{cc} -c plain.c -o build"),
    # Kinds of inputs.
    "from the standard input": ("same", "{cc} -x c -c - -o x.o < plain.c"),
    "from the standard input, preprocessed": ("same", "{cc} -E - < plain.c"),
    "standard input without a language": ("same", "{cc} -c - < plain.c"),
    "-x, -x none": ("same", "{cc} -c -x c++ other.c -x none plain.c"),
    "-xc joined": ("same", "{cc} -c -xc++ other.c"),
    "assembly": ("same", "{cc} -c assembly.s"),
    "assembly with macros": ("same", "{cc} -c assembly.S"),
    "preprocessed input": ("same", "{cc} -c ready.i"),
    "C++ by its name": ("same", "{cc} -c plain.cc"),
    "empty file": ("same", "{cc} -c empty.c"),
    "carriage returns": ("same", "{cc} -c crlf.c"),
    "no newline at the end": ("same", "{cc} -c no_newline.c"),
    "directive in a comment": ("same", "{cc} -c comment.c"),
    "header": ("names", "{cc} -c header.h -o build/header.h.gch"),
    "absolute path": ("same", "{cc} -c \"$PWD/plain.c\" -o build/x.o"),
    "spaces and quotes": ("same", "{cc} -c \"a folder/it's.c\" -o \"a folder/it's.o\""),
    "dots in a path": ("same", "{cc} -c ./sub/../plain.c"),
    "behind --": ("same", "{cc} -c -o x.o -- plain.c"),
    "missing source": ("same", "{cc} -c none.c"),
    "missing object": ("same", "{cc} none.o -o program"),
    "a folder as source": ("same", "{cc} -c sub"),
    "no input": ("same", "{cc}"),
    "no input, -c": ("same", "{cc} -c"),
    # Options for headers and macros.
    "-I": ("same", "{cc} -Iinclude -include include/number.h -E sub/deep.c"),
    "-iquote, -isystem, -idirafter": ("same", "{cc} -iquote include -isystem system -idirafter sub -E plain.c"),
    "-include, -imacros": ("same", "{cc} -include header.h -imacros macro.h plain.c -o program && ./program"),
    "-D with quotes": ("same", "{cc} -DGREETING='\"a b\"' plain.c -o program && ./program"),
    "-D apart, -U": ("same", "{cc} -D NO_MAIN -U NO_MAIN -E plain.c"),
    "-nostdinc": ("same", "{cc} -nostdinc -E sub/deep.c"),
    "CPATH": ("same", "CPATH=include {cc} -E plain.c"),
    "header missing": ("same", "{cc} -c missing.c"),
    "date as given": ("same", "SOURCE_DATE_EPOCH=1 {cc} -c date.c"),
    # Dependences.
    "-M": ("same", "{cc} -M plain.c"),
    "-MM": ("same", "{cc} -MM plain.c sub/deep.c"),
    "-MM of a missing header": ("same", "{cc} -MM missing.c"),
    "-MM -MG": ("same", "{cc} -MM -MG missing.c"),
    "-MD": ("same", "{cc} -MD -c plain.c"),
    "-MMD": ("same", "{cc} -MMD -c plain.c -o build/x.o"),
    "-MMD -MF -MT -MP": ("same", "{cc} -MMD -MF build/d -MT 'x y' -MT z -MP -c plain.c"),
    "-MMD -MQ": ("same", "{cc} -MMD -MQ 'a$b c' -c plain.c"),
    "-MMD, two sources": ("same", "{cc} -MMD -c plain.c other.c"),
    "-Wp,-MMD": ("same", "{cc} -Wp,-MMD,build/d -c plain.c"),
    "DEPENDENCIES_OUTPUT": ("same", "DEPENDENCIES_OUTPUT='build/d x.o' {cc} -c plain.c"),
    # Response files.
    "@file": ("same", "{cc} @flags.rsp plain.c"),
    "@file in a file": ("same", "{cc} @outer.rsp plain.c"),
    "@file missing": ("same", "{cc} @none.rsp -c plain.c"),
    # Files beside the output.
    "-save-temps": ("same", "{cc} -save-temps -c plain.c"),
    "-save-temps=obj": ("same", "{cc} -save-temps=obj -c plain.c -o build/x.o"),
    "--coverage": ("names", "{cc} --coverage plain.c -o program && ./program"),
    "-gsplit-dwarf": ("same", "{cc} -g -gsplit-dwarf -c plain.c"),
    "-fstack-usage": ("same", "{cc} -fstack-usage -c plain.c"),
    "-pipe": ("same", "{cc} -pipe -c plain.c"),
    "-flto": ("names", "{cc} -O2 -flto plain.c other.c -o program && ./program"),
    # Options with arguments of their own, in every way to write them.
    "-std, -ansi, -pedantic": ("same", "{cc} -std=c99 -pedantic -Wall -c plain.c"),
    "-Wa, -Xassembler": ("same", "{cc} -Wa,--noexecstack -Xassembler --noexecstack -c plain.c"),
    "-Wl, -Xlinker": ("same", "{cc} -Wl,-O1 -Xlinker --as-needed plain.c -o program"),
    "-l, -L": ("same", "{cc} plain.c -Lbuild -lm -lpthread -pthread -o program"),
    "library missing": ("names", "{cc} plain.c -lnone -o program"),
    "-shared": ("same", "{cc} -shared -fPIC -DNO_MAIN plain.c -o libplain.so -Wl,--version-script=library.map"),
    "-static": ("same", "{cc} -static plain.c -o program && ./program"),
    "-r": ("same", "{cc} -c plain.c other.c && {cc} -r plain.o other.o -o both.o -nostdlib"),
    "archive": ("same", "{cc} -c other.c && ar rcD libother.a other.o && {cc} plain.c libother.a -o program"),
    "-ffile-prefix-map": ("same", "{cc} -g -ffile-prefix-map=\"$PWD\"=/there -c plain.c"),
    "-fdebug-prefix-map, -g3": ("names", "{cc} -g3 -fdebug-prefix-map=\"$PWD\"=/there -c plain.c"),
    "-fvisibility, -fPIE": ("same", "{cc} -fvisibility=hidden -fPIE -O3 -march=x86-64-v2 -c plain.c"),
    "-fsanitize": ("same", "{cc} -fsanitize=undefined -c plain.c"),
    "-fopenmp": ("same", "{cc} -fopenmp -c plain.c"),
    # Messages.
    "a warning": ("same", "{cc} -Wall -c warns.c"),
    "a warning as error": ("same", "{cc} -Wall -Werror -c warns.c"),
    "an error": ("same", "{cc} -c wrong.c"),
    "an error behind #line": ("same", "{cc} -c lines.c"),
    "an error among several": ("same", "{cc} -c plain.c wrong.c other.c"),
    "colours": ("same", "{cc} -fdiagnostics-color=always -c wrong.c"),
    "option unknown": ("same", "{cc} -fno-such-option-at-all -c plain.c"),
    "an option's argument is missing": ("same", "{cc} -c plain.c -o"),
    "undefined symbol": ("names", "{cc} -DNO_MAIN plain.c -o program"),
    # Questions.
    "--version": ("same", "{cc} --version"),
    "-dumpmachine": ("same", "{cc} -dumpmachine"),
    "-dumpversion": ("same", "{cc} -dumpversion"),
    "-print-file-name": ("same", "{cc} -print-file-name=libc.so"),
    "-print-prog-name": ("same", "{cc} -print-prog-name=ld"),
    "-print-multiarch": ("same", "{cc} -print-multiarch"),
    "-print-search-dirs": ("same", "{cc} -print-search-dirs"),
    "--help": ("same", "{cc} --help | head -n 3"),
    # The same with a directive: what is not an object or a program is as with the plain compiler.
    "task: object": ("names", "{cc} -c task.c"),
    "task: object, named": ("names", "{cc} -c task.c -o build/x.o"),
    "task: program": ("names", "{cc} task.c -o program && ./program"),
    "task: objects, then a program": ("names", "{cc} -c task.c && {cc} -c other.c && {cc} task.o other.o -o program && ./program"),
    "task: from the standard input": ("names", "{cc} -x c - -o program < task.c && ./program"),
    "task: -MMD": ("names", "{cc} -MMD -c task.c -o build/x.o"),
    "task: -MMD -MF -MT -MP": ("names", "{cc} -MMD -MF build/d -MT 'x y' -MT z -MP -c task.c"),
    "task: -M": ("names", "{cc} -M task.c"),
    "task: -Wp,-MD": ("names", "{cc} -Wp,-MD,build/d -c task.c"),
    "task: DEPENDENCIES_OUTPUT": ("names", "DEPENDENCIES_OUTPUT='build/d x.o' {cc} -c task.c"),
    "task: -fsyntax-only": ("names", "{cc} -fsyntax-only task.c"),
    "task: -gsplit-dwarf": ("names", "{cc} -g -gsplit-dwarf -c task.c"),
    "task: -flto": ("names", "{cc} -O2 -flto task.c other.c -o program && ./program"),
    "task: -pipe, response file": ("names", "{cc} -pipe -Wno-unknown-pragmas @flags.rsp task.c"),
    "task: -include": ("names", "{cc} -include header.h task.c -o program && ./program"),
    "task: __FILE__ in headers": ("names", "{cc} where.c && ./a.out && {cc} sub/where.c && ./a.out && {cc} \"$PWD/where.c\" && ./a.out"),
    "task: __FILE__ in headers by -I.": ("names", "{cc} -I. -Isub where.c && ./a.out"),
    "task: absolute path": ("names", "{cc} -c \"$PWD/task.c\" -MMD"),
    "task: several sources": ("names", "{cc} -MMD -c task.c plain.c"),
    "task: several sources, one output": ("names", "{cc} -c task.c plain.c -o x.o"),
    "task: into no folder": ("names", "{cc} -c task.c -o nowhere/x.o"),
    "task: wrong option": ("names", "{cc} -fno-such-option-at-all -c task.c"),
    "task: wrong text": ("names", "{cc} -include wrong.c -c task.c"),
    "task: header missing, -MMD": ("names", "{cc} -MMD -include none.h -c task.c"),
    "task: dependences into no folder": ("names", "set -o pipefail; {cc} -MMD -MF nowhere/d -c task.c 2>&1 | grep -o nowhere/d.*"),
    "task: wrong text, -MMD": ("names", "{cc} -MMD -include wrong.c -c task.c"),
}
