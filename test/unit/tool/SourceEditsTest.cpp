//===- SourceEditsTest.cpp - Lines and columns of edited text -------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever pieces are put into a text, each of the user's own words has the
// file, line and column that it had. A reader of line markers, as a compiler
// is one, checks that.
//
//===----------------------------------------------------------------------===//

#include "emit/SourceEdits.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

using namespace streamap;

namespace {

struct Place {
  std::string File;
  unsigned Line = 0;
  size_t Column = 0;
  bool operator==(const Place &) const = default;
};

/// Where each word that begins with `u` stands by the markers around it.
std::map<std::string, Place> placesOf(const std::string &Text) {
  std::map<std::string, Place> Places;
  std::istringstream Lines(Text);
  std::string Line, File;
  unsigned Number = 1;
  while (std::getline(Lines, Line)) {
    size_t Quote = Line.find('"');
    if (Line.rfind("# ", 0) == 0 || Line.rfind("#line ", 0) == 0) {
      Number = static_cast<unsigned>(std::stoul(Line.substr(Line.find(' ') + 1)));
      File = Line.substr(Quote + 1, Line.find('"', Quote + 1) - Quote - 1);
      continue;
    }
    for (size_t At = 0; At < Line.size(); ++At)
      if (Line[At] == 'u' && (At == 0 || !std::isalnum(static_cast<unsigned char>(Line[At - 1])))) {
        size_t End = At;
        while (End < Line.size() && std::isalnum(static_cast<unsigned char>(Line[End])))
          ++End;
        Places[Line.substr(At, End - At)] = {File, Number, At};
      }
    ++Number;
  }
  return Places;
}

HostSource sourceOf(std::string Text, MarkerStyle Style = MarkerStyle::GNU) {
  HostSource Source;
  Source.Style = Style;
  SourceFile Main;
  Main.Text = std::move(Text);
  Main.Lines.push_back({0, 1, "a.c"});
  Source.Files.push_back(std::move(Main));
  return Source;
}

SourceEdit generated(size_t Begin, size_t End, std::vector<GeneratedLine> Lines) {
  SourceEdit Edit;
  Edit.Begin = Begin;
  Edit.End = End;
  Edit.Lines = std::move(Lines);
  return Edit;
}

/// Returns how many words there were to compare.
size_t expectSamePlaces(const HostSource &Source) {
  std::map<std::string, Place> Before, After = placesOf(printHostSource(Source));
  std::string Whole = "# 1 \"a.c\"\n" + Source.Files.front().Text;
  for (const auto &[Word, Where] : placesOf(Whole))
    if (After.count(Word))
      Before[Word] = Where;
  for (const auto &[Word, Where] : Before)
    EXPECT_EQ(Where, After[Word]) << Word << " in\n" << printHostSource(Source);
  return Before.size();
}

} // namespace

TEST(SourceEdits, placesStayWhatTheyAre) {
  size_t Compared = 0;
  const std::string Text = "u1 u2 u3\n\tu4 u5  u6\nu7\n";
  for (MarkerStyle Style : {MarkerStyle::GNU, MarkerStyle::Standard})
    for (size_t Begin = 0; Begin <= Text.size(); ++Begin)
      for (size_t End = Begin; End <= Text.size(); ++End) {
        HostSource Source = sourceOf(Text, Style);
        Source.Prologue = {"#include <x.h>"};
        Source.Files[0].Edits = {generated(Begin, End, {{"first", 1}, {"second", 0}})};
        // A word that is cut in two is not one of the user's any more.
        auto inWord = [&](size_t At) {
          return At > 0 && At < Text.size() && std::isalnum(Text[At - 1]) && std::isalnum(Text[At]);
        };
        if (!inWord(Begin) && !inWord(End))
          Compared += expectSamePlaces(Source);
      }
  EXPECT_GT(Compared, 1000u);
}

TEST(SourceEdits, editsAtOnePlaceKeepTheirOrder) {
  HostSource Source = sourceOf("u1\nu2\n");
  Source.Files[0].Edits = {generated(3, 3, {{"one"}}), generated(3, 3, {{"two"}})};
  std::string Text = printHostSource(Source);
  EXPECT_LT(Text.find("one"), Text.find("two"));
  EXPECT_LT(Text.find("two"), Text.find("u2"));
  EXPECT_EQ(2u, expectSamePlaces(Source));
}

TEST(SourceEdits, blanksKeepTheLinesOfADirective) {
  HostSource Source = sourceOf("#pragma \\\n  x\nu1\n");
  SourceEdit Edit;
  Edit.EditKind = SourceEdit::Kind::Blank;
  Edit.End = 13;
  Source.Files[0].Edits = {Edit};
  EXPECT_EQ("# 1 \"a.c\"\n\n\nu1\n", printHostSource(Source));
}

TEST(SourceEdits, aStatementStandsInPlace) {
  HostSource Source = sourceOf("  #pragma w\nu1\n");
  SourceEdit Edit;
  Edit.EditKind = SourceEdit::Kind::InPlace;
  Edit.Begin = 2;
  Edit.End = 11;
  Edit.Lines = {{"wait();"}};
  Source.Files[0].Edits = {Edit};
  EXPECT_EQ("# 1 \"a.c\"\n  wait();\nu1\n", printHostSource(Source));
}

TEST(SourceEdits, presumedLinesAreKept) {
  HostSource Source = sourceOf("u1\n#line 70 \"y.y\"\nu2 u3\n");
  Source.Files[0].Lines = {{0, 1, "a.c"}, {18, 70, "y.y"}};
  Source.Files[0].Edits = {generated(21, 21, {{"x"}})};
  auto Places = placesOf(printHostSource(Source));
  EXPECT_EQ((Place{"y.y", 70, 3}), Places["u3"]);
  EXPECT_NE(std::string::npos, printHostSource(Source).find("# 70 \"y.y\" 3\nx\n"));
}

TEST(SourceEdits, aHeaderStandsWhereItIsIncluded) {
  HostSource Source = sourceOf("u1\n#include \"h\" u2\n");
  SourceFile Header;
  Header.Text = "u3";
  Header.Lines.push_back({0, 1, "h"});
  Source.Files.push_back(Header);
  Source.Files[0].Includes = {{3, 15, 1}};
  std::string Text = printHostSource(Source);
  EXPECT_NE(std::string::npos, Text.find("# 1 \"h\" 1\nu3\n# 2 \"a.c\" 2\n"));
  EXPECT_EQ((Place{"a.c", 2, 13}), placesOf(Text)["u2"]);
}

TEST(SourceEdits, aByteOrderMarkIsDropped) {
  HostSource Source = sourceOf("\xEF\xBB\xBFu1\n");
  EXPECT_EQ("# 1 \"a.c\"\nu1\n", printHostSource(Source));
}

TEST(SourceEdits, quotesWhatALiteralCannotHold) {
  EXPECT_EQ("\"a\\\"b\\\\c\\0121\"", quoted("a\"b\\c\n1"));
}
