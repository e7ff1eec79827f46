//===- DependenceFile.cpp - What make needs to know of a rewritten source -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DependenceFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/Path.h"

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

llvm::Expected<int> writeDependenceFile(const Session &Current, const Input &Source, const DependenceRequest &Request) {
  std::vector<std::string> Arguments = Current.standardArguments();
  for (std::string &Kept : Current.Line->without([](const Arg &A) {
         const llvm::opt::Option &O = A.getOption();
         return isInput(A) || isStepOption(A) || isDependenceOption(A) || isLinkOption(A) || O.matches(options::OPT_x) ||
                O.matches(options::OPT_save_temps_EQ) || O.matches(options::OPT_v);
       }))
    Arguments.push_back(std::move(Kept));
  Arguments.insert(Arguments.end(), {"-w", Request.SystemHeaders ? "-M" : "-MM", "-MF", Request.File});
  Arguments.insert(Arguments.end(), Request.Options.begin(), Request.Options.end());
  if (!Request.Target.empty())
    Arguments.insert(Arguments.end(), {"-MQ", Request.Target});
  Arguments.insert(Arguments.end(), {"-x", types::getTypeName(Source.Type), Source.Path});
  return run(Current.Host.command(Arguments));
}

} // namespace streamap
