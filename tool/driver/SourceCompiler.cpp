//===- SourceCompiler.cpp - From an annotated source to what was asked for -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceCompiler.h"
#include "Complaint.h"
#include "DependenceFile.h"
#include "DeviceCompiler.h"
#include "ParseArguments.h"
#include "StandardInput.h"
#include "TextFile.h"
#include "kernel/EmitTwins.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace streamap {

using namespace clang::driver;
using llvm::StringRef;
using llvm::opt::Arg;
namespace path = llvm::sys::path;

namespace {

/// What a file made from \p Source is called, with \p Suffix behind its base.
std::string named(const Input &Source, StringRef Suffix) {
  const StringRef Base = Source.isStandardInput() ? StringRef("-") : path::stem(Source.Path);
  return (Base + Suffix).str();
}

StringRef generatedSuffix(const Input &Source) {
  return types::isCXX(Source.Type) ? ".streamap.cpp" : ".streamap.c";
}

/// The name of the source in line markers and __FILE__.
StringRef shownName(const Input &Source) {
  return Source.isStandardInput() ? StringRef("<stdin>") : StringRef(Source.Path);
}

/// What every host compile of a rewritten text leaves out of the user's line.
bool replacedByUs(const Arg &A) {
  return isInput(A) || isStepOption(A) || isDependenceOption(A) || isLinkOption(A) || A.getOption().matches(options::OPT_x);
}

bool isPlainFile(StringRef Path) {
  return !Path.empty() && Path != "-" && (!llvm::sys::fs::exists(Path) || llvm::sys::fs::is_regular_file(Path));
}

/// Line markers name the private file in the first lines of -E; the user's
/// source takes its place.
std::string withoutPrivateName(StringRef Text, StringRef Private, StringRef Shown) {
  const std::string From = ("\"" + Private + "\"").str(), To = ("\"" + Shown + "\"").str();
  std::string Result;
  for (size_t At = Text.find(From); At != StringRef::npos; At = Text.find(From)) {
    Result += Text.substr(0, At);
    Result += To;
    Text = Text.drop_front(At + From.size());
  }
  return Result += Text;
}

/// Clang prints as many empty lines behind a raw string as there are lines in it.
ScanResult asHostCounts(ScanResult Scan, const HostFacts &Facts) {
  for (ScanResult::Place &Place : Scan.Directives)
    if (Facts.IsClang)
      Place.Line -= Place.RawLines;
  return Scan;
}

/// The directive that the host compiler sees and the parse did not, or, where
/// the parse saw one more, the host compiler's last; null if both saw the same.
const ScanResult::Place *findMissed(const ScanResult &Scan, std::vector<unsigned> ParsedLines) {
  const ScanResult::Place *Missed = nullptr;
  size_t Unmatched = 0;
  for (const ScanResult::Place &Place : Scan.Directives) {
    auto It = llvm::find(ParsedLines, Place.Line);
    if (It != ParsedLines.end()) {
      ParsedLines.erase(It);
      continue;
    }
    ++Unmatched;
    Missed = Missed ? Missed : &Place;
  }
  // Those written as _Pragma can only be counted.
  size_t Operators = llvm::count(ParsedLines, 0U);
  if (Operators == ParsedLines.size() && Operators == Unmatched)
    return nullptr;
  return Missed ? Missed : &Scan.Directives.back();
}

} // namespace

llvm::Expected<Translation> SourceCompiler::translateSource(const Input &Source, const ScanResult &Scan) {
  TranslateRequest Request;
  Request.Arguments = parseArguments(Current, Source, Facts);
  Request.Source = Source.Path;
  Request.IsCXX = types::isCXX(Source.Type);
  Request.Pedantic = // Clang has an option against that warning, gcc has none
      !Facts.IsClang &&
      (Current.Line->args().hasArg(options::OPT_pedantic_Group, options::OPT_pedantic, options::OPT_pedantic_errors) ||
       llvm::is_contained(Current.Line->args().getAllArgValues(options::OPT_W_Joined), "pedantic"));
  Request.HostIsClang = Facts.IsClang;
  Request.Explain = Current.Line->own().Explain;
  rewindStandardInput(); // the scan has read it
  llvm::Expected<Translation> Text = translate(Request);
  if (!Text)
    return Text.takeError();
  const ScanResult Counted = asHostCounts(Scan, Facts);
  if (Text->Succeeded)
    if (const ScanResult::Place *Missed = findMissed(Counted, Text->DirectiveLines))
      return complain(Diag::BranchDiffers, {}, Missed->File + ":" + std::to_string(Missed->Line));
  return Text;
}

llvm::Error SourceCompiler::leaveSource(const Input &Source, const Translation &Text) const {
  if (!Current.Line->own().EmitSource)
    return llvm::Error::success();
  llvm::SmallString<128> Path;
  if (isPlainFile(Current.Line->output()))
    Path = path::parent_path(Current.Line->output());
  path::append(Path, named(Source, generatedSuffix(Source)));
  if (llvm::Error Problem = writeTextFile(Path, Text.ReadableText))
    return Problem;
  if (Text.Device.empty())
    return llvm::Error::success();
  path::remove_filename(Path);
  path::append(Path, named(Source, ".streamap.cu"));
  return writeTextFile(Path, DeviceCompiler::sourceText(Text.Device));
}

/// Whether the user's own options say that a * b + c may be one operation.
bool SourceCompiler::keepsContraction() const {
  const llvm::opt::InputArgList &Given = Current.Line->args();
  return Given.hasArg(options::OPT_ffp_contract, options::OPT_ffast_math) ||
         llvm::is_contained(Given.getAllArgValues(options::OPT_O), "fast");
}

/// Compiles the kernels and puts their images into the host text.
llvm::Error SourceCompiler::embedKernels(const Input &Source, Translation &Text) {
  if (Text.Device.empty())
    return llvm::Error::success();
  llvm::Expected<std::vector<DeviceImage>> Images = DeviceCompiler(Current, Files).compile(Text.Device, shownName(Source));
  if (!Images)
    return Images.takeError();
  const StringRef Room = NoUnitImages;
  const size_t At = StringRef(Text.HostText).find((Room + "\n").str());
  assert(At != StringRef::npos && "no room for the images");
  Text.HostText.replace(At, Room.size(), imageDefinitions(*Images));
  return llvm::Error::success();
}

llvm::Expected<std::string> SourceCompiler::writeText(const Input &Source, const Translation &Text) {
  std::string Path = Files.file(named(Source, generatedSuffix(Source)));
  if (llvm::Error Problem = writeTextFile(Path, Text.HostText))
    return Problem;
  return Path;
}

/// Files beside the output (-save-temps, --coverage, -gsplit-dwarf) are named
/// after it. In a link the output that the host compiler sees is private, so it
/// is told the names that a plain compile would have given.
std::vector<std::string> SourceCompiler::sideFileArguments(const Input &Source) const {
  if (Facts.Version < (Facts.IsClang ? 17 : 11))
    return {};
  const StringRef Output = Current.Line->output(), Stem = path::stem(Source.Path);
  std::string Prefix = Output.empty() ? "a-" : (Output + "-").str();
  if (Current.Line->inputs().size() == 1 && path::filename(Output) == Stem)
    Prefix = path::has_parent_path(Output) ? (path::parent_path(Output) + "/").str() : "./";
  if (Facts.IsClang)
    return {"-dumpdir", Prefix};
  return {
      "-dumpdir", Prefix, "-dumpbase", path::filename(Source.Path).str(), "-dumpbase-ext", path::extension(Source.Path).str()};
}

std::vector<std::string> SourceCompiler::hostArguments(const Input &Source, const Translation &Text, StringRef Path) const {
  const StringRef Directory = path::parent_path(Source.Path);
  std::vector<std::string> Arguments{"-iquote", Directory.empty() ? "." : Directory.str()};
  const std::string Renaming = ("-prefix-map=" + Path + "=" + shownName(Source)).str();
  // __FILE__ has the user's names by line markers. With a map for macros Clang would leave the "./" out of a header's name that a
  // plain compile has; gcc has none, and -iquote brings it.
  if (Facts.IsClang)
    Arguments.insert(Arguments.end(), {"-fdebug" + Renaming, "-fcoverage" + Renaming});
  else
    Arguments.push_back("-ffile" + Renaming);
  if (!Facts.IsClang && Directory.empty())
    Arguments.push_back("-ffile-prefix-map=./=");
  for (std::string &Word : Current.standardArguments())
    Arguments.push_back(std::move(Word));
  for (std::string &Kept : Current.Line->without(replacedByUs))
    Arguments.push_back(std::move(Kept));
  // Kernels are compiled so, and a task gives the same answer wherever it runs.
  if (!Text.Device.empty() && !keepsContraction())
    Arguments.push_back("-ffp-contract=off");
  if (Text.DirectiveInHeader)
    Arguments.push_back("-Wno-unknown-pragmas");
  if (Facts.IsClang)
    // Of the user's options, some are for the steps left out here; line markers are ours.
    Arguments.insert(Arguments.end(), {"-Wno-unused-command-line-argument", "-Wno-gnu-line-marker"});
  return Arguments;
}

std::string SourceCompiler::outputFor(const Input &Source, StringRef Object) const {
  if (!Object.empty())
    return Object.str();
  if (!Current.Line->output().empty())
    return Current.Line->output().str();
  return named(Source, Current.Line->lastStep() == LastStep::Assembly ? ".s" : ".o");
}

llvm::Expected<int> SourceCompiler::preprocess(const Input &Source, const Translation &Text, StringRef Path) {
  std::vector<std::string> Arguments = hostArguments(Source, Text, Path);
  Arguments.insert(Arguments.end(), {"-E", Path.str()});
  llvm::Expected<Captured> Answer = captureOutput(Current.Host.command(Arguments));
  if (!Answer)
    return Answer.takeError();
  if (Answer->Status != 0)
    return Answer->Status;
  const StringRef Output = Current.Line->output();
  if (llvm::Error Problem =
          writeTextFile(Output.empty() ? StringRef("-") : Output, withoutPrivateName(Answer->Output, Path, shownName(Source))))
    return Problem;
  return 0;
}

/// Shows the messages of a plain compile. It fails too where it is the language
/// that the user got wrong.
llvm::Expected<int> SourceCompiler::compileUnchanged(const Input &Source) {
  std::vector<std::string> Arguments = Current.standardArguments();
  for (std::string &Kept : Current.Line->without(replacedByUs))
    Arguments.push_back(std::move(Kept));
  Arguments.insert(Arguments.end(), {"-Wno-unknown-pragmas", "-c", "-o", Files.file("unchanged.o"), "-x",
                                     types::getTypeName(Source.Type), Source.Path});
  Command Check = Current.Host.command(Arguments);
  Check.TemporaryDirectory = Files.directory().str();
  return run(Check);
}

/// What there is to say about a translation. The result is the exit status that
/// follows from it.
llvm::Expected<int> SourceCompiler::tell(const Input &Source, const Translation &Text) {
  llvm::outs() << Text.Explanation;
  if (!Text.Succeeded && Text.LanguageAtFault) {
    llvm::Expected<int> Status = compileUnchanged(Source);
    if (!Status || *Status != 0)
      return Status;
  }
  llvm::errs() << Text.Messages;
  return Text.Succeeded ? 0 : 1;
}

/// For make. The result is the host compiler's exit status.
llvm::Expected<int> SourceCompiler::writeDependences(const Input &Source, bool Silent) {
  std::optional<DependenceRequest> Request = dependenceRequest(*Current.Line, Source);
  if (!Request)
    return 0;
  Files.output(Request->File);
  llvm::Expected<int> Status = writeDependenceFile(Current, Source, *Request, Silent);
  if (Status && *Status == 0)
    Files.keepOutputs();
  return Status;
}

llvm::Expected<int> SourceCompiler::compile(const Input &Source, const ScanResult &Scan, StringRef Object) {
  Facts = Scan.Facts;
  llvm::Expected<Translation> Text = translateSource(Source, Scan);
  if (!Text)
    return Text.takeError();
  if (llvm::Error Problem = obeyDependenceVariables(Current, Source))
    return Problem;
  // Before the messages: a plain compile writes them too where it fails later on.
  llvm::Expected<int> Dependences = writeDependences(Source, /*Silent=*/true);
  if (!Dependences)
    return Dependences;
  llvm::Expected<int> Status = tell(Source, *Text);
  if (!Status || *Status != 0)
    return Status;
  if (llvm::Error Problem = leaveSource(Source, *Text))
    return Problem;
  const LastStep Step = Object.empty() ? Current.Line->lastStep() : LastStep::Object;
  if (Step != LastStep::Check)
    if (llvm::Error Problem = embedKernels(Source, *Text))
      return Problem;
  llvm::Expected<std::string> Path = writeText(Source, *Text);
  if (!Path)
    return Path.takeError();

  if (Step == LastStep::Preprocess) {
    Files.output(Current.Line->output());
    Status = preprocess(Source, *Text, *Path);
  } else {
    std::vector<std::string> Arguments = hostArguments(Source, *Text, *Path);
    if (Step == LastStep::Check) {
      Arguments.push_back("-fsyntax-only");
    } else {
      const std::string Output = outputFor(Source, Object);
      Files.output(Output);
      Arguments.insert(Arguments.end(), {Step == LastStep::Assembly ? "-S" : "-c", "-o", Output});
      if (!Object.empty())
        for (std::string &Word : sideFileArguments(Source))
          Arguments.push_back(std::move(Word));
    }
    Arguments.push_back(*Path);
    Command Compile = Current.Host.command(Arguments);
    Compile.TemporaryDirectory = Files.directory().str();
    Status = run(Compile);
  }
  if (!Status || *Status != 0)
    return Status;
  if (*Dependences != 0)
    return writeDependences(Source, /*Silent=*/false); // to hear why
  Files.keepOutputs();
  return 0;
}

} // namespace streamap
