//===- Scratch.cpp - Files that must not outlive a failed or killed compile -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scratch.h"
#include "Complaint.h"
#include "Signals.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace streamap {

Scratch::Scratch(std::string Directory) : Directory(std::move(Directory)) {}

llvm::Expected<std::unique_ptr<Scratch>> Scratch::create() {
  handleSignals();
  llvm::SmallString<128> Path;
  const SignalsHeldBack UntilListed; // or a signal between the two would leave the folder behind
  if (std::error_code Problem = llvm::sys::fs::createUniqueDirectory("streamap", Path))
    return complain(Diag::CannotWrite, {Path.str().str(), Problem.message()});
  removeOnSignal(Path, Removal::Directory);
  return std::unique_ptr<Scratch>(new Scratch(Path.str().str()));
}

Scratch::~Scratch() {
  removeNow(Removal::Output);
  llvm::sys::fs::remove_directories(Directory);
  forgetRemovals();
}

std::string Scratch::file(llvm::StringRef Name) {
  const llvm::StringRef Stem = Name.substr(0, Name.find('.', 1)), Extensions = Name.drop_front(Stem.size());
  std::string Unique = Name.str();
  for (unsigned Count = 1; !Names.insert(Unique).second; ++Count)
    Unique = (Stem + "-" + llvm::Twine(Count) + Extensions).str();
  llvm::SmallString<128> Path(Directory);
  llvm::sys::path::append(Path, Unique);
  removeOnSignal(Path, Removal::Temporary);
  return Path.str().str();
}

void Scratch::output(llvm::StringRef Path) {
  if (Path.empty() || Path == "-" || (llvm::sys::fs::exists(Path) && !llvm::sys::fs::is_regular_file(Path)))
    return;
  removeOnSignal(Path, Removal::Output);
}

void Scratch::keepOutputs() {
  forgetRemovals(Removal::Output);
}

} // namespace streamap
