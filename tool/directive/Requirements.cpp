//===- Requirements.cpp - require(cc>=8.0, memory>=40GiB) -----------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "directive/DirectiveParser.h"
#include "directive/Literals.h"

#include "llvm/ADT/StringSwitch.h"

using llvm::StringRef;

namespace streamap {

void DirectiveParser::parseRequirements(Clause &Into, Fragment Arguments) {
  forEachEntry(Arguments, "a requirement", [&](Fragment Range) { parseRequirement(Into, Range); });
}

void DirectiveParser::parseRequirement(Clause &Into, Fragment Range) {
  StringRef Name = Tokens[Range.Begin].Text;
  const RequireWord *Word = findRequireWord(Name);
  if (!Word) {
    StringRef Near = isKind(Range.Begin, Kind::Identifier) ? nearestRequirement(Name) : StringRef();
    DirectiveError &Error = error(Diag::UnknownRequirement, Range.Begin, {Name.str(), Near.str()});
    if (!Near.empty())
      replace(Error, {Range.Begin, Range.Begin + 1}, Near.str());
    return;
  }
  RequireExpr Requirement;
  Requirement.RequireKey = Word->Key;
  Requirement.Whole = Range;
  Fragment Rest{Range.Begin + 1, Range.End};
  switch (Word->Key) {
  case RequireExpr::Key::CC:
    if (parseRelation(*Word, Rest, Requirement))
      parseComputeCapability(*Word, Rest, Requirement);
    break;
  case RequireExpr::Key::Memory:
    if (parseRelation(*Word, Rest, Requirement))
      parseDeviceMemory(*Word, Rest, Requirement);
    break;
  case RequireExpr::Key::TensorCore:
    if (!Rest.empty())
      replace(error(Diag::UnexpectedBehind, Rest.Begin, {Tokens[Rest.Begin].Text, Name.str()}), Rest, "");
    break;
  case RequireExpr::Key::Vendor:
  case RequireExpr::Key::Name:
  case RequireExpr::Key::UUID:
  case RequireExpr::Key::Label:
    parseNamed(*Word, Rest, Requirement);
    break;
  }
  Into.Requirements.push_back(std::move(Requirement));
}

/// Takes the relation off the front of \p Range.
bool DirectiveParser::parseRelation(const RequireWord &Word, Fragment &Range, RequireExpr &Into) {
  using Relation = RequireExpr::Relation;
  std::string Value = Word.Key == RequireExpr::Key::CC ? "8.0" : "40GiB";
  auto Read = Range.empty() ? std::optional<Relation>()
                            : llvm::StringSwitch<std::optional<Relation>>(Tokens[Range.Begin].Text)
                                  .Case("==", Relation::EQ)
                                  .Case(">=", Relation::GE)
                                  .Case(">", Relation::GT)
                                  .Case("<=", Relation::LE)
                                  .Case("<", Relation::LT)
                                  .Default(std::nullopt);
  if (!Read) {
    DirectiveError &Error = error(Diag::RequirementRelation, Range.Begin, {Word.Word.str(), Value});
    if (Range.Begin < Range.End && at(Range.Begin, "="))
      replace(Error, {Range.Begin, Range.Begin + 1}, "==");
    return false;
  }
  Into.Rel = *Read;
  ++Range.Begin;
  return true;
}

void DirectiveParser::parseComputeCapability(const RequireWord &Word, Fragment Value, RequireExpr &Into) {
  std::optional<int64_t> Number;
  if (Value.End - Value.Begin == 1 && isKind(Value.Begin, Kind::Number))
    Number = readComputeCapability(Tokens[Value.Begin].Text);
  if (Number)
    Into.Number = *Number;
  else
    error(Diag::RequirementValue, Value.Begin, {text(Value), Word.Word.str(), Word.Example.str()});
}

void DirectiveParser::parseDeviceMemory(const RequireWord &Word, Fragment Value, RequireExpr &Into) {
  std::vector<std::string> Arguments = {text(Value), Word.Word.str(), Word.Example.str()};
  unsigned Count = Value.End - Value.Begin;
  if (Count < 1 || Count > 2 || !isKind(Value.Begin, Kind::Number)) {
    error(Diag::RequirementValue, Value.Begin, std::move(Arguments));
    return;
  }
  // `40GiB` is one preprocessing number, `40 GiB` two tokens.
  SizeText Size = splitSize(Tokens[Value.Begin].Text);
  if (Count == 2 && Size.Unit.empty())
    Size.Unit = Tokens[Value.Begin + 1].Text;
  else if (Count == 2 || Size.Unit.empty()) {
    error(Diag::RequirementValue, Value.Begin, std::move(Arguments));
    return;
  }
  std::optional<int64_t> Unit = bytesOfUnit(Size.Unit);
  if (!Unit) {
    DirectiveError &Error = error(Diag::RequirementUnit, Value.End - 1, {Size.Unit.str()});
    Error.Offset = Count == 1 ? static_cast<unsigned>(Size.Number.size()) : 0;
    return;
  }
  if (std::optional<int64_t> Bytes = readSize(Size.Number, *Unit))
    Into.Number = *Bytes;
  else
    error(Diag::RequirementValue, Value.Begin, std::move(Arguments));
}

/// `vendor(nvidia)`, `name("A100")`.
void DirectiveParser::parseNamed(const RequireWord &Word, Fragment Range, RequireExpr &Into) {
  bool BareWord = Word.Key == RequireExpr::Key::Vendor || Word.Key == RequireExpr::Key::Label;
  if (Range.empty() || !at(Range.Begin, "(") || Match[Range.Begin] + 1 != Range.End) {
    error(Diag::RequirementArgument, Range.Begin, {Word.Word.str(), BareWord ? "name" : "\"text\""});
    return;
  }
  Fragment Value{Range.Begin + 1, Range.End - 1};
  bool Single = Value.End - Value.Begin == 1;
  std::optional<std::string> Text;
  if (Single && isKind(Value.Begin, Kind::String))
    Text = readString(Tokens[Value.Begin].Text);
  else if (Single && BareWord && isKind(Value.Begin, Kind::Identifier))
    Text = Tokens[Value.Begin].Text;
  if (!Text || Text->empty()) {
    error(Diag::RequirementValue, Value.Begin, {text(Value), Word.Word.str(), Word.Example.str()});
    return;
  }
  if (Word.Key == RequireExpr::Key::Vendor &&
      !llvm::StringSwitch<bool>(*Text).Cases("nvidia", "amd", "intel", true).Default(false)) {
    StringRef Near = nearestVendor(*Text);
    DirectiveError &Error = error(Diag::UnknownVendor, Value.Begin, {*Text, Near.str()});
    if (!Near.empty())
      replace(Error, Value, Near.str());
    return;
  }
  Into.Text = std::move(*Text);
}

} // namespace streamap
