//===- LinearFormTest.cpp - Sums of products, compared --------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/LinearForm.h"

#include <gtest/gtest.h>

using streamap::LinearForm;

namespace {

struct Pair {
  const char *Left, *Right;
};

const Pair Equal[] = {
    {"w - 1 - 1", "w-2"},
    {"(n - 1) - (0) + 1", "n"},
    {"i * n + j - j", "n*i"},
    {"(a + b) * (a - b)", "a * a - b * b"},
    {"-(streamap_int)(n)", "0 - n"},
    {"2u * n", "n + n"},
    {"- - n", "n"},
    {"0 * n", "0"},
    {"4UL", "2 + 2"},
};

const Pair Different[] = {
    {"n - 1", "n"}, {"n", "m"}, {"i * n", "i + n"}, {"n * n", "n"}, {"n", "n_"}, {"0", "1"},
};

const char *const NotForms[] = {
    "n / 2", "n % 2", "a[i]", "*p",  "n <",    "(n",  "",     "f(n)", "n ? 1 : 2", "sizeof(int)",
    "0x10",  "010",   "1.5",  "n m", "n << 1", "s.n", "p->n", "~n",   "1e3",       "9999999999999999999"};

} // namespace

TEST(LinearForm, knowsWhatIsEqual) {
  for (const Pair &P : Equal) {
    auto Left = LinearForm::parse(P.Left), Right = LinearForm::parse(P.Right);
    ASSERT_TRUE(Left && Right) << P.Left << " and " << P.Right;
    EXPECT_TRUE(*Left == *Right) << P.Left << " and " << P.Right;
  }
}

TEST(LinearForm, knowsWhatIsNot) {
  for (const Pair &P : Different) {
    auto Left = LinearForm::parse(P.Left), Right = LinearForm::parse(P.Right);
    ASSERT_TRUE(Left && Right) << P.Left << " and " << P.Right;
    EXPECT_FALSE(*Left == *Right) << P.Left << " and " << P.Right;
  }
}

TEST(LinearForm, leavesTheRestAlone) {
  for (const char *Text : NotForms)
    EXPECT_FALSE(LinearForm::parse(Text)) << Text;
}

TEST(LinearForm, findsNames) {
  EXPECT_TRUE(LinearForm::parse("i * n + 1")->mentions("n"));
  EXPECT_FALSE(LinearForm::parse("i * n - n * i")->mentions("n"));
  EXPECT_FALSE(LinearForm::parse("nn")->mentions("n"));
}
