// StreamMAP tests: run times that are kept between runs.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "assign/estimate_file.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "test_processors.h"

namespace streamap {
namespace {

class EstimateFileTest : public testing::Test {
protected:
  EstimateFileTest() {
    std::string pattern = testing::TempDir() + "estimatesXXXXXX";
    folder = mkdtemp(pattern.data());
    path = folder + "/below/estimates";
  }
  ~EstimateFileTest() override { std::filesystem::remove_all(folder); }

  static void learn(Estimates &estimates, const std::string &function, Seconds time) {
    const ProfileId profile = estimates.profile(estimates.function(function), 64);
    for (int k = 0; k < 4; ++k)
      estimates.add(profile, ProcessorId{1}, time);
  }
  static Estimates::Guess guess(Estimates &estimates, const ResourceTable &table, const std::string &function) {
    return estimates.guess(estimates.profile(estimates.function(function), 64), table.classOf(ProcessorId{1}), 0);
  }

  std::string folder, path;
  ResourceTable table = processorsFrom("C4,G");
};

TEST_F(EstimateFileTest, WhatWasLearntIsKnownInTheNextRun) {
  Estimates first(table), second(table);
  EXPECT_TRUE(readEstimates(path, table, second)); // there is none yet
  learn(first, "f@a.c", 0.25);
  ASSERT_TRUE(writeEstimates(path, table, first));
  ASSERT_TRUE(readEstimates(path, table, second));
  EXPECT_TRUE(guess(second, table, "f@a.c").known);
  EXPECT_NEAR(guess(second, table, "f@a.c").time, 0.25, 1e-6);
  EXPECT_FALSE(guess(second, table, "g@a.c").known);
  // Another kind of device is another class.
  const ResourceTable other = processorsFrom("C4,F");
  Estimates third(other);
  ASSERT_TRUE(readEstimates(path, other, third));
  EXPECT_FALSE(guess(third, other, "f@a.c").known);
}

TEST_F(EstimateFileTest, ManyWritersLoseNothing) {
  constexpr int writers = 8;
  for (int k = 0; k < writers; ++k)
    if (fork() == 0) {
      Estimates own(table);
      learn(own, "f" + std::to_string(k), 0.5 + k);
      _exit(writeEstimates(path, table, own) ? 0 : 1);
    }
  for (int k = 0; k < writers; ++k) {
    int status = 0;
    wait(&status);
    EXPECT_EQ(status, 0);
  }
  Estimates all(table);
  ASSERT_TRUE(readEstimates(path, table, all));
  for (int k = 0; k < writers; ++k)
    EXPECT_NEAR(guess(all, table, "f" + std::to_string(k)).time, 0.5 + k, 1e-6);
}

TEST_F(EstimateFileTest, OtherVersionsAndOtherFiles) {
  Estimates some(table), none(table);
  learn(some, "f", 1);
  std::filesystem::create_directories(folder + "/below");
  std::ofstream(path) << "streamap-estimates 999\nwhatever comes then\n";
  EXPECT_TRUE(readEstimates(path, table, none));
  EXPECT_TRUE(writeEstimates(path, table, some));
  std::string line;
  std::getline(std::ifstream(path), line);
  EXPECT_EQ(line, "streamap-estimates 999");
  std::ofstream(path) << "something else\n";
  EXPECT_FALSE(readEstimates(path, table, none));
  EXPECT_FALSE(writeEstimates(path, table, some));
}

} // namespace
} // namespace streamap
