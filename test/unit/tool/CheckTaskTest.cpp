//===- CheckTaskTest.cpp - What a task may not do, case by case -----------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each case is C source in which `task` is checked as a task, and functions
// named callable... are taken as declared callable. What is expected is the
// numbers, with the lines they are reported on.
//
//===----------------------------------------------------------------------===//

#include "frontend/CheckTask.h"
#include "frontend/CheckTaskSubscripts.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Frontend/TextDiagnosticBuffer.h"
#include "clang/Tooling/Tooling.h"

#include <gtest/gtest.h>

using namespace streamap;

namespace {

/// Collects "number@line".
class Collector : public clang::DiagnosticConsumer {
public:
  std::vector<std::string> Found;
  std::vector<std::string> Notes;

  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level, const clang::Diagnostic &Info) override {
    llvm::SmallString<128> Text;
    Info.FormatDiagnostic(Text);
    if (Level == clang::DiagnosticsEngine::Note) {
      Notes.push_back(Text.str().str());
      return;
    }
    unsigned Line = Info.getSourceManager().getPresumedLineNumber(Info.getLocation());
    llvm::StringRef Number = llvm::StringRef(Text).rsplit("[SM").second.drop_back(1);
    Found.push_back((Number + "@" + llvm::Twine(Line)).str());
  }
};

/// A section of the task's parameter number \p Parameter.
struct SectionOfCase {
  unsigned Parameter;
  std::vector<KnownSection::Axis> Axes;
};

/// Checks `task` in \p Source: its subscripts if there are \p Sections, else
/// everything else.
Collector run(const char *Source, const std::vector<SectionOfCase> &Sections = {}) {
  Collector Collected;
  std::unique_ptr<clang::ASTUnit> Unit = clang::tooling::buildASTFromCodeWithArgs(
      Source, {"-std=gnu11", "-resource-dir=" STREAMAP_CLANG_RESOURCE_DIR, "-Wno-everything"}, "case.c");
  if (!Unit || Unit->getDiagnostics().hasErrorOccurred()) {
    ADD_FAILURE() << "the case does not compile";
    return Collected;
  }
  clang::DiagnosticsEngine &Engine = Unit->getDiagnostics();
  Engine.setClient(&Collected, /*ShouldOwnClient=*/false);
  Reporter Report(Engine);
  CallableSet Callable;
  const clang::FunctionDecl *Task = nullptr;
  for (const clang::Decl *D : Unit->getASTContext().getTranslationUnitDecl()->decls()) {
    const auto *Function = llvm::dyn_cast<clang::FunctionDecl>(D);
    if (Function && Function->getName().starts_with("callable"))
      Callable.insert(Function->getCanonicalDecl());
    if (Function && Function->getName() == "task" && Function->hasBody())
      Task = Function;
  }
  std::vector<KnownSection> Known;
  for (const SectionOfCase &Section : Sections)
    Known.push_back({Task->getParamDecl(Section.Parameter), Section.Axes, "shown"});
  if (Known.empty())
    checkTask(*Task, Callable, Report);
  else
    checkSubscripts(*Task, Known, Report);
  return Collected;
}

std::vector<std::string> check(const char *Source) {
  return run(Source).Found;
}

using Numbers = std::vector<std::string>;

struct Case {
  const char *Source;
  Numbers Expected;
};

void checkAll(std::initializer_list<Case> Cases) {
  for (const Case &Each : Cases) {
    SCOPED_TRACE(Each.Source);
    EXPECT_EQ(check(Each.Source), Each.Expected);
  }
}

TEST(CheckTask, SignatureRules) {
  checkAll({
      {"void task(void) {}", {}},
      {"void task() {}", {}},
      {"void task(int n, double x, float *y, const float z[n]) {}", {}},
      {"void task(int n, int m, float y[n][m], float (*w)[4]) {}", {}},
      {"int task(void) { return 0; }", {"1401@1"}},
      {"float *task(void) { return 0; }", {"1401@1"}},
      {"void task(int n, ...) {}", {"1402@1"}},
      {"void task(n, y) int n; float *y; {}", {"1403@1"}},
      {"void task(float **y) {}", {"1404@1"}},
      {"void task(float *y[4]) {}", {"1404@1"}},
      {"void task(const char *const *y) {}", {"1404@1"}},
      {"void task(void (*f)(int)) {}", {"1405@1"}},
      {"void task(void f(int)) {}", {"1405@1"}},
      {"typedef int (*fn)(void); void task(fn f[4]) {}", {"1405@1"}},
      {"int task(float **y, void (*f)(void), ...) { return 0; }", {"1401@1", "1402@1", "1404@1", "1405@1"}},
  });
}

TEST(CheckTask, PointersInValuesAndElements) {
  checkAll({
      {"struct p { double x, y; int k[3]; union { int a; float b; } u; enum { A } e; };\nvoid task(struct p s, struct p *t) {}",
       {}},
      {"struct l { struct l *next; };\nvoid task(struct l s) {}", {"1406@2"}},
      {"struct l { struct l *next; };\nvoid task(struct l *s) {}", {"1407@2"}},
      {"struct v { int n; struct { float w; char *name; } in; };\nvoid task(struct v *s) {}", {"1407@2"}},
      {"union u { long l; void *p; };\nstruct s { union u a[3][2]; };\nvoid task(struct s s) {}", {"1406@3"}},
      {"struct s { int (*f)(void); };\nvoid task(int n, struct s s[n][n]) {}", {"1407@2"}},
      {"struct s { struct { struct { int *q; }; }; };\nvoid task(struct s s) {}", {"1406@2"}},
      {"typedef int *ip; struct s { ip p; };\nvoid task(struct s s) {}", {"1406@2"}},
      {"struct s { _Atomic(int *) p; };\nvoid task(struct s *s) {}", {"1407@2"}},
      {"#include <stdarg.h>\nvoid task(va_list s) {}", {"1407@2"}},
      {"#include <stdint.h>\nstruct s { uintptr_t p; };\nvoid task(struct s s) {}", {}},
  });
  EXPECT_EQ(run("struct s { struct { struct { int *q; }; } a; };\nvoid task(struct s s) {}").Notes,
            Numbers({"what it points to would not travel; pass it as a parameter of its own", "declared here"}));
}

TEST(CheckTask, MutableVariables) {
  checkAll({
      {"int g;\nvoid task(void) { g = 1; }", {"1408@2"}},
      {"int g;\nvoid task(int *x) { *x = g; }", {"1408@2"}},
      {"static int g;\nvoid task(int *x) { int *p = &g; *x = *p; }", {"1408@2"}},
      {"extern int g;\nvoid task(int *x) { *x = g; }", {"1408@2"}},
      {"_Thread_local int g;\nvoid task(int *x) { *x = g; }", {"1408@2"}},
      {"int g[4];\nvoid task(int *x) { *x = g[0] + g[1];\n g[2] = 0; }", {"1408@2"}},
      {"int g, h;\nvoid task(int *x) { *x = g;\n*x += h; }", {"1408@2", "1408@3"}},
      {"volatile const int g;\nvoid task(int *x) { *x = g; }", {"1408@2"}},
      {"const int g = 4; enum { E }; static const double t[2] = {1, 2};\nvoid task(int *x) { *x = g + E + (int)t[1]; }", {}},
      {"int g;\nvoid task(int *x) { *x = sizeof g; typeof(g) y = 0; *x += y; }", {}},
      {"int g;\nvoid task(int *x) { *x = _Generic(g, int: 1, default: g); }", {}},
      {"void task(int *x) {\n static int n; *x = n++; }", {"1409@2"}},
      {"void task(int *x) {\n static const int n = 4; *x = n; }", {}},
      {"int g; int *const p = &g;\nvoid task(int *x) { *x = *p; }", {"1408@1"}},
      {"static const char *const names[] = {\"a\", \"b\"};\nvoid task(char *x) { *x = *names[1]; }", {}},
      {"#include <stdio.h>\nvoid task(int *x) { fprintf(stderr, \"%d\", *x); printf(\"x\"); }", {}},
      {"#include <unistd.h>\nvoid task(int *x) {\n *x = optind; }", {"1408@3"}},
  });
}

TEST(CheckTask, FollowsVisibleFunctions) {
  checkAll({
      {"int g;\nstatic void f(void) { g++; }\nvoid task(void) { f(); }", {"1408@2"}},
      {"int g;\nvoid f(void);\nvoid task(void) { f(); }\nvoid f(void) {\n g++; }", {"1408@5"}},
      {"int g;\nstatic int k(void) { return g; }\nstatic int h(void) { return k(); }\nvoid task(int *x) { *x = h(); }",
       {"1408@2"}},
      {"static int k(void) {\n static int n; return n++; }\nvoid task(int *x) { *x = k(); }", {"1409@2"}},
      {"static int k(int n) { return n ? n * k(n - 1) : 1; }\nvoid task(int *x) { *x = k(3); }", {}},
      {"int g; static int cmp(const void *a, const void *b) {\n return g; }\n#include <stdlib.h>\n"
       "void task(int *x) { qsort(x, 4, 4, cmp); }",
       {"1408@2"}},
      {"int g; static int f(void) {\n return g; }\nstatic int (*const table[])(void) = {f};\nvoid task(int *x) {\n *x = "
       "table[0](); }",
       {"1503@5", "1408@2"}},
  });
  EXPECT_EQ(
      run("int g;\nstatic int k(void) { return g; }\nstatic int h(void) { return k(); }\nvoid task(int *x) { *x = h(); }").Notes,
      Numbers({"a task may run on another rank; pass it as a parameter", "'k' is called here", "'h' is called here"}));
}

TEST(CheckTask, FunctionsWithoutABody) {
  checkAll({
      {"void f(int);\nvoid task(int n) {\n f(n); f(n); }", {"1502@3"}},
      {"void callable_f(int);\nvoid task(int n) { callable_f(n); }", {}},
      {"int g; void callable_f(int n) { g = n; }\nvoid task(int n) { callable_f(n); }", {}},
      {"long streamap_task_index(void);\nvoid task(long *x) { *x = streamap_task_index(); }", {}},
      {"#include <math.h>\n#include <string.h>\n#include <stdlib.h>\nvoid task(double *x) { x[0] = sin(x[1]); memset(x, 0, 8); "
       "free(malloc(3)); }",
       {}},
      {"void task(double *x) { x[0] = __builtin_sqrt(x[1]); }", {}},
      {"void task(int n, int (*const f)(void), int *x) { *x = f(); }", {"1405@1", "1503@1"}},
  });
}

TEST(CheckTask, LibraryFunctionsWithAState) {
  checkAll({
      {"#include <stdlib.h>\nvoid task(int *x) {\n *x = rand(); }", {"1501@3"}},
      {"int rand(void);\nvoid task(int *x) {\n *x = rand(); }", {"1501@3"}},
      {"#include <stdlib.h>\nstatic int roll(void) {\n return rand(); }\nvoid task(int *x) { *x = roll(); }", {"1501@3"}},
      {"#include <string.h>\nvoid task(char *x) {\n strtok(x, \",\"); }", {"1501@3"}},
      {"#include <locale.h>\nvoid task(void) {\n setlocale(LC_ALL, \"C\"); }", {"1501@3"}},
      {"#include <stdlib.h>\nvoid task(unsigned *x) { *x = rand_r(x); }", {}},
      {"static int rand(void) { return 4; }\nvoid task(int *x) { *x = rand(); }", {}},
      {"#include <stdio.h>\nvoid task(int *x) {\n scanf(\"%d\", x); }", {"1501@3"}},
      {"#include <setjmp.h>\nvoid task(int *x) { jmp_buf b;\n if (setjmp(b)) return;\n longjmp(b, 1); }", {"1410@3", "1410@4"}},
      {"#include <stdlib.h>\nvoid task(int *x) {\n exit(*x); }", {"1411@3"}},
      {"#include <assert.h>\nvoid task(int *x) { assert(*x); }", {}},
      {"void task(int *x) {\n __asm__ volatile(\"nop\"); __asm__ volatile(\"\" ::: \"memory\"); }", {"1412@2"}},
  });
}

TEST(CheckSubscripts, TellsWhatIsSurelyOutside) {
  using Axis = KnownSection::Axis;
  const std::optional<int64_t> Unknown;
  auto found = [](const char *Source, std::vector<SectionOfCase> Sections) { return run(Source, Sections).Found; };
  std::vector<SectionOfCase> Four = {{0, {Axis{0, 4}}}};

  EXPECT_EQ(found("void task(int *x) { x[0] = x[3];\n x[4] = 1; }", Four), Numbers({"1211@2"}));
  EXPECT_EQ(found("void task(int *x) { x[-1] = 1; }", Four), Numbers({"1211@1"}));
  EXPECT_EQ(found("enum { N = 9 }; void task(int *x) { (x)[N - 1]++; }", Four), Numbers({"1211@1"}));
  EXPECT_EQ(found("void task(int *x, int n) { x[n] = x[n + 4]; }", Four), Numbers());
  EXPECT_EQ(found("void task(int *x) { x[x[7]] = 0; }", Four), Numbers({"1211@1"}));
  // Two sections, and what lies between them.
  std::vector<SectionOfCase> Two = {{0, {Axis{0, 2}}}, {0, {Axis{4, 2}}}};
  EXPECT_EQ(found("void task(int *x) { x[1] = x[5];\n x[2] = 0; }", Two), Numbers({"1211@2"}));
  // Bounds that are not known, wholly or in part.
  EXPECT_EQ(found("void task(int *x) { x[9] = 0; }", {{0, {Axis{0, Unknown}}}}), Numbers());
  EXPECT_EQ(found("void task(int *x) { x[-1] = 0; }", {{0, {Axis{0, Unknown}}}}), Numbers({"1211@1"}));
  EXPECT_EQ(found("void task(int *x) { x[9] = 0; }", {{0, {Axis{0, 4}}}, {0, {Axis{Unknown, 1}}}}), Numbers());
  // Several dimensions.
  std::vector<SectionOfCase> Block = {{0, {Axis{0, 2}, Axis{Unknown, 3}}}};
  EXPECT_EQ(found("void task(int (*a)[8]) { a[1][9] = 0;\n a[2][0] = 0; }", Block), Numbers({"1211@2"}));
}

TEST(CheckSubscripts, LeavesAloneWhatMayBeRight) {
  std::vector<SectionOfCase> Four = {{0, {KnownSection::Axis{0, 4}}}};
  for (const char *Source : {
           "void task(int *x) { x += 4; x[-4] = 0; }",
           "void task(int *x) { int **p = &x; ++*p; x[4] = 0; }",
           "void task(int *x) { for (int *p = x; p != &x[4]; p++) *p = 0; }",
           "void task(int *x) { if (0) x[4] = 0; x[0] = 1 ? x[1] : x[9]; }",
           "void task(int *x) { x[0] = sizeof x[9]; }",
           "void task(int *x, int *y) { y[9] = 0; }",
       })
    EXPECT_EQ(run(Source, Four).Found, Numbers()) << Source;
}

} // namespace
