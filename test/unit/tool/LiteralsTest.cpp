//===- LiteralsTest.cpp - Numbers, sizes and strings ----------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "directive/Literals.h"

#include <gtest/gtest.h>

using namespace streamap;

namespace {

using Outcome = IntegerLiteral::Outcome;

TEST(Literals, ReadsEveryFormOfInteger) {
  static const std::pair<const char *, uint64_t> Good[] = {
      {"0", 0},     {"7", 7},     {"010", 8},     {"0x1F", 31},
      {"0X1f", 31}, {"0b101", 5}, {"4u", 4},      {"4UL", 4},
      {"4lu", 4},   {"4ull", 4},  {"4LLU", 4},    {"1'000'000", 1000000},
      {"00", 0},    {"0xEu", 14}, {"0x7fL", 127}, {"18446744073709551615u", UINT64_MAX}};
  for (auto [Text, Value] : Good) {
    IntegerLiteral Read = readInteger(Text);
    EXPECT_EQ(Read.Kind, Outcome::Integer) << Text;
    EXPECT_EQ(Read.Value, Value) << Text;
  }
}

TEST(Literals, TellsWhyANumberIsNoInteger) {
  static const std::pair<const char *, Outcome> Bad[] = {
      {"1.5", Outcome::Fraction},    {"1e3", Outcome::Fraction},   {".5", Outcome::Fraction},
      {"2.f", Outcome::Fraction},    {"0x1p3", Outcome::Fraction}, {"18446744073709551616", Outcome::TooLarge},
      {"08", Outcome::Malformed},    {"0x", Outcome::Malformed},   {"0b2", Outcome::Malformed},
      {"12abc", Outcome::Malformed}, {"0..n", Outcome::Malformed}, {"2G", Outcome::Malformed},
      {"4lL", Outcome::Malformed},   {"4uu", Outcome::Malformed},  {"", Outcome::Malformed},
      {"1.2.3", Outcome::Malformed}, {"0xE-3", Outcome::Malformed}};
  for (auto [Text, Kind] : Bad)
    EXPECT_EQ(readInteger(Text).Kind, Kind) << Text;
}

TEST(Literals, ReadsComputeCapabilities) {
  EXPECT_EQ(readComputeCapability("8.0"), 80);
  EXPECT_EQ(readComputeCapability("7.5"), 75);
  EXPECT_EQ(readComputeCapability("12.1"), 121);
  EXPECT_EQ(readComputeCapability("9"), 90);
  for (const char *Bad : {"", "8.", ".5", "8.10", "100.0", "8.0a", "sm_80", "8.0.0"})
    EXPECT_EQ(readComputeCapability(Bad), std::nullopt) << Bad;
}

TEST(Literals, ReadsSizes) {
  EXPECT_EQ(splitSize("40GiB").Number, "40");
  EXPECT_EQ(splitSize("40GiB").Unit, "GiB");
  EXPECT_EQ(splitSize("40").Unit, "");
  EXPECT_EQ(bytesOfUnit("GiB"), int64_t(1) << 30);
  EXPECT_EQ(bytesOfUnit("GB"), 1000000000);
  EXPECT_EQ(bytesOfUnit("gb"), std::nullopt);
  EXPECT_EQ(readSize("40", 1024), 40960);
  EXPECT_EQ(readSize("1.5", 1000), 1500);
  EXPECT_EQ(readSize("0", 1000), std::nullopt);
  EXPECT_EQ(readSize("1.2.3", 1000), std::nullopt);
  EXPECT_EQ(readSize("9999999999", int64_t(1) << 40), std::nullopt);
}

TEST(Literals, ReadsStrings) {
  EXPECT_EQ(readString(R"("A100")"), "A100");
  EXPECT_EQ(readString(R"("a \"b\" \\")"), R"(a "b" \)");
  EXPECT_EQ(readString(R"("")"), "");
  for (const char *Bad : {R"(L"x")", R"("x)", R"("\n")", "\"", "x"})
    EXPECT_EQ(readString(Bad), std::nullopt) << Bad;
}

} // namespace
