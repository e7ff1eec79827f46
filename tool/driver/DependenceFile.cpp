//===- DependenceFile.cpp - What make needs to know of a rewritten source -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DependenceFile.h"
#include "Session.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

namespace streamap {

using namespace clang::driver;
using llvm::StringRef;
using llvm::opt::Arg;

namespace {

/// The words of one request, from wherever they stand.
class RequestReader {
public:
  /// `-MD`, `-MF file`...: the value is a word of its own here.
  void take(StringRef Option, StringRef Value) {
    if (Option == "-MD" || Option == "-MMD") {
      Wanted = true;
      Result.SystemHeaders = Option == "-MD";
    } else if (Option == "-MF" || Option == "-MJ") {
      if (Option == "-MF")
        Result.File = Value.str();
    } else if (Option == "-MT" || Option == "-MQ") {
      Result.Options.insert(Result.Options.end(), {Option.str(), Value.str()});
      HasTarget = true;
    } else if (Option == "-MP") {
      Result.Options.push_back(Option.str());
    }
  }

  /// `-Wp,-MD,file,-MT,target`: here -MD takes the file itself.
  void takePreprocessorWords(llvm::ArrayRef<const char *> Words) {
    for (size_t I = 0; I < Words.size(); ++I) {
      const StringRef Option = Words[I];
      const bool HasValue = I + 1 < Words.size() && !StringRef(Words[I + 1]).starts_with("-");
      take(Option, HasValue ? Words[I + 1] : "");
      if ((Option == "-MD" || Option == "-MMD") && HasValue)
        Result.File = Words[I + 1];
      if (HasValue)
        ++I;
    }
  }

  DependenceRequest Result;
  bool Wanted = false;
  bool HasTarget = false;
};

std::string withSuffix(StringRef Path, StringRef Suffix) {
  llvm::SmallString<128> Changed(Path);
  llvm::sys::path::replace_extension(Changed, Suffix);
  return Changed.str().str();
}

} // namespace

DependenceVariables::DependenceVariables() {
  for (const char *Name : {"DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES"})
    if (const char *Value = std::getenv(Name))
      Given.emplace_back(Name, Value);
  hide();
}

void DependenceVariables::show() const {
  for (const auto &[Name, Value] : Given)
    setenv(Name, Value.c_str(), /*overwrite=*/1);
}

void DependenceVariables::hide() const {
  for (const auto &[Name, Value] : Given)
    unsetenv(Name);
}

std::optional<DependenceRequest> dependenceRequest(const CommandLine &Line, const Input &Source) {
  RequestReader Reader;
  for (const Arg *A : Line.args()) {
    if (!isDependenceOption(*A))
      continue;
    if (A->getOption().matches(options::OPT_Wp_COMMA))
      Reader.takePreprocessorWords(A->getValues());
    else
      Reader.take(A->getOption().getPrefixedName(), A->getNumValues() ? A->getValue() : "");
  }
  if (!Reader.Wanted)
    return std::nullopt;
  const StringRef Output = Line.output();
  if (Reader.Result.File.empty())
    Reader.Result.File = withSuffix(Output.empty() ? llvm::sys::path::filename(Source.Path) : Output, "d");
  if (!Reader.HasTarget && !Output.empty() && Line.lastStep() != LastStep::Preprocess)
    Reader.Result.Target = Output.str();
  return Reader.Result;
}

/// A run over the user's own source, up to what it is to do.
static std::vector<std::string> argumentsWithoutStep(const Session &Current) {
  std::vector<std::string> Arguments = Current.standardArguments();
  for (std::string &Kept : Current.Line->without([](const Arg &A) {
         const llvm::opt::Option &O = A.getOption();
         return isInput(A) || isStepOption(A) || isDependenceOption(A) || isLinkOption(A) || O.matches(options::OPT_x) ||
                O.matches(options::OPT_save_temps_EQ) || O.matches(options::OPT_v);
       }))
    Arguments.push_back(std::move(Kept));
  Arguments.push_back("-w");
  return Arguments;
}

static llvm::Expected<int> runOn(const Session &Current, const Input &Source, std::vector<std::string> Arguments, bool Silent) {
  Arguments.insert(Arguments.end(), {"-x", types::getTypeName(Source.Type), Source.Path});
  Command Preprocess = Current.Host.command(Arguments);
  Preprocess.Silent = Silent;
  return run(Preprocess);
}

llvm::Expected<int> writeDependenceFile(const Session &Current, const Input &Source, const DependenceRequest &Request,
                                        bool Silent) {
  std::vector<std::string> Arguments = argumentsWithoutStep(Current);
  Arguments.insert(Arguments.end(), {Request.SystemHeaders ? "-M" : "-MM", "-MF", Request.File});
  Arguments.insert(Arguments.end(), Request.Options.begin(), Request.Options.end());
  if (!Request.Target.empty())
    Arguments.insert(Arguments.end(), {"-MQ", Request.Target});
  return runOn(Current, Source, std::move(Arguments), Silent);
}

llvm::Error obeyDependenceVariables(const Session &Current, const Input &Source) {
  if (!Current.Variables.any())
    return llvm::Error::success();
  std::vector<std::string> Arguments = argumentsWithoutStep(Current);
  Arguments.insert(Arguments.end(), {"-E", "-o", "/dev/null"});
  Current.Variables.show();
  llvm::Expected<int> Status = runOn(Current, Source, std::move(Arguments), /*Silent=*/true);
  Current.Variables.hide();
  return Status ? llvm::Error::success() : Status.takeError();
}

} // namespace streamap
