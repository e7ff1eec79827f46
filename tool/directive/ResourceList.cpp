//===- ResourceList.cpp - 2:G, (n / 64):C, *:C, [0-3]:G -------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "directive/DirectiveParser.h"
#include "directive/Literals.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <tuple>

using llvm::StringRef;

namespace streamap {

namespace {

/// The letter of a resource, for texts; a number of tasks with an unknown
/// resource shows as a CPU task.
std::string letterOf(ResourceKind Kind) {
  return Kind == ResourceKind::G ? "G" : "C";
}

DirectiveError listError(Diag Id, unsigned Token, std::vector<std::string> Arguments) {
  DirectiveError Error;
  Error.Number = static_cast<unsigned>(Id);
  Error.Token = Token;
  Error.Arguments = std::move(Arguments);
  return Error;
}

/// What is wrong with the values of one item.
std::optional<DirectiveError> checkItem(const ResourceItem &Item) {
  using Form = ResourceItem::Form;
  if (Item.ItemForm == Form::All || !Item.FirstValue)
    return std::nullopt;
  int64_t First = *Item.FirstValue, Last = Item.LastValue.value_or(First);
  if (Item.ItemForm == Form::Numbered) {
    if (First < 0)
      return listError(Diag::BadTaskNumber, Item.First.Begin, {std::to_string(First)});
    if (Last >= MaxTasks)
      return listError(Diag::CountTooLarge, Item.Last.Begin, {std::to_string(Last), std::to_string(MaxTasks)});
    if (First > Last)
      return listError(Diag::BackwardRange, Item.First.Begin,
                       {std::to_string(First), std::to_string(Last), std::to_string(First) + "-" + std::to_string(Last)});
    return std::nullopt;
  }
  if (First == 0)
    return listError(Diag::ZeroTasks, Item.Count.Begin, {"0", letterOf(Item.Kind)});
  if (First < 0)
    return listError(Diag::NegativeCount, Item.Count.Begin, {std::to_string(First)});
  if (First > MaxTasks)
    return listError(Diag::CountTooLarge, Item.Count.Begin, {std::to_string(First), std::to_string(MaxTasks)});
  return std::nullopt;
}

/// Every number from 0 on has to be named by one item.
std::optional<DirectiveError> checkNumbering(const std::vector<ResourceItem> &Items) {
  std::vector<const ResourceItem *> Ascending;
  for (const ResourceItem &Item : Items) {
    if (Item.ItemForm != ResourceItem::Form::Numbered || !Item.FirstValue || !Item.LastValue)
      return std::nullopt;
    Ascending.push_back(&Item);
  }
  llvm::sort(Ascending, [](const ResourceItem *A, const ResourceItem *B) {
    return std::tie(*A->FirstValue, A->Whole.Begin) < std::tie(*B->FirstValue, B->Whole.Begin);
  });
  int64_t Free = 0;
  for (const ResourceItem *Item : Ascending) {
    if (*Item->FirstValue < Free)
      return listError(Diag::TaskNamedTwice, Item->First.Begin, {std::to_string(*Item->FirstValue)});
    if (*Item->FirstValue > Free)
      return listError(Diag::TaskNotNamed, Item->First.Begin, {std::to_string(Free), std::to_string(*Item->FirstValue)});
    Free = *Item->LastValue + 1;
  }
  return std::nullopt;
}

/// The sum of the counts that are known.
std::optional<DirectiveError> checkTotal(const std::vector<ResourceItem> &Items) {
  int64_t Total = 0;
  for (const ResourceItem &Item : Items) {
    bool Counted = Item.ItemForm == ResourceItem::Form::Constant || Item.ItemForm == ResourceItem::Form::Expression;
    Total += Counted ? Item.FirstValue.value_or(0) : 0; // each is at most MaxTasks, and a line is short
    if (Total > MaxTasks)
      return listError(Diag::CountTooLarge, Item.Count.Begin, {std::to_string(Total), std::to_string(MaxTasks)});
  }
  return std::nullopt;
}

} // namespace

std::vector<DirectiveError> checkTaskList(const std::vector<ResourceItem> &Items) {
  std::vector<DirectiveError> Errors;
  for (const ResourceItem &Item : Items)
    if (std::optional<DirectiveError> Error = checkItem(Item))
      Errors.push_back(std::move(*Error));
  if (!Errors.empty())
    return Errors;
  std::optional<DirectiveError> Error = checkNumbering(Items);
  if (!Error)
    Error = checkTotal(Items);
  if (Error)
    Errors.push_back(std::move(*Error));
  return Errors;
}

//===--- Where an item begins and ends ------------------------------------===//

bool DirectiveParser::startsItem(unsigned I) const {
  switch (Tokens[I].TokenKind) {
  case Kind::Number:
  case Kind::String:
  case Kind::Char:
    return true;
  case Kind::Identifier:
    // `G` alone lacks its number; `N:G` has a constant's name for it.
    return !startsClause(I) && ((findResource(Tokens[I].Text) && !at(I + 1, "(")) || findColon(I) != End);
  case Kind::Punctuator:
    return llvm::is_contained({"*", "[", "(", "-", "+", "~", "!", ":", "::"}, StringRef(Tokens[I].Text));
  case Kind::Unknown:
    return false;
  }
  return false;
}

/// The ':' behind the number of tasks that begins at \p From; End if the item
/// has none. It ends at a comma, at a clause, and where two operands meet.
unsigned DirectiveParser::findColon(unsigned From) const {
  auto isOperand = [&](unsigned I) { return isKind(I, Kind::Identifier) || isKind(I, Kind::Number); };
  bool AfterOperand = false;
  for (unsigned I = From; I < End; I = next(I)) {
    if (at(I, ":") || at(I, "::"))
      return I;
    if (at(I, ",") || (I != From && startsClause(I)) || (AfterOperand && isOperand(I)))
      return End;
    AfterOperand = isOperand(I) || isOpen(I);
  }
  return End;
}

/// Leaves an item that is wrong: to the next comma or clause, past its colon
/// and resource.
void DirectiveParser::skipItem() {
  unsigned Colon = findColon(Pos);
  if (Colon != End)
    Pos = std::min(Colon + 2, End);
  else
    Pos = next(Pos);
  if (Colon != End && at(Pos - 1, ","))
    --Pos;
}

//===--- Items ------------------------------------------------------------===//

void DirectiveParser::parseItem(Directive &Result) {
  unsigned Begin = Pos;
  unsigned Colon = findColon(Begin);
  if (Colon == End) {
    reportNoColon(Begin);
    return;
  }
  // The first colon of `n ? 2 : 3:C` is not the one before the resource.
  if (find({Begin, Colon}, "?") != Colon) {
    Pos = Colon + 1;
    unsigned Stop = findColon(Pos);
    error(Diag::CountNeedsParentheses, Begin, {text({Begin, Stop})});
    Pos = std::min(Stop + 2, End);
    return;
  }
  ResourceItem Item;
  size_t Before = Errors.size();
  Pos = Colon;
  bool HasResource = parseItemResource(Item, {Begin, Colon});
  // Behind the resource, so that texts can name it; errors are sorted anyway.
  bool HasCount = parseCount(Item, Begin, Colon);
  Item.Whole = {Begin, Pos};
  if (HasResource && HasCount && Errors.size() == Before)
    Result.Items.push_back(std::move(Item));
}

void DirectiveParser::reportNoColon(unsigned Begin) {
  StringRef Word = Tokens[Begin].Text;
  Pos = next(Begin);
  if (findResource(Word)) {
    error(Diag::MissingCount, Begin, {Word.str(), Word.str()});
    return;
  }
  // `2G`: the number and the letter are one preprocessing token.
  if (isKind(Begin, Kind::Number) && findResource(Word.take_back(1)) && llvm::all_of(Word.drop_back(1), llvm::isDigit)) {
    std::string Number = Word.drop_back(1).str();
    replace(error(Diag::MissingColon, Begin, {Number}), {Begin, Begin + 1}, Number + ":" + Word.back());
    return;
  }
  if (isKind(Begin, Kind::String) || isKind(Begin, Kind::Char)) {
    error(Diag::BadCount, Begin, {Word.str()});
    return;
  }
  DirectiveError &Error = error(Diag::MissingColon, Begin, {text({Begin, Pos})});
  if (Pos < End && isKind(Pos, Kind::Identifier) && findResource(Tokens[Pos].Text)) {
    insertBehind(Error, Pos - 1, ":");
    ++Pos;
  }
}

bool DirectiveParser::parseItemResource(ResourceItem &Item, Fragment Count) {
  unsigned Colon = Pos++;
  bool Good = true;
  if (at(Colon, "::") || at(Pos, ":")) {
    unsigned Stop = at(Pos, ":") ? Pos + 1 : Pos;
    replace(error(Diag::DoubleColon, Colon), {Colon, Stop}, ":");
    Pos = Stop;
    Good = false;
  }
  std::string Number = text(Count);
  if (!isKind(Pos, Kind::Identifier) || startsClause(Pos)) {
    std::string Found = Pos < End && !at(Pos, ",") && !startsClause(Pos) ? Tokens[Pos].Text : "";
    error(Diag::MissingResource, std::min(Pos, End), {Number, Found});
    if (isKind(Pos, Kind::Number) && !at(Pos + 1, ":"))
      ++Pos;
    return false;
  }
  StringRef Word = Tokens[Pos].Text;
  if (std::optional<ResourceKind> Kind = findResource(Word)) {
    Item.Kind = *Kind;
    ++Pos;
    return Good;
  }
  StringRef Rest = Word.drop_front(1);
  std::optional<ResourceKind> First = findResource(Word.take_front(1));
  bool NumberGlued = First && llvm::all_of(Rest, llvm::isDigit) && at(Pos + 1, ":");
  if (NumberGlued || (First && findClauseWord(Rest))) {
    std::string Apart = Word.take_front(1).str() + (NumberGlued ? ", " : " ") + Rest.str();
    replace(error(Diag::MissingSeparator, Pos, {Word.str(), Number + ":" + Apart}), {Pos, Pos + 1}, Apart);
    // The glued number's own ':' and resource, or the glued clause's list.
    Pos = NumberGlued ? std::min(Pos + 3, End) : (at(Pos + 1, "(") ? Match[Pos + 1] + 1 : Pos + 1);
    return false;
  }
  DirectiveError &Error = error(Diag::UnknownResource, Pos, {Word.str()});
  if (Word.equals_insensitive("gpu") || Word.equals_insensitive("cpu"))
    replace(Error, {Pos, Pos + 1}, Word.take_front(1).upper());
  ++Pos;
  return false;
}

bool DirectiveParser::parseCount(ResourceItem &Item, unsigned Begin, unsigned Colon) {
  using Form = ResourceItem::Form;
  if (Begin == Colon) {
    std::string Letter = Pos > Colon + 1 && findResource(Tokens[Pos - 1].Text) ? Tokens[Pos - 1].Text : "";
    error(Diag::MissingCount, Begin, {Tokens[Begin].Text, Letter});
    return false;
  }
  Item.Count = {Begin, Colon};
  bool OneBracket = isOpen(Begin) && Match[Begin] + 1 == Colon;
  if (Colon == Begin + 1 && at(Begin, "*")) {
    Item.ItemForm = Form::All;
    Item.Count = {};
    return true;
  }
  if (OneBracket && at(Begin, "["))
    return parseNumbered(Item, Begin);
  if (OneBracket && at(Begin, "(")) {
    Item.ItemForm = Form::Expression;
    Item.Count = {Begin + 1, Colon - 1};
    if (Item.Count.empty()) {
      error(Diag::MissingExpression, Colon - 1, {")"});
      return false;
    }
    if (Colon == Begin + 3 && isKind(Begin + 1, Kind::Number))
      return parseLiteralCount(Item, Begin + 1);
    return checkExpression(Item.Count);
  }
  Item.ItemForm = Form::Constant;
  if (Colon == Begin + 1 && isKind(Begin, Kind::Number))
    return parseLiteralCount(Item, Begin);
  if (Colon == Begin + 2 && at(Begin, "-") && isKind(Begin + 1, Kind::Number)) {
    error(Diag::NegativeCount, Begin, {text(Item.Count)});
    return false;
  }
  bool Literal = isKind(Begin, Kind::String) || isKind(Begin, Kind::Char);
  if (Literal || at(Begin, "[") || at(Begin, "{") || at(Begin, "*")) {
    error(Diag::BadCount, Begin, {text(Item.Count)});
    return false;
  }
  return checkExpression(Item.Count);
}

bool DirectiveParser::parseLiteralCount(ResourceItem &Item, unsigned Token) {
  using Outcome = IntegerLiteral::Outcome;
  IntegerLiteral Literal = readInteger(Tokens[Token].Text);
  switch (Literal.Kind) {
  case Outcome::Fraction:
    error(Diag::FractionalCount, Token, {Tokens[Token].Text});
    return false;
  case Outcome::Malformed:
    error(Diag::BadCount, Token, {Tokens[Token].Text});
    return false;
  case Outcome::TooLarge:
    error(Diag::CountTooLarge, Token, {Tokens[Token].Text, std::to_string(MaxTasks)});
    return false;
  case Outcome::Integer:
    if (Literal.Value > static_cast<uint64_t>(MaxTasks)) {
      error(Diag::CountTooLarge, Token, {Tokens[Token].Text, std::to_string(MaxTasks)});
      return false;
    }
    Item.FirstValue = static_cast<int64_t>(Literal.Value);
    if (std::optional<DirectiveError> Error = checkItem(Item)) {
      Error->Token = Token;
      Errors.push_back(std::move(*Error));
      return false;
    }
    return true;
  }
  return false;
}

//===--- Tasks named by number --------------------------------------------===//

bool DirectiveParser::parseNumbered(ResourceItem &Item, unsigned Open) {
  Item.ItemForm = ResourceItem::Form::Numbered;
  Item.Count = {};
  Fragment Inside{Open + 1, Match[Open]};
  unsigned Dash = find(Inside, "-");
  for (const char *Wrong : {":", "::", ",", ".", "..."}) {
    if (unsigned I = find(Inside, Wrong); I != Inside.End) {
      DirectiveError &Error = error(Diag::BadTaskNumber, I, {Tokens[I].Text});
      if (at(I, ":"))
        replace(Error, {I, I + 1}, "-");
      return false;
    }
  }
  if (Inside.empty() || Dash == Inside.Begin || Dash + 1 == Inside.End) {
    unsigned Caret = Inside.empty() || Dash == Inside.Begin ? Inside.Begin : Inside.End;
    error(Diag::BadTaskNumber, Caret, {Tokens[Caret].Text});
    return false;
  }
  Item.First = Item.Last = Inside;
  if (Dash != Inside.End) {
    Item.First = {Inside.Begin, Dash};
    Item.Last = {Dash + 1, Inside.End};
    if (unsigned Second = find(Item.Last, "-"); Second != Inside.End) {
      error(Diag::SeveralDashes, Second);
      return false;
    }
  }
  if (!readTaskNumber(Item.First, Item.First.Begin, Item.FirstValue) ||
      !readTaskNumber(Item.Last, Item.Last.Begin, Item.LastValue))
    return false;
  if (!Item.FirstValue || !Item.LastValue)
    return true;
  if (std::optional<DirectiveError> Error = checkItem(Item)) {
    Errors.push_back(std::move(*Error));
    return false;
  }
  return true;
}

/// \p Value stays empty when \p Number is no literal.
bool DirectiveParser::readTaskNumber(Fragment Number, unsigned Caret, std::optional<int64_t> &Value) {
  if (Number.End - Number.Begin != 1 || isKind(Number.Begin, Kind::Identifier))
    return checkExpression(Number);
  IntegerLiteral Literal = readInteger(Tokens[Number.Begin].Text);
  bool TooLarge = Literal.Kind == IntegerLiteral::Outcome::TooLarge || Literal.Value >= static_cast<uint64_t>(MaxTasks);
  if (TooLarge) {
    error(Diag::CountTooLarge, Caret, {Tokens[Number.Begin].Text, std::to_string(MaxTasks)});
    return false;
  }
  if (!isKind(Number.Begin, Kind::Number) || Literal.Kind != IntegerLiteral::Outcome::Integer) {
    error(Diag::BadTaskNumber, Caret, {Tokens[Number.Begin].Text});
    return false;
  }
  Value = static_cast<int64_t>(Literal.Value);
  return true;
}

//===--- The list as a whole ----------------------------------------------===//

void DirectiveParser::checkList(const Directive &Result) {
  using Form = ResourceItem::Form;
  if (!Errors.empty() || Result.Items.empty())
    return;
  bool Numbered = Result.Items.front().ItemForm == Form::Numbered;
  const ResourceItem *All[2] = {nullptr, nullptr};
  for (const ResourceItem &Item : Result.Items) {
    if ((Item.ItemForm == Form::Numbered) != Numbered) {
      std::string Here = text(Item.Whole), First = text(Result.Items.front().Whole);
      error(Diag::MixedList, Item.Whole.Begin, Numbered ? std::vector{First, Here} : std::vector{Here, First});
      return;
    }
    if (Item.ItemForm != Form::All)
      continue;
    const ResourceItem *&Seen = All[Item.Kind == ResourceKind::G];
    if (Seen) {
      error(Diag::AllTwice, Item.Whole.Begin, {letterOf(Item.Kind)});
      return;
    }
    Seen = &Item;
  }
  for (DirectiveError &Error : checkTaskList(Result.Items))
    Errors.push_back(std::move(Error));
}

} // namespace streamap
