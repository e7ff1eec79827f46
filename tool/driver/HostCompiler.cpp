//===- HostCompiler.cpp - The compiler that makes the objects -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostCompiler.h"
#include "Complaint.h"
#include "Config.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/StringSaver.h"

#include <cstdlib>

namespace streamap {

using namespace clang::driver;

namespace {

/// Set while a host compiler runs below us. It is still set when that one is a wrapper (mpicc) that calls us again.
constexpr const char *RunningVariable = "STREAMAP_HOST_RUNNING";

std::vector<std::string> splitWords(llvm::StringRef Text) {
  llvm::BumpPtrAllocator Allocator;
  llvm::StringSaver Saver(Allocator);
  llvm::SmallVector<const char *, 4> Words;
  llvm::cl::TokenizeGNUCommandLine(Text, Saver, Words);
  return {Words.begin(), Words.end()};
}

std::string chosenText(const CommandLine &Line) {
  if (!Line.own().HostCompiler.empty())
    return Line.own().HostCompiler;
  const char *Variable = std::getenv(Line.isCxx() ? "STREAMAP_HOST_CXX" : "STREAMAP_HOST_CC");
  if (Variable && *Variable)
    return Variable;
  return Line.isCxx() ? DefaultHostCXX : DefaultHostCC;
}

bool isThisTool(llvm::StringRef Program, const Layout &Places) {
  llvm::ErrorOr<std::string> Path = llvm::sys::findProgramByName(Program);
  return Path && llvm::sys::fs::equivalent(*Path, Places.Executable);
}

/// `-std` that means what the compiler does without one.
std::string standardOf(llvm::StringRef Value) {
  return llvm::StringSwitch<std::string>(Value)
      .Case("199901L", "gnu99")
      .Case("201112L", "gnu11")
      .Case("201710L", "gnu17")
      .Cases("202000L", "202311L", "gnu23")
      .Case("199711L", "gnu++98")
      .Case("201103L", "gnu++11")
      .Case("201402L", "gnu++14")
      .Case("201703L", "gnu++17")
      .Case("202002L", "gnu++20")
      .Cases("202100L", "202302L", "gnu++23")
      .Default("");
}

/// Whether the user's own options name \p Directory. Those stay as they are: in the list below it would be one of the system's.
bool isNamedBy(const CommandLine &Line, llvm::StringRef Directory) {
  for (const llvm::opt::Arg *A : Line.args()) {
    if (!A->getOption().matches(options::OPT_IncludePath_Group) || A->getNumValues() == 0)
      continue;
    llvm::StringRef Value = A->getValue(), Root;
    if (Value.consume_front("="))
      Root = Line.args().getLastArgValue(options::OPT__sysroot_EQ, Line.args().getLastArgValue(options::OPT__sysroot));
    if (Value == Directory || llvm::sys::fs::equivalent(Root + Value, Directory))
      return true;
  }
  return false;
}

std::vector<std::string> parseIncludeDirectories(llvm::StringRef Errors) {
  std::vector<std::string> Directories;
  const llvm::StringRef Listed = Errors.split("#include <...> search starts here:\n").second.split("End of search list.").first;
  for (llvm::StringRef Line : llvm::split(Listed, '\n'))
    if (Line.consume_front(" "))
      Directories.push_back(Line.str());
  return Directories;
}

std::string findGccInstallation(llvm::StringRef Errors, llvm::ArrayRef<std::string> IncludeDirectories) {
  const llvm::StringRef Selected = Errors.split("Selected GCC installation: ").second.split('\n').first;
  if (!Selected.empty())
    return Selected.str(); // Clang names it
  for (const std::string &Directory : IncludeDirectories) {
    const llvm::StringRef Parent = llvm::sys::path::parent_path(Directory);
    if (llvm::sys::path::filename(Directory) == "include" && llvm::sys::fs::exists(Parent + "/libgcc.a"))
      return Parent.str(); // gcc keeps its headers beside libgcc
  }
  return {};
}

} // namespace

llvm::Expected<HostCompiler> HostCompiler::choose(const CommandLine &Line, const Layout &Places) {
  HostCompiler Chosen;
  Chosen.Words = splitWords(chosenText(Line));
  if (Chosen.Words.empty())
    return complain(Diag::HostCompiler, {chosenText(Line)});
  const bool Loops = std::getenv(RunningVariable) && llvm::StringRef(std::getenv(RunningVariable)) == chosenText(Line);
  for (const std::string &Word : Chosen.Words)
    if (Loops || isThisTool(Word, Places))
      return complain(Diag::HostIsTool, {chosenText(Line)});
  setenv(RunningVariable, chosenText(Line).c_str(), 1);
  return Chosen;
}

Command HostCompiler::command(llvm::ArrayRef<std::string> Arguments) const {
  Command Made;
  Made.Words = Words;
  Made.Words.insert(Made.Words.end(), Arguments.begin(), Arguments.end());
  return Made;
}

Command HostCompiler::command(llvm::ArrayRef<const char *> Arguments) const {
  Command Made;
  Made.Words = Words;
  Made.Words.insert(Made.Words.end(), Arguments.begin(), Arguments.end());
  return Made;
}

HostFacts readHostFacts(llvm::StringRef Macros, llvm::StringRef Errors, const CommandLine &Line) {
  llvm::SmallVector<llvm::StringRef, 4> Words; // streamap_host, Clang's version, gcc's, the standard
  Macros.split(Words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  Words.resize(4);
  HostFacts Facts;
  Facts.IsClang = !Words[1].getAsInteger(10, Facts.Version);
  if (!Facts.IsClang && Words[2].getAsInteger(10, Facts.Version))
    Facts.Version = 0; // neither of the two
  Facts.DefaultStandard = standardOf(Words[3]);
  Facts.Triple = Errors.split("Target: ").second.split('\n').first.trim().str();
  Facts.IncludeDirectories = parseIncludeDirectories(Errors);
  llvm::erase_if(Facts.IncludeDirectories, [&](const std::string &Directory) { return isNamedBy(Line, Directory); });
  Facts.GccInstallation = findGccInstallation(Errors, Facts.IncludeDirectories);
  return Facts;
}

std::vector<std::string> HostCompiler::libraryDirectories() const {
  std::vector<std::string> Directories;
  Command Question = command(llvm::ArrayRef<std::string>{"-print-search-dirs"});
  Question.Silent = true;
  llvm::Expected<Captured> Answer = captureOutput(Question);
  if (!Answer) {
    llvm::consumeError(Answer.takeError());
    return Directories;
  }
  const llvm::StringRef Listed = llvm::StringRef(Answer->Output).split("libraries: =").second.split('\n').first;
  for (llvm::StringRef Directory : llvm::split(Listed, ':'))
    Directories.push_back(Directory.str());
  return Directories;
}

} // namespace streamap
