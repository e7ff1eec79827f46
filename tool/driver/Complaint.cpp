//===- Complaint.cpp - What is wrong, in the user's terms -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Complaint.h"

#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

namespace streamap {

char Complaint::ID;

void Complaint::log(llvm::raw_ostream &OS) const {
  const DiagInfo *Info = findDiagnostic(Number);
  OS << (Info ? fillText(Info->Text, Arguments) : "unknown error") << " [SM" << static_cast<unsigned>(Number) << ']';
}

void Complaint::show(llvm::StringRef ToolName) const {
  const llvm::StringRef Prefix = Where.empty() ? ToolName : llvm::StringRef(Where);
  llvm::raw_ostream &OS = llvm::WithColor::error(llvm::errs(), Prefix);
  log(OS);
  OS << '\n';
  const DiagInfo *Info = findDiagnostic(Number);
  const std::string Hint = Info ? fillText(Info->Hint, Arguments) : std::string();
  if (!Hint.empty())
    llvm::WithColor::note(llvm::errs(), Prefix) << Hint << '\n';
}

llvm::Error complain(Diag Number, std::vector<std::string> Arguments, std::string Where) {
  return llvm::make_error<Complaint>(Number, std::move(Arguments), std::move(Where));
}

int showAndFail(llvm::Error Problem, llvm::StringRef ToolName) {
  llvm::handleAllErrors(
      std::move(Problem), [&](const Complaint &C) { C.show(ToolName); },
      [&](const llvm::ErrorInfoBase &Other) { llvm::WithColor::error(llvm::errs(), ToolName) << Other.message() << '\n'; });
  return 1;
}

} // namespace streamap
