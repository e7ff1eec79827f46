//===- PackText.cpp - The argument pack as text ---------------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emit/PackText.h"
#include "emit/SourceEdits.h"

namespace streamap {

std::string joined(const std::vector<std::string> &Parts, const char *Separator) {
  std::string Result;
  for (const std::string &Part : Parts) {
    if (!Result.empty())
      Result += Separator;
    Result += Part;
  }
  return Result;
}

namespace {

std::string readName(size_t Index) {
  return "streamap_read_" + std::to_string(Index);
}

std::string sizeField(const ValueModel &Value) {
  return "streamap_size_of_" + Value.Name;
}

} // namespace

//===--- Types in C++ -----------------------------------------------------===//

std::string PackText::passing(size_t Index) const {
  return "streamap_pass<streamap_at<" + std::to_string(Index) + ", " + Signature + "> >";
}

std::string PackText::capturedType(const ValueModel &Value) const {
  return "typename streamap_bare<decltype(" + Value.Name + ")>::streamap_type";
}

/// A member hides what stands outside under its name, as streamap_at of a parameter `at` would.
std::string PackText::field(const ValueModel &Value) const {
  return (isCXX() ? "streamap_value_" : "streamap_") + Value.Name;
}

//===--- The pack ---------------------------------------------------------===//

std::string PackText::fields() const {
  std::string Result;
  for (size_t I = 0; I < Task.Parameters.size(); ++I) {
    const ValueModel &Value = Task.Parameters[I];
    if (!isCXX())
      Result += Value.Field + "; ";
    else if (Value.Passed == Passing::Span)
      Result += "void *" + field(Value) + "; streamap_size " + sizeField(Value) + "; ";
    else
      Result += "typename " + passing(I) + "::streamap_stored " + field(Value) + "; ";
  }
  for (const ValueModel &Value : Task.Captured)
    Result += isCXX() ? "typename streamap_pass<" + capturedType(Value) + ">::streamap_stored " + field(Value) + "; "
                      : Value.Field + "; ";
  for (size_t I = 0; I < Task.Reads.size(); ++I)
    Result += Task.Reads[I].Type + " " + readName(I) + "; ";
  return Result.empty() ? "char streamap_nothing; " : Result;
}

std::string PackText::unpacked(bool ParametersOnly, const std::vector<std::string> &Extra) const {
  std::vector<std::string> Arguments;
  const std::string From = "streamap_pack_->";
  for (size_t I = 0; I < Task.Parameters.size(); ++I) {
    const ValueModel &Value = Task.Parameters[I];
    if (!isCXX())
      Arguments.push_back(From + field(Value));
    else if (Value.Passed == Passing::Span)
      Arguments.push_back("streamap_span<streamap_at<" + std::to_string(I) + ", " + Signature + "> >::streamap_get(" + From +
                          field(Value) + ", " + From + sizeField(Value) + ")");
    else
      Arguments.push_back(passing(I) + "::streamap_get(" + From + field(Value) + ")");
  }
  if (!ParametersOnly) {
    for (const ValueModel &Value : Task.Captured)
      Arguments.push_back(isCXX() ? "streamap_pass<" + capturedType(Value) + ">::streamap_get(" + From + field(Value) + ")"
                                  : From + field(Value));
    for (size_t I = 0; I < Task.Reads.size(); ++I)
      Arguments.push_back(From + readName(I));
  }
  Arguments.insert(Arguments.end(), Extra.begin(), Extra.end());
  return joined(Arguments);
}

std::string PackText::open() const {
  if (Task.Parameters.empty() && Task.Captured.empty() && Task.Reads.empty())
    return "(void)streamap_raw; ";
  return "const " + Type + " *streamap_pack_ = (const " + Type + " *)streamap_raw; ";
}

std::vector<std::string> PackText::fill() const {
  std::vector<std::string> Lines = {"__builtin_memset(&streamap_pack_, 0, sizeof streamap_pack_);"};
  const std::string To = "streamap_pack_.";
  auto copy = [&](const ValueModel &Value) {
    if (Value.IsRecord)
      Lines.push_back("__builtin_memcpy(&" + To + field(Value) + ", &" + Value.Name + ", sizeof " + Value.Name + ");");
    else
      Lines.push_back(To + field(Value) + " = " + (Value.IsPointer ? "(void *)" : "") + Value.Name + ";");
  };
  for (size_t I = 0; I < Task.Parameters.size(); ++I) {
    const ValueModel &Value = Task.Parameters[I];
    if (!isCXX())
      copy(Value);
    else if (Value.Passed == Passing::Span)
      Lines.push_back(To + field(Value) + " = const_cast<void *>(" + address(I) + "); " + To + sizeField(Value) + " = " +
                      Value.Name + ".size();");
    else
      Lines.push_back(passing(I) + "::streamap_put(" + To + field(Value) + ", " + Value.Name + ");");
  }
  for (const ValueModel &Value : Task.Captured)
    if (isCXX())
      Lines.push_back("streamap_pass<" + capturedType(Value) + ">::streamap_put(" + To + field(Value) + ", " + Value.Name + ");");
    else
      copy(Value);
  for (size_t I = 0; I < Task.Reads.size(); ++I) {
    for (const std::string &Source : Task.Reads[I].Sources)
      Lines.push_back("streamap_wait_on_bytes((const void *)&(" + Source + "), sizeof(" + Source + "));");
    Lines.push_back(To + readName(I) + " = (" + Task.Reads[I].Text + ");");
  }
  return Lines;
}

std::vector<std::string> PackText::extraParameters() const {
  std::vector<std::string> Result;
  for (const ValueModel &Value : Task.Captured)
    Result.push_back(isCXX() ? capturedType(Value) + " " + Value.Name : Value.Declared);
  for (size_t I = 0; I < Task.Reads.size(); ++I)
    Result.push_back(Task.Reads[I].Type + " " + readName(I));
  return Result;
}

//===--- The table --------------------------------------------------------===//

std::string PackText::row(const std::string &Name, const std::string &Field, const std::string &IsPointer,
                          const ValueModel &Value) const {
  std::string Scalar = std::to_string(Value.Scalar);
  if (Value.Operator != 0 && !Value.Element.empty())
    Scalar = "streamap_scalar_of<decltype(" + Value.Element + ")>::streamap_value";
  return "{" + quoted(Name) + ", (unsigned)__builtin_offsetof(" + Type + ", " + Field + "), (unsigned)sizeof(((" + Type +
         " *)0)->" + Field + "), " + IsPointer + ", " + std::to_string(Value.Access) + ", " + std::to_string(Value.Operator) +
         ", " + Scalar + "}, ";
}

std::string PackText::rows() const {
  std::string Rows;
  for (size_t I = 0; I < Task.Parameters.size(); ++I) {
    const ValueModel &Value = Task.Parameters[I];
    std::string IsPointer = Value.IsPointer ? "1" : "0";
    if (isCXX() && Value.Passed != Passing::Span)
      IsPointer = passing(I) + "::streamap_is_pointer";
    Rows += row(Value.Name, field(Value), IsPointer, Value);
  }
  for (const ValueModel &Value : Task.Captured)
    Rows += row(Value.Name, field(Value), "0", Value);
  for (size_t I = 0; I < Task.Reads.size(); ++I)
    Rows += row(Task.Reads[I].Text, readName(I), "0", ValueModel());
  for (const ValueModel &Value : Task.Parameters)
    if (Value.Passed == Passing::Span)
      Rows += row("size of " + Value.Name, sizeField(Value), "0", ValueModel());
  return Rows;
}

size_t PackText::rowCount() const {
  size_t Count = Task.Parameters.size() + Task.Captured.size() + Task.Reads.size();
  for (const ValueModel &Value : Task.Parameters)
    Count += Value.Passed == Passing::Span;
  return Count;
}

std::string PackText::address(size_t Index) const {
  const ValueModel &Value = Task.Parameters[Index];
  if (!isCXX())
    return "(const void *)" + Value.Name;
  switch (Value.Passed) {
  case Passing::Span:
    return "streamap_base(" + Value.Name + ".data())";
  case Passing::Reference:
    return "streamap_base(__builtin_addressof(" + Value.Name + "))";
  default:
    return "streamap_base(" + Value.Name + ")";
  }
}

} // namespace streamap
