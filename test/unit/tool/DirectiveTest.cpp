//===- DirectiveTest.cpp - The grammar, against tables --------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables are text files that the compile tests read too: a directive, and
// below it how it is understood ("= ...") or the numbers of its errors, each
// with a caret where it is reported.
//
//===----------------------------------------------------------------------===//

#include "directive/Directive.h"
#include "PragmaLexer.h"
#include "directive/Diagnostics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

using namespace streamap;

namespace {

std::vector<std::string> readLines(const std::string &Name) {
  std::ifstream File(std::string(STREAMAP_DIRECTIVE_TABLES "/") + Name);
  EXPECT_TRUE(File) << "cannot read " << Name;
  std::vector<std::string> Lines;
  for (std::string Line; std::getline(File, Line);)
    Lines.push_back(Line);
  return Lines;
}

/// An error as the table writes it.
struct Place {
  unsigned Column, Number;
  auto operator<=>(const Place &) const = default;
};

std::ostream &operator<<(std::ostream &Out, const Place &At) {
  return Out << "SM" << At.Number << " in column " << At.Column;
}

bool isCaretLine(const std::string &Line) {
  size_t First = Line.find_first_not_of(' ');
  return First != std::string::npos && Line[First] == '^';
}

void readCarets(const std::string &Line, std::vector<Place> &Into) {
  for (size_t At = Line.find('^'); At != std::string::npos; At = Line.find('^', At + 1))
    Into.push_back({static_cast<unsigned>(At), static_cast<unsigned>(std::stoul(Line.substr(At + 1)))});
}

std::vector<Place> placesOf(const ParsedDirective &Parsed, const LexedPragma &Lexed, const std::string &Text) {
  std::vector<Place> Places;
  for (const DirectiveError &Error : Parsed.Errors) {
    bool AtEnd = Error.Token >= Lexed.Columns.size();
    unsigned Column = AtEnd ? static_cast<unsigned>(Text.size()) : Lexed.Columns[Error.Token] + Error.Offset;
    Places.push_back({Column, Error.Number});
  }
  return Places;
}

/// Writes what the parser has understood.
class Describer {
public:
  explicit Describer(const std::vector<PragmaToken> &Tokens) : Tokens(Tokens) {}

  std::string describe(const Directive &Parsed) {
    switch (Parsed.Kind) {
    case DirectiveKind::Resource:
      Out << "resource";
      for (const ResourceItem &Item : Parsed.Items)
        item(Item);
      for (const Clause &Entry : Parsed.Clauses)
        clause(Entry);
      break;
    case DirectiveKind::Wait:
      Out << "wait";
      break;
    case DirectiveKind::WaitOn:
      Out << "wait on";
      sections(Parsed.Sections, "");
      break;
    case DirectiveKind::Discard:
      Out << "discard";
      sections(Parsed.Sections, "");
      break;
    case DirectiveKind::Callable:
      Out << "callable";
      break;
    }
    return Out.str();
  }

private:
  std::string text(Fragment Range) const {
    std::string Result;
    for (unsigned I = Range.Begin; I < Range.End; ++I)
      Result += (I > Range.Begin && Tokens[I].SpaceBefore ? " " : "") + Tokens[I].Text;
    return Result;
  }

  std::string number(Fragment Range, std::optional<int64_t> Value) const { return Value ? std::to_string(*Value) : text(Range); }

  void item(const ResourceItem &Item) {
    using Form = ResourceItem::Form;
    Out << ' ';
    switch (Item.ItemForm) {
    case Form::Constant:
      Out << (Item.FirstValue ? std::to_string(*Item.FirstValue) : "const(" + text(Item.Count) + ")");
      break;
    case Form::Expression:
      Out << '(' << number(Item.Count, Item.FirstValue) << ')';
      break;
    case Form::All:
      Out << '*';
      break;
    case Form::Numbered:
      Out << '[' << number(Item.First, Item.FirstValue) << '-' << number(Item.Last, Item.LastValue) << ']';
      break;
    }
    Out << ':' << (Item.Kind == ResourceKind::G ? 'G' : 'C');
  }

  void sections(const std::vector<SectionExpr> &Sections, const std::string &Prefix) {
    Out << '(' << Prefix;
    for (size_t I = 0; I < Sections.size(); ++I) {
      const SectionExpr &Section = Sections[I];
      Out << (I ? " " : "") << (Section.Assume ? "assume " : "") << text(Section.Base);
      for (const SectionAxis &Axis : Section.Axes)
        Out << '[' << text(Axis.Lower) << (Axis.HasColon ? ":" : "") << text(Axis.Length) << ']';
    }
    Out << ')';
  }

  void clause(const Clause &Entry) {
    static const char *const Names[] = {"in",     "out",   "inout",   "reduction", "extent",     "split", "priority", "cores",
                                        "memory", "share", "require", "cost",      "implements", "once",  "private"};
    Out << ' ' << Names[static_cast<size_t>(Entry.Kind)];
    if (!Entry.Sections.empty())
      sections(Entry.Sections, Entry.Operator.empty() ? "" : Entry.Operator + " ");
    else if (!Entry.Expression.empty())
      Out << '(' << text(Entry.Expression) << ')';
    else if (!Entry.Name.empty())
      Out << '(' << Entry.Name << ')';
    else if (!Entry.Requirements.empty())
      requirements(Entry.Requirements);
  }

  void requirements(const std::vector<RequireExpr> &Requirements) {
    static const char *const Keys[] = {"cc", "tensorcore", "memory", "vendor", "name", "uuid", "label"};
    static const char *const Relations[] = {"==", ">=", ">", "<=", "<"};
    Out << '(';
    for (size_t I = 0; I < Requirements.size(); ++I) {
      const RequireExpr &Entry = Requirements[I];
      Out << (I ? ", " : "") << Keys[static_cast<size_t>(Entry.RequireKey)];
      if (Entry.Number)
        Out << ' ' << Relations[static_cast<size_t>(Entry.Rel)] << ' ' << Entry.Number;
      else if (!Entry.Text.empty())
        Out << ' ' << Entry.Text;
    }
    Out << ')';
  }

  const std::vector<PragmaToken> &Tokens;
  std::ostringstream Out;
};

TEST(Directive, UnderstandsRightOnes) {
  std::vector<std::string> Lines = readLines("good.txt");
  unsigned Count = 0;
  for (size_t I = 0; I + 1 < Lines.size(); ++I) {
    if (!Lines[I + 1].starts_with("= "))
      continue;
    SCOPED_TRACE(Lines[I]);
    LexedPragma Lexed = lexPragma(Lines[I]);
    ParsedDirective Parsed = parseDirective(Lexed.Tokens);
    EXPECT_EQ(placesOf(Parsed, Lexed, Lines[I]), std::vector<Place>());
    if (Parsed.Result)
      EXPECT_EQ(Describer(Lexed.Tokens).describe(*Parsed.Result), Lines[I + 1].substr(2));
    ++Count;
  }
  EXPECT_GE(Count, 60U);
}

TEST(Directive, ReportsWrongOnesWhereTheyAreWrong) {
  std::vector<std::string> Lines = readLines("bad.txt");
  unsigned Count = 0;
  for (size_t I = 0; I + 1 < Lines.size(); ++I) {
    if (isCaretLine(Lines[I]) || !isCaretLine(Lines[I + 1]))
      continue;
    SCOPED_TRACE(Lines[I]);
    std::vector<Place> Expected;
    for (size_t Next = I + 1; Next < Lines.size() && isCaretLine(Lines[Next]); ++Next)
      readCarets(Lines[Next], Expected);
    std::ranges::sort(Expected);
    LexedPragma Lexed = lexPragma(Lines[I]);
    ParsedDirective Parsed = parseDirective(Lexed.Tokens);
    EXPECT_EQ(placesOf(Parsed, Lexed, Lines[I]), Expected);
    EXPECT_FALSE(Parsed.Result.has_value());
    ++Count;
  }
  EXPECT_GE(Count, 120U);
}

/// Replaces a token range by the fix-it's text.
std::string applyFixIt(const std::string &Line, const DirectiveError &Error, const LexedPragma &Lexed) {
  auto begin = [&](unsigned Token) { return Token < Lexed.Columns.size() ? Lexed.Columns[Token] : Line.size(); };
  auto end = [&](unsigned Token) { return begin(Token) + Lexed.Tokens[Token].Text.size(); };
  const DirectiveError::Edit &Edit = *Error.FixIt;
  size_t From = begin(Edit.Range.Begin), To = From;
  if (!Edit.Range.empty())
    To = end(Edit.Range.End - 1);
  else if (Edit.AfterPrevious)
    From = To = end(Edit.Range.Begin - 1);
  return Line.substr(0, From) + Edit.Text + Line.substr(To);
}

TEST(Directive, FixItsLeadToARightDirective) {
  // Where there is one reading, the fix-it has to give it.
  static const std::pair<const char *, const char *> Fixes[] = {
      {"resorce 2:G", "resource 2:G"},
      {"Wait", "wait"},
      {"wait_on(x)", "wait on(x)"},
      {"2:G, 6:C", "resource 2:G, 6:C"},
      {"split(i) in(x[i])", "resource split(i) in(x[i])"},
      {"resource 2:C;", "resource 2:C"},
      {"wait (x)", "wait on (x)"},
      {"resource [0-3:G", "resource [0-3]:G"},
      {"resource in(x[0:n)", "resource in(x[0:n])"},
      {"resource in(x[0:n]", "resource in(x[0:n])"},
      {"resource in x[0:n])", "resource in x[0:n]"},
      {"resource 1:G,", "resource 1:G"},
      {"resource 1:G,,2:C", "resource 1:G,2:C"},
      {"resource 2:g6:C", "resource 2:g, 6:C"},
      {"resource 2:Cin(x[0:n])", "resource 2:C in(x[0:n])"},
      {"resource 2:GPU", "resource 2:G"},
      {"resource 2 G", "resource 2: G"},
      {"resource 2G, 6:C", "resource 2:G, 6:C"},
      {"resource 2::G", "resource 2:G"},
      {"resource 2: :G", "resource 2:G"},
      {"resource [0:3]:G", "resource [0-3]:G"},
      {"resource reductoin(+: s[0])", "resource reduction(+: s[0])"},
      {"resource reduction(-: s[0])", "resource reduction(+: s[0])"},
      {"resource once(1)", "resource once"},
      {"resource once once", "resource once "},
      {"resource extent(x[n])", "resource extent(x[0:n])"},
      {"resource in(assume: x[0:n])", "resource in( x[0:n])"},
      {"resource require(cc=8.0)", "resource require(cc==8.0)"},
      {"resource require(vendor(nvidea))", "resource require(vendor(nvidia))"},
  };
  for (auto [Wrong, Right] : Fixes) {
    SCOPED_TRACE(Wrong);
    LexedPragma Lexed = lexPragma(Wrong);
    ParsedDirective Parsed = parseDirective(Lexed.Tokens);
    ASSERT_EQ(Parsed.Errors.size(), 1U);
    ASSERT_TRUE(Parsed.Errors.front().FixIt.has_value());
    EXPECT_EQ(applyFixIt(Wrong, Parsed.Errors.front(), Lexed), Right);
  }
}

TEST(Directive, EachArgumentOfATextIsGiven) {
  for (const std::string &Line : readLines("bad.txt")) {
    if (isCaretLine(Line) || Line.starts_with("#"))
      continue;
    for (const DirectiveError &Error : parseDirective(lexPragma(Line).Tokens).Errors) {
      const DiagInfo *Info = findDiagnostic(static_cast<Diag>(Error.Number));
      ASSERT_NE(Info, nullptr) << Line;
      std::string Text = fillText(Info->Text, Error.Arguments), Bare = fillText(Info->Text, {});
      EXPECT_EQ(Text.find('%'), std::string::npos) << Text;
      EXPECT_TRUE(Line.find('\'') != std::string::npos || Text.find("''") == std::string::npos) << Text;
      EXPECT_FALSE(Text.ends_with(" ")) << Text << " for " << Line;
    }
  }
}

TEST(Directive, TheTableHasEveryErrorOfTheGrammar) {
  std::set<unsigned> Seen;
  for (const std::string &Line : readLines("bad.txt")) {
    std::vector<Place> Places;
    if (isCaretLine(Line))
      readCarets(Line, Places);
    for (const Place &At : Places)
      Seen.insert(At.Number);
  }
  for (const DiagInfo &Info : allDiagnostics()) {
    unsigned Number = static_cast<unsigned>(Info.Id);
    // BadExpression carries what the C parser says.
    if (Number < 1100 && Info.Id != Diag::BadExpression)
      EXPECT_TRUE(Seen.count(Number)) << "SM" << Number << " " << Info.Name;
  }
}

TEST(Directive, ChecksValuesThatTheFrontEndEvaluated) {
  ParsedDirective Parsed = parseDirective(lexPragma("resource (n):C, FOUR:G").Tokens);
  ASSERT_TRUE(Parsed.Result.has_value());
  std::vector<ResourceItem> Items = Parsed.Result->Items;
  EXPECT_TRUE(checkTaskList(Items).empty());
  Items[1].FirstValue = 0;
  ASSERT_EQ(checkTaskList(Items).size(), 1U);
  EXPECT_EQ(checkTaskList(Items).front().Number, static_cast<unsigned>(Diag::ZeroTasks));
  Items[1].FirstValue = -4;
  EXPECT_EQ(checkTaskList(Items).front().Number, static_cast<unsigned>(Diag::NegativeCount));
  Items[1].FirstValue = MaxTasks;
  EXPECT_TRUE(checkTaskList(Items).empty());
  Items[0].FirstValue = 1;
  EXPECT_EQ(checkTaskList(Items).front().Number, static_cast<unsigned>(Diag::CountTooLarge));
}

TEST(Directive, NeverFailsOnTokensInAnyOrder) {
  // Every sequence of four from words that mean something to some rule: an answer, and carets inside the pragma.
  static const char *const Words[] = {"2", "G", ":",  "::",   ",", "(",       ")",   "[", "]",
                                      "*", "-", "in", "once", "x", "require", "out", "?"};
  constexpr size_t Count = std::size(Words);
  for (size_t I = 0; I < Count * Count * Count * Count; ++I) {
    std::string Line = "resource";
    for (size_t Rest = I, Place = 0; Place < 4; ++Place, Rest /= Count)
      Line += std::string(" ") + Words[Rest % Count];
    LexedPragma Lexed = lexPragma(Line);
    ParsedDirective Parsed = parseDirective(Lexed.Tokens);
    ASSERT_EQ(Parsed.Result.has_value(), Parsed.Errors.empty()) << Line;
    for (const DirectiveError &Error : Parsed.Errors) {
      ASSERT_NE(findDiagnostic(static_cast<Diag>(Error.Number)), nullptr) << Line;
      ASSERT_LE(Error.Token, Lexed.Tokens.size()) << Line;
      ASSERT_TRUE(!Error.FixIt || Error.FixIt->Range.End <= Lexed.Tokens.size()) << Line;
    }
  }
}

TEST(Keyword, WordsOfTheGrammarAreNotReplaced) {
  EXPECT_TRUE(isDirectiveKeyword("G", ":", 0));
  EXPECT_TRUE(isDirectiveKeyword("c", ":", 0));
  EXPECT_FALSE(isDirectiveKeyword("G", "resource", 0)); // `G:C`, a count
  EXPECT_FALSE(isDirectiveKeyword("RES", ":", 0));
  EXPECT_TRUE(isDirectiveKeyword("in", "G", 0));
  EXPECT_TRUE(isDirectiveKeyword("resource", "", 0));
  EXPECT_TRUE(isDirectiveKeyword("on", "wait", 0));
  EXPECT_FALSE(isDirectiveKeyword("in", "(", 1, "out"));
  EXPECT_FALSE(isDirectiveKeyword("n", "(", 1, "in"));
  EXPECT_TRUE(isDirectiveKeyword("memory", "(", 1, "require"));
  EXPECT_TRUE(isDirectiveKeyword("cc", ",", 1, "require"));
  EXPECT_FALSE(isDirectiveKeyword("LIMIT", ">=", 1, "require"));
  EXPECT_TRUE(isDirectiveKeyword("amd", "(", 2, "require"));
  EXPECT_TRUE(isDirectiveKeyword("assume", "(", 1, "out"));
  EXPECT_TRUE(isDirectiveKeyword("max", "(", 1, "reduction"));
  EXPECT_FALSE(isDirectiveKeyword("max", "(", 1, "in"));
}

} // namespace
