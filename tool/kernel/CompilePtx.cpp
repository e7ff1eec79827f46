//===- CompilePtx.cpp - CUDA text to PTX by the Clang in this tool --------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kernel/CompilePtx.h"

#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Support/TargetSelect.h"

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

using namespace clang;

namespace streamap {

namespace {

/// The oldest PTX version that knows an architecture: any driver that knows the device reads it.
const char *ptxFeature(unsigned Architecture) {
  if (Architecture >= 89)
    return "+ptx78";
  if (Architecture >= 86)
    return "+ptx71";
  if (Architecture >= 80)
    return "+ptx70";
  if (Architecture >= 75)
    return "+ptx63";
  if (Architecture >= 70)
    return "+ptx60";
  return "+ptx50";
}

void initialiseTarget() {
  static const bool Done = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)Done;
}

} // namespace

PtxResult compilePtx(const PtxRequest &Request) {
  initialiseTarget();
  PtxResult Result;
  const std::string Processor = "sm_" + std::to_string(Request.Architecture);
  std::vector<std::string> Words = {"-triple",
                                    "nvptx64-nvidia-cuda",
                                    "-aux-triple",
                                    "x86_64-pc-linux-gnu",
                                    "-S",
                                    "-O3",
                                    "-fcuda-is-device",
                                    "-x",
                                    "cuda",
                                    "-std=c++17",
                                    "-target-cpu",
                                    Processor,
                                    "-target-feature",
                                    ptxFeature(Request.Architecture),
                                    "-nostdsysteminc",
                                    "-I",
                                    Request.IncludeDirectory,
                                    "-w",
                                    "-Wno-c++11-narrowing",
                                    std::string("-ffp-contract=") + (Request.Contract ? "fast" : "off")};
  if (Request.Fast)
    Words.push_back("-ffast-math");
  if (!Request.Libdevice.empty())
    Words.insert(Words.end(), {"-mlink-builtin-bitcode", Request.Libdevice});
  Words.push_back("kernels.cu");
  std::vector<const char *> Arguments;
  for (const std::string &Word : Words)
    Arguments.push_back(Word.c_str());

  llvm::raw_string_ostream Messages(Result.Messages);
  auto Options = llvm::makeIntrusiveRefCnt<DiagnosticOptions>();
  auto *Printer = new TextDiagnosticPrinter(Messages, Options.get());
  CompilerInstance Compiler;
  Compiler.setVerboseOutputStream(Messages);
  Compiler.createDiagnostics(Printer, /*ShouldOwnClient=*/true);
  if (!CompilerInvocation::CreateFromArgs(Compiler.getInvocation(), Arguments, Compiler.getDiagnostics()))
    return Result;
  // The text is never a file.
  Compiler.getPreprocessorOpts().addRemappedFile("kernels.cu",
                                                 llvm::MemoryBuffer::getMemBufferCopy(Request.Text, "kernels.cu").release());
  llvm::SmallString<0> Output;
  Compiler.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(Output));
  EmitAssemblyAction Action;
  Result.Succeeded = Compiler.ExecuteAction(Action) && !Compiler.getDiagnostics().hasErrorOccurred();
  Result.Text = std::string(Output);
  return Result;
}

} // namespace streamap
