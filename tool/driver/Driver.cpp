//===- Driver.cpp - From argv to products -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "BinaryTools.h"
#include "Complaint.h"
#include "Config.h"
#include "LinkStep.h"
#include "PragmaScan.h"
#include "Scratch.h"
#include "SourceCompiler.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace streamap {

using namespace clang::driver;
using llvm::StringRef;

namespace {

/// One source and what is in it.
struct ScannedSource {
  const Input *Source;
  ScanResult Scan;
  bool hasDirectives() const { return !Scan.Directives.empty(); }
};

std::vector<std::string> joined(std::vector<std::string> First, llvm::ArrayRef<const char *> Rest) {
  First.insert(First.end(), Rest.begin(), Rest.end());
  return First;
}

/// Hands everything to the host compiler, with what all sources are compiled
/// with if there is one among the inputs.
llvm::Error passThrough(const Session &Current) {
  const bool Preprocesses = llvm::any_of(Current.Line->inputs(), [](const Input &In) { return In.isPreprocessed(); });
  Current.Variables.show();
  return become(Current.Host.command(llvm::ArrayRef<std::string>(
      joined(Preprocesses ? Current.standardArguments() : std::vector<std::string>(), Current.Line->original()))));
}

int printVersion(const Session &Current) {
  llvm::outs() << "StreamMAP " << ToolVersion << "\nhost compiler: ";
  llvm::Expected<Captured> Answer = captureOutput(Current.Host.command(llvm::ArrayRef<std::string>{"--version"}));
  if (!Answer)
    return showAndFail(Answer.takeError(), Current.ToolName);
  llvm::outs() << StringRef(Answer->Output).split('\n').first << '\n';
  return Answer->Status;
}

llvm::Expected<std::vector<ScannedSource>> scanSources(const Session &Current) {
  std::vector<ScannedSource> Sources;
  for (const Input &In : Current.Line->inputs()) {
    if (!In.isSource())
      continue;
    llvm::Expected<ScanResult> Scan = scanForDirectives(Current, In);
    if (!Scan)
      return Scan.takeError();
    Sources.push_back({&In, std::move(*Scan)});
  }
  return Sources;
}

/// Whether the command line only asks what the user's own text is, or is wrong
/// in a way that the host compiler has words for.
bool isForHostAlone(const CommandLine &Line) {
  const LastStep Step = Line.lastStep();
  if (Step == LastStep::Query || Step == LastStep::Dependences)
    return true;
  if (Step == LastStep::Preprocess && Line.args().hasArg(options::OPT_d_Group))
    return true; // -dM: the macros are the user's
  const bool OneOutput = !Line.output().empty() && Step != LastStep::Link && Step != LastStep::Relocatable;
  return OneOutput && llvm::count_if(Line.inputs(), [](const Input &In) { return In.isPreprocessed(); }) > 1;
}

/// Runs the host compiler over the sources without directives, or over one of
/// them: \p Keep says which inputs stay.
llvm::Expected<int> compilePlain(const Session &Current, llvm::function_ref<bool(unsigned)> Keep) {
  std::vector<std::string> Arguments = Current.standardArguments();
  for (std::string &Word : Current.Line->without([&](const llvm::opt::Arg &A) { return isInput(A) && !Keep(A.getIndex()); }))
    Arguments.push_back(std::move(Word));
  Current.Variables.show();
  llvm::Expected<int> Status = run(Current.Host.command(Arguments));
  Current.Variables.hide();
  return Status;
}

/// -c, -S, -E and -fsyntax-only: each source by itself, in order.
llvm::Expected<int> compileEach(const Session &Current, llvm::ArrayRef<ScannedSource> Sources) {
  auto Files = Scratch::create();
  if (!Files)
    return Files.takeError();
  SourceCompiler Compiler(Current, **Files);
  int Worst = 0;
  for (const ScannedSource &One : Sources) {
    llvm::Expected<int> Status = One.hasDirectives()
                                     ? Compiler.compile(*One.Source, One.Scan)
                                     : compilePlain(Current, [&](unsigned Index) { return Index == One.Source->Index; });
    if (!Status)
      return Status.takeError();
    Worst = std::max(Worst, *Status);
  }
  return Worst;
}

/// Compiles what has directives to private objects, then links them in place
/// of the sources.
llvm::Expected<int> compileAndLink(const Session &Current, llvm::ArrayRef<ScannedSource> Sources) {
  auto Files = Scratch::create();
  if (!Files)
    return Files.takeError();
  SourceCompiler Compiler(Current, **Files);
  LinkStep Link(Current, **Files);
  for (const ScannedSource &One : Sources) {
    if (!One.hasDirectives())
      continue;
    const StringRef Base = One.Source->isStandardInput() ? StringRef("-") : llvm::sys::path::stem(One.Source->Path);
    const std::string Object = (*Files)->file((Base + ".o").str());
    llvm::Expected<int> Status = Compiler.compile(*One.Source, One.Scan, Object);
    if (!Status || *Status != 0)
      return Status;
    Link.replace(*One.Source, Object);
  }
  return Link.run();
}

llvm::Expected<int> work(const Session &Current) {
  if (isForHostAlone(*Current.Line))
    return passThrough(Current);
  llvm::Expected<std::vector<ScannedSource>> Sources = scanSources(Current);
  if (!Sources)
    return Sources.takeError();
  const bool AnyDirective = llvm::any_of(*Sources, std::mem_fn(&ScannedSource::hasDirectives));
  if (Current.Line->lastStep() == LastStep::Link || Current.Line->lastStep() == LastStep::Relocatable) {
    if (AnyDirective)
      return compileAndLink(Current, *Sources);
    if (llvm::any_of(*Sources, [](const ScannedSource &One) { return One.Scan.UsesHeader; }) || needsRuntime(Current))
      return linkWithRuntime(Current);
  } else if (AnyDirective) {
    return compileEach(Current, *Sources);
  }
  return passThrough(Current);
}

} // namespace

llvm::Expected<int> drive(llvm::ArrayRef<const char *> Argv) {
  if (isBinaryTool(Argv.front()))
    return becomeBinaryTool(Argv);
  Session Current;
  Current.ToolName = llvm::sys::path::filename(Argv.front()).str();
  Current.Places = findLayout(Argv.front());
  auto Line = CommandLine::parse(Argv);
  if (!Line)
    return Line.takeError();
  Current.Line = std::move(*Line);
  if (Current.Line->own().Help) {
    printOwnHelp(llvm::outs(), Current.ToolName);
    return 0;
  }
  auto Host = HostCompiler::choose(*Current.Line, Current.Places);
  if (!Host)
    return Host.takeError();
  Current.Host = std::move(*Host);
  return Current.Line->own().Version ? printVersion(Current) : work(Current);
}

} // namespace streamap
