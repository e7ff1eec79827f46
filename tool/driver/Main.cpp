//===- Main.cpp - streamap-cc and streamap-c++ -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Complaint.h"
#include "Driver.h"
#include "Signals.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

int main(int Count, const char **Arguments) {
  const llvm::ArrayRef<const char *> Argv(Arguments, static_cast<size_t>(Count));
  llvm::Expected<int> Status = streamap::drive(Argv);
  // Everything private is gone by now, so the signal may have its effect.
  if (int Signal = streamap::pendingSignal()) {
    llvm::consumeError(Status.takeError());
    streamap::endBySignal(Signal);
  }
  if (!Status)
    return streamap::showAndFail(Status.takeError(), llvm::sys::path::filename(Argv.front()));
  llvm::outs().flush();
  return *Status;
}
