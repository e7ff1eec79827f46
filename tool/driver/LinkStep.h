//===- LinkStep.h - Linking, with the runtime where tasks are -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DRIVER_LINKSTEP_H
#define STREAMAP_DRIVER_LINKSTEP_H

#include "Scratch.h"
#include "Session.h"

#include "llvm/Support/Error.h"

#include <map>
#include <string>

namespace streamap {

/// Whether a link of these inputs needs libstreamap: one of them refers to it,
/// and the user has not turned libraries off.
bool needsRuntime(const Session &Current);

/// Links as the user wrote it, with libstreamap added. Becomes the host
/// compiler.
llvm::Error linkWithRuntime(const Session &Current);

/// A link in which objects stand where sources stood.
class LinkStep {
public:
  /// Both must outlive this.
  LinkStep(const Session &Current, Scratch &Files) : Current(Current), Files(Files) {}

  /// \p Object was made from \p Source and takes its place.
  void replace(const Input &Source, std::string Object) { Objects[Source.Index] = std::move(Object); }

  /// Links. The result is an exit status.
  llvm::Expected<int> run();

private:
  std::vector<std::string> arguments() const;

  const Session &Current;
  Scratch &Files;
  std::map<unsigned, std::string> Objects;
};

} // namespace streamap

#endif
