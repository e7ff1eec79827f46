//===- CommandLine.cpp - What a compiler command line asks for -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Complaint.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"

namespace streamap {

using namespace clang::driver;
using llvm::opt::Arg;

namespace {

/// Options of gcc whose value is the next argument, and that Clang's table
/// would take for a flag and an input.
bool takesNextArgument(llvm::StringRef Spelling) {
  return llvm::StringSwitch<bool>(Spelling)
      .Cases("-dumpbase", "-dumpbase-ext", "-aux-info", "-wrapper", "--entry", true)
      .Default(false);
}

/// Options that make the compiler print something and compile nothing.
bool isQuery(llvm::StringRef Spelling) {
  return Spelling.starts_with("-print-") || Spelling.starts_with("--print-") || Spelling.starts_with("--help") ||
         llvm::is_contained(
             {"-###", "--version", "--target-help", "-dumpversion", "-dumpfullversion", "-dumpmachine", "-dumpspecs"}, Spelling);
}

types::ID typeOf(llvm::StringRef Path, llvm::StringRef Language, bool Cxx) {
  types::ID Type = types::TY_INVALID;
  if (!Language.empty() && Language != "none")
    return types::lookupTypeForTypeSpecifier(Language.str().c_str());
  llvm::StringRef Extension = llvm::sys::path::extension(Path);
  if (!Extension.empty())
    Type = types::lookupTypeForExtension(Extension.drop_front());
  if (Type == types::TY_INVALID)
    return types::TY_Object; // what no compiler knows goes to the linker
  return Cxx ? types::lookupCXXTypeForCType(Type) : Type;
}

} // namespace

bool Input::isSource() const {
  switch (Type) {
  case types::TY_C:
  case types::TY_CXX:
  case types::TY_CUDA:
  case types::TY_HIP:
    return true;
  default:
    return false;
  }
}

bool Input::isPreprocessed() const {
  return isSource() || Type == types::TY_CHeader || Type == types::TY_CXXHeader || Type == types::TY_ObjC ||
         Type == types::TY_ObjCXX;
}

bool Input::isFinishedText() const {
  return Type == types::TY_PP_C || Type == types::TY_PP_CXX || Type == types::TY_PP_Asm || Type == types::TY_Asm;
}

bool Input::isLinkerInput() const {
  return Type == types::TY_Object || Type == types::TY_LLVM_BC || Type == types::TY_LTO_BC;
}

bool isInput(const Arg &A) {
  return A.getOption().getKind() == llvm::opt::Option::InputClass;
}

bool isDependenceOption(const Arg &A) {
  if (A.getOption().matches(options::OPT_M_Group))
    return true;
  return A.getOption().matches(options::OPT_Wp_COMMA) && llvm::any_of(A.getValues(), [](const char *Value) {
           return llvm::is_contained({"-M", "-MM", "-MD", "-MMD", "-MF", "-MT", "-MQ", "-MP", "-MG"}, llvm::StringRef(Value));
         });
}

bool isStepOption(const Arg &A) {
  return A.getOption().matches(options::OPT_o) || A.getOption().matches(options::OPT_c) ||
         A.getOption().matches(options::OPT_S) || A.getOption().matches(options::OPT_E) ||
         A.getOption().matches(options::OPT_fsyntax_only);
}

bool isLinkOption(const Arg &A) {
  const llvm::opt::Option &Option = A.getOption();
  if (Option.matches(options::OPT_coverage) || Option.matches(options::OPT_specs_EQ))
    return false; // these mean something to the compiler too, though they stand in the linker's group
  return Option.matches(options::OPT_Link_Group) || Option.hasFlag(options::LinkerInput) || Option.hasFlag(options::LinkOption) ||
         Option.matches(options::OPT_nodefaultlibs) || Option.matches(options::OPT_no_pie);
}

CommandLine::CommandLine(llvm::StringRef ToolName) : Cxx(llvm::sys::path::filename(ToolName).contains("++")) {}

llvm::Error CommandLine::expand(llvm::ArrayRef<const char *> Argv) {
  for (size_t I = 1; I < Argv.size(); ++I) {
    Original.push_back(Argv[I]);
    if (takesNextAsHostCompiler(Argv[I]) && I + 1 < Argv.size())
      Original.back() = llvm::StringSaver(Strings).save(llvm::Twine(Argv[I]) + "=" + Argv[I + 1]).data(), ++I;
  }
  Expanded = Original;
  llvm::cl::ExpansionContext Context(Strings, llvm::cl::TokenizeGNUCommandLine);
  if (llvm::Error Problem = Context.expandResponseFiles(Expanded))
    return Problem;
  const size_t Before = llvm::count_if(Original, isOwnOption), All = llvm::count_if(Expanded, isOwnOption);
  llvm::Expected<OwnOptions> Taken = takeOwnOptions(Expanded);
  if (!Taken)
    return Taken.takeError();
  Own = std::move(*Taken);
  if (All > Before)
    Original = Expanded; // the host compiler must not see the response file that holds an option of ours
  else
    llvm::erase_if(Original, isOwnOption);
  return llvm::Error::success();
}

void CommandLine::findInputs() {
  llvm::StringRef Language;
  unsigned ValueAt = ~0u; // where the value of an option that the table does not know stands
  for (const Arg *A : *Args) {
    if (A->getIndex() == ValueAt)
      continue;
    if (takesNextArgument(Expanded[A->getIndex()]))
      ValueAt = A->getIndex() + 1;
    else if (A->getOption().matches(options::OPT_x))
      Language = A->getValue();
    else if (isInput(*A))
      Inputs.push_back(
          {A->getValue(), A->getIndex(), typeOf(A->getValue(), Language, Cxx), Language == "none" ? "" : Language.str()});
  }
}

void CommandLine::findLastStep() {
  const bool Asks = llvm::any_of(*Args, [&](const Arg *A) { return isQuery(Expanded[A->getIndex()]); });
  if (Asks || Inputs.empty())
    Step = LastStep::Query;
  else if (Args->hasArg(options::OPT_M, options::OPT_MM))
    Step = LastStep::Dependences;
  else if (Args->hasArg(options::OPT_E))
    Step = LastStep::Preprocess;
  else if (Args->hasArg(options::OPT_fsyntax_only))
    Step = LastStep::Check;
  else if (Args->hasArg(options::OPT_S))
    Step = LastStep::Assembly;
  else if (Args->hasArg(options::OPT_c))
    Step = LastStep::Object;
  else
    Step = Args->hasArg(options::OPT_r) ? LastStep::Relocatable : LastStep::Link;
}

llvm::Expected<std::unique_ptr<CommandLine>> CommandLine::parse(llvm::ArrayRef<const char *> Argv) {
  std::unique_ptr<CommandLine> Line(new CommandLine(Argv.front()));
  if (llvm::Error Problem = Line->expand(Argv))
    return Problem;
  unsigned MissingIndex = 0, MissingCount = 0;
  // A missing value is for the host compiler to complain about: it ends up with the arguments as they are.
  Line->Args = std::make_unique<llvm::opt::InputArgList>(
      getDriverOptTable().ParseArgs(Line->Expanded, MissingIndex, MissingCount, llvm::opt::Visibility(options::ClangOption)));
  Line->findInputs();
  if (!MissingCount)
    Line->findLastStep();
  return Line;
}

std::vector<bool> CommandLine::kept(llvm::function_ref<bool(const Arg &)> Drop) const {
  std::vector<bool> Kept(Expanded.size(), true);
  unsigned ValueAt = ~0u, From = 0;
  bool Dropped = false;
  auto MarkUntil = [&](unsigned To) {
    for (; From < To; ++From)
      Kept[From] = !Dropped;
  };
  for (const Arg *A : *Args) {
    if (A->getIndex() == ValueAt)
      continue; // goes with the option before it
    MarkUntil(A->getIndex());
    if (takesNextArgument(Expanded[A->getIndex()]))
      ValueAt = A->getIndex() + 1;
    Dropped = Drop(*A);
  }
  MarkUntil(static_cast<unsigned>(Expanded.size()));
  return Kept;
}

std::vector<std::string> CommandLine::without(llvm::function_ref<bool(const Arg &)> Drop) const {
  const std::vector<bool> Kept = kept(Drop);
  std::vector<std::string> Words;
  for (unsigned I = 0; I < Expanded.size(); ++I)
    if (Kept[I])
      Words.emplace_back(Expanded[I]);
  return Words;
}

llvm::StringRef CommandLine::output() const {
  return Args->getLastArgValue(options::OPT_o);
}

} // namespace streamap
