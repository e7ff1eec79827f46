//===- OwnOptions.cpp - Options that only streamap-cc has -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OwnOptions.h"
#include "Complaint.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <array>

namespace streamap {

namespace {

constexpr llvm::StringLiteral OwnPrefix = "--streamap-";

/// One option: a flag, or one that takes a value behind '='.
struct Spelling {
  llvm::StringLiteral Name; ///< behind the prefix, without '='
  bool OwnOptions::*Flag;
  std::string OwnOptions::*Value;
  llvm::StringLiteral ValueName;
  llvm::StringLiteral Text;
};

constexpr std::array<Spelling, 9> Spellings{{
    {"help", &OwnOptions::Help, nullptr, "", "print this"},
    {"version", &OwnOptions::Version, nullptr, "",
     "print the versions of StreamMAP, of the Clang in it, and of the host compiler"},
    {"emit-source", &OwnOptions::EmitSource, nullptr, "", "leave the generated text as <name>.streamap.c beside the output"},
    {"explain", &OwnOptions::Explain, nullptr, "", "print what was understood of each task: its list, sections and extents"},
    {"device", nullptr, &OwnOptions::Device, "<kind>",
     "devices that kernels are compiled for: none, cuda or hip; otherwise cuda"},
    {"cuda-arch", nullptr, &OwnOptions::CudaArch, "<list>",
     "CUDA architectures, as in 75,90; otherwise one of each major number that nvcc knows, and PTX"},
    {"cuda-path", nullptr, &OwnOptions::CudaPath, "<folder>",
     "the CUDA toolkit; otherwise $CUDA_PATH, $CUDA_HOME, that of nvcc in the PATH, /usr/local/cuda"},
    {"device-compiler", nullptr, &OwnOptions::DeviceCompiler, "<command>",
     "compile kernels with this nvcc; clang: with the Clang in this tool; otherwise $STREAMAP_DEVICE_COMPILER, otherwise\n"
     "                                      nvcc where there is one, else clang"},
    {"host-compiler", nullptr, &OwnOptions::HostCompiler, "<command>",
     "compile and link with this; otherwise $STREAMAP_HOST_CC ($STREAMAP_HOST_CXX), otherwise cc (c++).\n"
     "                                      With a space for '=' the tool may stand in front of another compiler's command line"},
}};

std::string fullSpelling(const Spelling &S) {
  return (OwnPrefix + S.Name + (S.Value ? "=" : "")).str();
}

std::string nearestSpelling(llvm::StringRef Name) {
  const Spelling *Best = llvm::min_element(
      Spellings, [&](const Spelling &A, const Spelling &B) { return Name.edit_distance(A.Name) < Name.edit_distance(B.Name); });
  // Farther than half its length, it is another word and not a slip.
  return Name.edit_distance(Best->Name) * 2 <= Best->Name.size() ? fullSpelling(*Best) : std::string();
}

llvm::Error takeOne(OwnOptions &Options, llvm::StringRef Arg) {
  auto [Name, Value] = Arg.drop_front(OwnPrefix.size()).split('=');
  const bool HasValue = Arg.contains('=');
  const Spelling *Found = llvm::find_if(Spellings, [N = Name](const Spelling &S) { return S.Name == N; });
  if (Found == Spellings.end())
    return complain(Diag::UnknownOwnOption, {Arg.str(), nearestSpelling(Name)});
  if (Found->Flag && HasValue)
    return complain(Diag::OwnOptionValue, {Arg.str(), "takes no value", fullSpelling(*Found)});
  if (Found->Value && Value.empty())
    return complain(Diag::OwnOptionValue, {Arg.str(), "needs a value", fullSpelling(*Found) + Found->ValueName.str()});
  if (Found->Flag)
    Options.*(Found->Flag) = true;
  else
    Options.*(Found->Value) = Value.str();
  return llvm::Error::success();
}

} // namespace

bool isOwnOption(llvm::StringRef Arg) {
  return Arg.starts_with(OwnPrefix);
}

bool takesNextAsHostCompiler(llvm::StringRef Arg) {
  return Arg == "--streamap-host-compiler";
}

llvm::Expected<OwnOptions> takeOwnOptions(llvm::SmallVectorImpl<const char *> &Args) {
  OwnOptions Options;
  for (const char *Arg : Args)
    if (isOwnOption(Arg))
      if (llvm::Error Problem = takeOne(Options, Arg))
        return Problem;
  llvm::erase_if(Args, [](const char *Arg) { return isOwnOption(Arg); });
  return Options;
}

void printOwnHelp(llvm::raw_ostream &OS, llvm::StringRef ToolName) {
  OS << "usage: " << ToolName << " [options] file...\n\n"
     << "Stands in for the C and C++ compiler: it takes all options of the host compiler, compiles\n"
     << "'#pragma streamap' in C sources, and links the runtime to programs that have tasks.\n\noptions of its own:\n";
  for (const Spelling &S : Spellings)
    OS << "  " << llvm::left_justify((fullSpelling(S) + S.ValueName).str(), 36) << S.Text << '\n';
}

} // namespace streamap
