//===- Scratch.h - Files that must not outlive a failed or killed compile -*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DRIVER_SCRATCH_H
#define STREAMAP_DRIVER_SCRATCH_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace streamap {

/// A private directory and a list of outputs. The directory goes when this
/// goes; the outputs go with it unless keepOutputs() was called. A signal that
/// ends the tool removes both as well. One at a time in a process, used by one
/// thread.
class Scratch {
public:
  /// Makes the directory (in $TMPDIR), and handles the signals that end a
  /// process from now on.
  static llvm::Expected<std::unique_ptr<Scratch>> create();
  ~Scratch();
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  llvm::StringRef directory() const { return Directory; }

  /// A path in the directory for a file called \p Name, or nearly so where
  /// another has that name already. The file is not made.
  std::string file(llvm::StringRef Name);

  /// \p Path is about to be written by a step that may fail. Ignored where it
  /// is not a plain file (`-`, /dev/null).
  void output(llvm::StringRef Path);

  /// Everything worked: the outputs stay.
  void keepOutputs();

private:
  explicit Scratch(std::string Directory);
  std::string Directory;
  llvm::StringSet<> Names;
};

} // namespace streamap

#endif
