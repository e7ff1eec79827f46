//===- CommandLine.h - What a compiler command line asks for -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang's option table says where options and their values are; options it
// does not know are the host compiler's own and stay as they are.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DRIVER_COMMANDLINE_H
#define STREAMAP_DRIVER_COMMANDLINE_H

#include "OwnOptions.h"

#include "clang/Driver/Options.h"
#include "clang/Driver/Types.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace streamap {

/// The last step that the command line asks for.
enum class LastStep {
  Query,       ///< `--version`, `-print-...`, `-###`, or no input: only the host compiler can answer
  Preprocess,  ///< -E
  Dependences, ///< -M, -MM
  Check,       ///< -fsyntax-only
  Assembly,    ///< -S
  Object,      ///< -c
  Relocatable, ///< -r
  Link
};

/// One input file.
struct Input {
  std::string Path;   ///< as given; "-" is the standard input
  unsigned Index = 0; ///< its place among the arguments
  clang::driver::types::ID Type = clang::driver::types::TY_INVALID;
  std::string Language; ///< of the -x before it, or empty

  bool isStandardInput() const { return Path == "-"; }
  /// A C, C++, CUDA or HIP source that still has to be preprocessed.
  bool isSource() const;
  /// The same, or a header to be precompiled: what macros and include
  /// directories matter to.
  bool isPreprocessed() const;
  /// Assembly, or text that was preprocessed before.
  bool isFinishedText() const;
  /// An object, archive or shared library, or a linker script.
  bool isLinkerInput() const;
};

/// A command line, taken apart. Owns the strings of expanded response files.
class CommandLine {
public:
  /// Takes \p Argv (Argv[0] is the name of the tool) apart.
  static llvm::Expected<std::unique_ptr<CommandLine>> parse(llvm::ArrayRef<const char *> Argv);

  const OwnOptions &own() const { return Own; }
  bool isCxx() const { return Cxx; }
  LastStep lastStep() const { return Step; }
  llvm::ArrayRef<Input> inputs() const { return Inputs; }
  const llvm::opt::InputArgList &args() const { return *Args; }

  /// The arguments for the host compiler, as the user wrote them: response
  /// files are still files, unless one holds an option of ours.
  llvm::ArrayRef<const char *> original() const { return Original; }
  /// The same with response files expanded. Input::Index counts in here.
  llvm::ArrayRef<const char *> expanded() const { return Expanded; }

  /// For each of expanded(), whether it stays when what \p Drop is true for
  /// goes; an option goes with its value.
  std::vector<bool> kept(llvm::function_ref<bool(const llvm::opt::Arg &)> Drop) const;

  /// Copies expanded() without what \p Drop is true for.
  std::vector<std::string> without(llvm::function_ref<bool(const llvm::opt::Arg &)> Drop) const;

  /// The value of `-o`, or empty.
  llvm::StringRef output() const;

private:
  explicit CommandLine(llvm::StringRef ToolName);
  llvm::Error expand(llvm::ArrayRef<const char *> Argv);
  void findInputs();
  void findLastStep();

  llvm::BumpPtrAllocator Strings;
  OwnOptions Own;
  bool Cxx;
  LastStep Step = LastStep::Query;
  llvm::SmallVector<const char *, 64> Original, Expanded;
  std::unique_ptr<llvm::opt::InputArgList> Args;
  std::vector<Input> Inputs;
};

/// Whether \p Arg belongs to one of the families that a separate step replaces.
bool isInput(const llvm::opt::Arg &Arg);
bool isDependenceOption(const llvm::opt::Arg &Arg); ///< -M... and -Wp,-M...
bool isStepOption(const llvm::opt::Arg &Arg);       ///< -c -S -E -fsyntax-only, and -o
bool isLinkOption(const llvm::opt::Arg &Arg);       ///< means something to the linker alone

} // namespace streamap

#endif
