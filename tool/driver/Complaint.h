//===- Complaint.h - What is wrong, in the user's terms -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors of the driver itself: they have no place in a source, so they are
// shown as `streamap-cc: error: text [SM1701]`.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DRIVER_COMPLAINT_H
#define STREAMAP_DRIVER_COMPLAINT_H

#include "directive/Diagnostics.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace streamap {

/// A numbered diagnostic of the driver on its way up to the user.
class Complaint : public llvm::ErrorInfo<Complaint> {
public:
  static char ID;

  Complaint(Diag Number, std::vector<std::string> Arguments, std::string Where)
      : Number(Number), Arguments(std::move(Arguments)), Where(std::move(Where)) {}

  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  /// Shows it on the standard error stream; \p ToolName is the name under
  /// which the tool was called.
  void show(llvm::StringRef ToolName) const;

private:
  Diag Number;
  std::vector<std::string> Arguments;
  std::string Where; ///< `file:line`, or empty
};

/// Makes the error \p Number of Diagnostics.def.
llvm::Error complain(Diag Number, std::vector<std::string> Arguments = {}, std::string Where = {});

/// Shows \p Problem, whatever its kind, and returns the exit status that it
/// leads to (never 0).
int showAndFail(llvm::Error Problem, llvm::StringRef ToolName);

} // namespace streamap

#endif
