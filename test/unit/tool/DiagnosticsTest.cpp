//===- DiagnosticsTest.cpp - The table of diagnostics ---------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "directive/Diagnostics.h"

#include <gtest/gtest.h>

#include <cctype>
#include <set>
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
