//===- PackText.h - The argument pack as text -------------------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In C the front end can print the type of every value. In C++ it cannot: a
// type may depend on a template's parameters, or have no name. There a value's
// type is taken from the parameter list, by its place, and overloads in
// streamap/generated_cxx.h say how it lies in the pack.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_EMIT_PACKTEXT_H
#define STREAMAP_EMIT_PACKTEXT_H

#include "frontend/TaskModel.h"

#include <string>
#include <vector>

namespace streamap {

/// "a, b", or with another separator.
std::string joined(const std::vector<std::string> &Parts, const char *Separator = ", ");

/// Text about the values in one task's pack. Holds references only.
class PackText {
public:
  /// \p Type: of the pack. \p Signature: C++, names the task's function type.
  PackText(const TaskModel &Task, std::string Type, std::string Signature)
      : Task(Task), Type(std::move(Type)), Signature(std::move(Signature)) {}

  /// Members of the pack.
  std::string fields() const;

  /// What a function is called with that takes the parameters and, unless
  /// \p ParametersOnly, the captured values and memory reads; then \p Extra.
  std::string unpacked(bool ParametersOnly, const std::vector<std::string> &Extra = {}) const;

  /// Declares `streamap_pack_`, from the parameter `streamap_raw`.
  std::string open() const;

  /// Statements that fill `streamap_pack_` from the values in scope.
  std::vector<std::string> fill() const;

  /// What thunks get beside the parameters: captured values under their own
  /// names, memory reads under ours.
  std::vector<std::string> extraParameters() const;

  /// Rows of the table of parameters; empty if there are none.
  std::string rows() const;
  size_t rowCount() const;

  /// An expression for where the sections of parameter \p Index begin.
  std::string address(size_t Index) const;

private:
  bool isCXX() const { return Task.Shape != TaskShape::C; }
  std::string passing(size_t Index) const;
  std::string field(const ValueModel &Value) const;
  std::string capturedType(const ValueModel &Value) const;
  std::string row(const std::string &Name, const std::string &Field, const std::string &IsPointer, const ValueModel &Value) const;

  const TaskModel &Task;
  std::string Type, Signature;
};

} // namespace streamap

#endif
