//===- DiagnosticsTest.cpp - The table of diagnostics ---------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "directive/Diagnostics.h"

#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

using namespace streamap;

namespace {

TEST(Diagnostics, AreInOrderAndNamedOnce) {
  std::set<std::string> Names;
  unsigned Last = 1000;
  for (const DiagInfo &Info : allDiagnostics()) {
    EXPECT_GT(static_cast<unsigned>(Info.Id), Last) << Info.Name;
    Last = static_cast<unsigned>(Info.Id);
    EXPECT_TRUE(Names.insert(Info.Name).second) << Info.Name;
    EXPECT_EQ(findDiagnostic(Info.Id), &Info);
  }
  EXPECT_EQ(findDiagnostic(static_cast<Diag>(999)), nullptr);
  EXPECT_EQ(findDiagnostic(static_cast<Diag>(9999)), nullptr);
}

TEST(Diagnostics, TextsAreWrittenAsClangWritesThem) {
  for (const DiagInfo &Info : allDiagnostics()) {
    std::string Text = Info.Text;
    ASSERT_FALSE(Text.empty()) << Info.Name;
    EXPECT_FALSE(std::isupper(static_cast<unsigned char>(Text[0])) && Text.size() > 1 &&
                 std::islower(static_cast<unsigned char>(Text[1])))
        << Text;
    EXPECT_NE(Text.back(), '.') << Text;
    for (std::string Part : {Text, std::string(Info.Hint)}) {
      int Depth = 0;
      for (char C : Part) {
        Depth += C == '{' ? 1 : C == '}' ? -1 : 0;
        EXPECT_TRUE(Depth == 0 || Depth == 1) << Part;
      }
      EXPECT_EQ(Depth, 0) << Part;
    }
  }
}

/// A text as the page shows it: … for each argument, optional parts included.
std::string shownOnPage(const std::string &Text) {
  std::string Shown;
  for (size_t I = 0; I < Text.size(); ++I) {
    if (Text[I] == '%' && I + 1 < Text.size() && std::isdigit(static_cast<unsigned char>(Text[I + 1]))) {
      Shown += "…";
      ++I;
    } else if (Text[I] != '{' && Text[I] != '}') {
      Shown += Text[I];
    }
  }
  return Shown;
}

TEST(DiagnosticsPage, HasEachDiagnosticWithItsTextAndTwoExamples) {
  std::ifstream File(STREAMAP_DIAGNOSTICS_PAGE);
  ASSERT_TRUE(File) << STREAMAP_DIAGNOSTICS_PAGE;
  std::ostringstream Content;
  Content << File.rdbuf();
  std::string Page = Content.str();
  std::set<unsigned> Numbers;
  for (const DiagInfo &Info : allDiagnostics()) {
    unsigned Number = static_cast<unsigned>(Info.Id);
    Numbers.insert(Number);
    std::string Heading = "\n### SM" + std::to_string(Number) + "\n\n> " +
                          (Info.Level == Severity::Error ? "error: " : "warning: ") + shownOnPage(Info.Text) + "\n";
    size_t At = Page.find(Heading);
    EXPECT_NE(At, std::string::npos) << "the page lacks:" << Heading;
    if (At == std::string::npos)
      continue;
    std::string Entry = Page.substr(At, Page.find("\n### ", At + 1) - At);
    EXPECT_TRUE(Entry.find("\n```c wrong") != std::string::npos || Entry.find("\n```cpp wrong") != std::string::npos ||
                Entry.find("\n```console wrong") != std::string::npos)
        << Heading;
    EXPECT_TRUE(Entry.find("\n```c right") != std::string::npos || Entry.find("\n```cpp right") != std::string::npos ||
                Entry.find("\n```console right") != std::string::npos)
        << Heading;
  }
  for (size_t At = Page.find("\n### SM"); At != std::string::npos; At = Page.find("\n### SM", At + 1))
    EXPECT_TRUE(Numbers.count(static_cast<unsigned>(std::stoul(Page.substr(At + 7))))) << Page.substr(At + 1, 10);
}

TEST(FillText, PutsArgumentsIn) {
  EXPECT_EQ(fillText("a '%0' b %1", {"x", "y"}), "a 'x' b y");
  EXPECT_EQ(fillText("%0%0", {"x"}), "xx");
  EXPECT_EQ(fillText("100%", {}), "100%");
}

TEST(FillText, LeavesOutPartsThatLackTheirArgument) {
  EXPECT_EQ(fillText("a '%0'{; did you mean '%1'?}", {"x", "y"}), "a 'x'; did you mean 'y'?");
  EXPECT_EQ(fillText("a '%0'{; did you mean '%1'?}", {"x"}), "a 'x'");
  EXPECT_EQ(fillText("a '%0'{; did you mean '%1'?} b", {"x", ""}), "a 'x' b");
  EXPECT_EQ(fillText("{write %0}", {}), "");
}

TEST(FillText, LeavesWhatStandsInArgumentsAlone) {
  EXPECT_EQ(fillText("%0{, %1}", {"{%1}", "%0"}), "{%1}, %0");
}

} // namespace
