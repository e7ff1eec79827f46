// StreamMAP tests: what the user can set.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "config/settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "assign/offer.h"

namespace streamap {
namespace {

/// Loads from these variables, in a directory of its own with this streamap.toml (none if empty).
Result<Settings> load(std::vector<const char *> variables, const std::string &file = {}) {
  const auto before = std::filesystem::current_path();
  const auto here = std::filesystem::path(testing::TempDir()) / "settings_test";
  std::filesystem::remove_all(here);
  std::filesystem::create_directory(here);
  std::filesystem::current_path(here);
  if (!file.empty())
    std::ofstream("streamap.toml") << file;
  variables.push_back(nullptr);
  auto result = loadSettings(variables.data());
  std::filesystem::current_path(before);
  return result;
}

TEST(Settings, NothingSetMeansDefaults) {
  const auto settings = load({"PATH=/bin", "STREAMAPPER=1"});
  ASSERT_TRUE(settings);
  EXPECT_FALSE(settings->slots);
  EXPECT_EQ(settings->policy, "eft");
  EXPECT_EQ(settings->source, "");
}

TEST(Settings, FileThenVariables) {
  const auto settings = load({"STREAMAP_SLOTS=3", "STREAMAP_TRACE=t.json"},
                             "slots = 2\nhead_slots = 0\npolicy = \"round-robin\"\nsync = true # slow\n");
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->slots, 3);
  EXPECT_EQ(settings->headSlots, 0);
  EXPECT_EQ(settings->policy, "round-robin");
  EXPECT_TRUE(settings->sync);
  EXPECT_EQ(settings->trace, "t.json");
  EXPECT_EQ(settings->source, "streamap.toml");
}

TEST(Settings, EmptyAutoIsTheDefault) {
  const auto settings = load({"STREAMAP_SLOTS=auto"}, "slots = 2\n");
  ASSERT_TRUE(settings);
  EXPECT_FALSE(settings->slots);
}

struct Wrong {
  const char *variable, *file, *part; ///< a part of the message
};

TEST(Settings, WrongOnesStopWithTheNearestRightOne) {
  const std::vector<Wrong> table{
      {"STREAMAP_SLOT=2", "", "unknown variable STREAMAP_SLOT; did you mean STREAMAP_SLOTS?"},
      {"STREAMAP_TRACES=2", "", "did you mean STREAMAP_TRACE?"},
      {"STREAMAP_XYZZY_PLUGH=2", "", "unknown variable STREAMAP_XYZZY_PLUGH"},
      {"STREAMAP_POLICY=roundrobin", "", "STREAMAP_POLICY: 'roundrobin' is not one of its values; did you mean 'round-robin'?"},
      {"STREAMAP_SLOTS=0", "", "STREAMAP_SLOTS: a whole number from 1 to 4096 is wanted, not '0' (or 'auto')"},
      {"STREAMAP_SLOTS=2x", "", "not '2x'"},
      {"STREAMAP_SYNC=yes", "", "STREAMAP_SYNC: 'yes'"},
      {"STREAMAP_LOG=warn", "", "did you mean 'warning'?"},
      {"STREAMAP_LOOKAHEAD=", "", "STREAMAP_LOOKAHEAD: a whole number"},
      {"STREAMAP_CONFIG=nowhere.toml", "", "nowhere.toml"},
      {"X=", "slot = 2\n", "streamap.toml:1:1: unknown key 'slot'; did you mean 'slots'?"},
      {"X=", "\nlookahead = 0\n", "streamap.toml:2:13: lookahead: a whole number from 1 to 1024"},
      {"X=", "slots = 1.5\n", "a string, a whole number, or true or false is wanted"},
      {"X=", "slots = \n", "streamap.toml:1:"},
      {"X=", "[slots]\n", "slots: a string"},
  };
  for (const auto &wrong : table) {
    const auto settings = load({wrong.variable}, wrong.file);
    ASSERT_FALSE(settings) << "for " << wrong.variable << " and " << wrong.file;
    EXPECT_NE(settings.error().message.find(wrong.part), std::string::npos)
        << "for " << wrong.variable << " and " << wrong.file << ": " << settings.error().message;
  }
}

TEST(Settings, ToolVariablesAreLeftAlone) {
  EXPECT_TRUE(load({"STREAMAP_CC=gcc", "STREAMAP_CXX=g++"}));
}

TEST(Settings, EachPolicyCanBeChosen) {
  for (const Policy *policy : policies()) {
    const std::string variable = "STREAMAP_POLICY=" + std::string(policy->name());
    EXPECT_TRUE(load({variable.c_str()})) << policy->name();
  }
  const auto help = load({"STREAMAP_POLICY=help"});
  ASSERT_TRUE(help);
  EXPECT_EQ(help->help, describePolicies());
  for (const auto &key : settingKeys())
    if (key.name == "policy") {
      EXPECT_EQ(key.words.size(), policies().size());
    }
}

TEST(Settings, ThePageListsWhatTheTableSays) {
  std::ifstream page(STREAMAP_SOURCE_DIR "/docs/configuration.md");
  ASSERT_TRUE(page);
  std::stringstream text;
  text << page.rdbuf();
  EXPECT_NE(text.str().find(describeSettings()), std::string::npos) << "docs/configuration.md must hold exactly this:\n"
                                                                    << describeSettings();
}

} // namespace
} // namespace streamap
