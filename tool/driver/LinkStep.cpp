//===- LinkStep.cpp - Linking, with the runtime where tasks are -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinkStep.h"
#include "Complaint.h"
#include "LinkInputs.h"
#include "TextFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/Program.h"

namespace streamap {

using namespace clang::driver;
using llvm::StringRef;
using llvm::opt::Arg;

namespace {

/// A link that libstreamap may be added to.
bool takesLibraries(const CommandLine &Line) {
  return Line.lastStep() == LastStep::Link &&
         !Line.args().hasArg(options::OPT_nostdlib, options::OPT_nodefaultlibs, options::OPT_r);
}

/// libstreamap interposes the program's entry, so it has to be a shared library.
llvm::Error checkDynamic(const CommandLine &Line) {
  if (const Arg *Static = Line.args().getLastArg(options::OPT_static, options::OPT_static_pie))
    return complain(Diag::StaticLink, {Static->getSpelling().str()});
  return llvm::Error::success();
}

/// Stands before all inputs. First among the libraries that the program needs,
/// libstreamap comes before libc in the search for symbols, even if the user
/// names -lc; by its path, it changes nothing about where -l looks. The program
/// may need it for its entry alone, hence no-as-needed.
std::vector<std::string> runtimeArguments(const Session &Current) {
  const std::string &Directory = Current.Places.LibraryDirectory;
  return {"-Wl,--push-state,--no-as-needed", Directory + "/libstreamap.so", "-Wl,--pop-state"};
}

/// Stands behind all inputs: the user's own run paths come first.
std::vector<std::string> runPathArguments(const Session &Current) {
  return {"-Wl,-rpath," + Current.Places.LibraryDirectory};
}

std::vector<std::string> operator+(std::vector<std::string> Left, const std::vector<std::string> &Right) {
  Left.insert(Left.end(), Right.begin(), Right.end());
  return Left;
}

/// gcc and Clang read response files with backslashes before what is special.
std::string responseText(llvm::ArrayRef<std::string> Words) {
  std::string Text;
  for (const std::string &Word : Words) {
    for (char C : Word) {
      if (StringRef(" \t\n\r\\\"'").contains(C))
        Text += '\\';
      Text += C;
    }
    Text += Word.empty() ? "\"\"\n" : "\n";
  }
  return Text;
}

} // namespace

bool needsRuntime(const Session &Current) {
  return takesLibraries(*Current.Line) &&
         llvm::any_of(findLinkFiles(Current), [](const std::string &Path) { return refersToRuntime(Path); });
}

llvm::Error linkWithRuntime(const Session &Current) {
  if (llvm::Error Problem = checkDynamic(*Current.Line))
    return Problem;
  std::vector<std::string> Written(Current.Line->original().begin(), Current.Line->original().end());
  const bool Preprocesses = llvm::any_of(Current.Line->inputs(), [](const Input &In) { return In.isPreprocessed(); });
  std::vector<std::string> Standard = Preprocesses ? Current.standardArguments() : std::vector<std::string>();
  Current.Variables.show();
  if (!takesLibraries(*Current.Line))
    return become(Current.Host.command(llvm::ArrayRef<std::string>(Standard + Written)));
  return become(Current.Host.command(
      llvm::ArrayRef<std::string>(runtimeArguments(Current) + Standard + Written + runPathArguments(Current))));
}

std::vector<std::string> LinkStep::arguments() const {
  const CommandLine &Line = *Current.Line;
  std::vector<std::string> Words;
  const bool SourceStays =
      llvm::any_of(Line.inputs(), [&](const Input &In) { return In.isPreprocessed() && !Objects.count(In.Index); });
  if (SourceStays)
    Words = Current.standardArguments();
  // Without a source, options for dependences have nothing to say, and Clang would say so.
  auto Dropped = [&](const Arg &A) { return !SourceStays && isDependenceOption(A); };
  std::map<unsigned, const Input *> Inputs;
  for (const Input &In : Line.inputs())
    Inputs[In.Index] = &In;
  const std::vector<bool> Kept = Line.kept(Dropped);
  bool LanguageChanged = false;
  for (unsigned I = 0; I < Kept.size(); ++I) {
    if (!Kept[I])
      continue;
    const auto In = Inputs.find(I);
    const StringRef Language = In == Inputs.end() ? StringRef() : StringRef(In->second->Language);
    const auto Object = Objects.find(I);
    // Only in front of an input: Clang complains of a language behind the last one.
    if (!Language.empty() && (Object != Objects.end() || LanguageChanged)) {
      LanguageChanged = Object != Objects.end();
      Words.insert(Words.end(), {"-x", LanguageChanged ? "none" : Language.str()});
    }
    Words.push_back(Object == Objects.end() ? Line.expanded()[I] : Object->second);
  }
  return Words;
}

llvm::Expected<int> LinkStep::run() {
  const bool WithRuntime = takesLibraries(*Current.Line);
  if (WithRuntime)
    if (llvm::Error Problem = checkDynamic(*Current.Line))
      return Problem;
  std::vector<std::string> Words = arguments();
  if (WithRuntime)
    Words = runtimeArguments(Current) + Words + runPathArguments(Current);
  if (!llvm::sys::commandLineFitsWithinSystemLimits("cc", llvm::to_vector_of<StringRef>(Words))) {
    const std::string Response = Files.file("arguments");
    if (llvm::Error Problem = writeTextFile(Response, responseText(Words)))
      return Problem;
    Words = {"@" + Response};
  }
  const StringRef Output = Current.Line->output();
  Files.output(Output.empty() ? "a.out" : Output);
  Command Link = Current.Host.command(llvm::ArrayRef<std::string>(Words));
  Link.TemporaryDirectory = Files.directory().str();
  llvm::Expected<int> Status = streamap::run(Link);
  if (Status && *Status == 0)
    Files.keepOutputs();
  return Status;
}

} // namespace streamap
