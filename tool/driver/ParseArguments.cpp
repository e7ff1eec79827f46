//===- ParseArguments.cpp - What Clang is told about a source -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParseArguments.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Option/Option.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

namespace streamap {

using namespace clang::driver;
using llvm::StringRef;
using llvm::opt::Arg;

namespace {

/// Families that do not change what a text means.
bool isIrrelevant(const Arg &A) {
  const llvm::opt::Option &O = A.getOption();
  for (options::ID Id : {options::OPT_W_Group,
                         options::OPT_pedantic_Group,
                         options::OPT_w,
                         options::OPT_x,
                         options::OPT_v,
                         options::OPT_save_temps_EQ,
                         options::OPT_pipe,
                         options::OPT_time,
                         options::OPT_Wa_COMMA,
                         options::OPT_Xassembler,
                         options::OPT_dumpdir,
                         options::OPT_imultilib,
                         options::OPT_B,
                         options::OPT_coverage,
                         options::OPT_specs_EQ,
                         options::OPT_d_Group,
                         options::OPT_P,
                         options::OPT_C,
                         options::OPT_CC,
                         options::OPT_H,
                         options::OPT_g_Group,
                         options::OPT__param,
                         options::OPT_static_libgcc,
                         options::OPT_Q})
    if (O.matches(Id))
      return true;
  return isInput(A) || isStepOption(A) || isDependenceOption(A) || isLinkOption(A) ||
         O.getKind() == llvm::opt::Option::UnknownClass;
}

/// Options whose values gcc and Clang do not share, or that make the driver
/// look for files that the parse does not need.
bool mayOffendClang(const Arg &A) {
  const llvm::opt::Option &O = A.getOption();
  for (options::ID Id :
       {options::OPT_fsanitize_EQ, options::OPT_fno_sanitize_EQ, options::OPT_fplugin_EQ, options::OPT_fprofile_use,
        options::OPT_fprofile_use_EQ, options::OPT_fprofile_generate, options::OPT_fprofile_generate_EQ,
        options::OPT_fprofile_arcs, options::OPT_ftest_coverage, options::OPT_flto_EQ, options::OPT_fopenmp,
        options::OPT_fopenmp_EQ, options::OPT_fno_openmp, options::OPT_mtune_EQ})
    if (O.matches(Id))
      return true;
  return StringRef(A.getSpelling()).starts_with("-fdump-") || StringRef(A.getSpelling()).starts_with("-foffload");
}

/// A processor that this Clang is too old for: its macros are missed, which
/// matters only to a directive under an #if on one of them.
bool isUnknownProcessor(const Arg &A, const llvm::Triple &Target) {
  if (!A.getOption().matches(options::OPT_march_EQ) || !Target.isX86())
    return false;
  const StringRef Name = A.getValue();
  return Name != "native" && llvm::X86::parseArchX86(Name) == llvm::X86::CK_None;
}

void addLanguage(std::vector<std::string> &Arguments, const Session &Current, const Input &Source, const HostFacts &Facts) {
  Arguments.insert(Arguments.end(), {"-x", types::getTypeName(Source.Type)});
  const llvm::opt::InputArgList &Given = Current.Line->args();
  if (!Given.hasArg(options::OPT_std_EQ, options::OPT_ansi) && !Facts.DefaultStandard.empty())
    Arguments.push_back("-std=" + Facts.DefaultStandard);
  // Clauses and split loops are checked against OpenMP loops whether or not the program is built with OpenMP.
  Arguments.push_back("-fopenmp");
  if (!Given.hasFlag(options::OPT_fopenmp, options::OPT_fopenmp_EQ, options::OPT_fno_openmp, false))
    Arguments.push_back("-U_OPENMP");
}

void addHeaders(std::vector<std::string> &Arguments, const Session &Current, const HostFacts &Facts) {
  if (!Facts.GccInstallation.empty())
    Arguments.push_back("--gcc-install-dir=" + Facts.GccInstallation);
  // Clang's own headers stand in for the host compiler's; behind them come the host compiler's directories, for headers that only
  // it has, and for those that a wrapper such as mpicc adds.
  for (const std::string &Directory : Facts.IncludeDirectories)
    Arguments.insert(Arguments.end(), {"-idirafter", Directory});
  for (std::string &Word : Current.standardArguments())
    Arguments.push_back(std::move(Word));
}

} // namespace

std::vector<std::string> parseArguments(const Session &Current, const Input &Source, const HostFacts &Facts) {
  const llvm::Triple Target(Facts.Triple);
  std::vector<std::string> Arguments{"-fsyntax-only", "-w", "-Qunused-arguments",
                                     "-resource-dir=" + Current.Places.ResourceDirectory};
  if (!Facts.Triple.empty() && !Current.Line->args().hasArg(options::OPT_target, options::OPT_target_legacy_spelling))
    Arguments.push_back("--target=" + Facts.Triple);
  for (std::string &Word :
       Current.Line->without([&](const Arg &A) { return isIrrelevant(A) || mayOffendClang(A) || isUnknownProcessor(A, Target); }))
    Arguments.push_back(std::move(Word));
  addLanguage(Arguments, Current, Source, Facts);
  addHeaders(Arguments, Current, Facts);
  return Arguments;
}

} // namespace streamap
