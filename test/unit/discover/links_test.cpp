// StreamMAP tests: what is measured between machines, and keeping it.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "discover/link_file.h"
#include "start/measure_links.h"

namespace streamap {
namespace {

constexpr std::int64_t now = 1'800'000'000;

class LinkFile : public testing::Test {
protected:
  void SetUp() override { std::filesystem::remove_all(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }
  void write(const std::string &text) {
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    std::ofstream(file) << text;
  }
  const std::string folder = testing::TempDir() + "/links_test", file = folder + "/deep/links";
};

TEST_F(LinkFile, KeepsWhatIsAdded) {
  ASSERT_TRUE(readLinks(file, now)) << "not there is as good as empty";
  ASSERT_TRUE(addLinks(file, {{linkKey("b", "a", "MPI 1"), {1e-6, 5e9, now}}}, now));
  ASSERT_TRUE(addLinks(file, {{linkKey("a", "a", "MPI 1"), {2e-7, 8e9, now}}}, now));
  const auto links = readLinks(file, now + 5);
  ASSERT_TRUE(links);
  ASSERT_EQ(links->size(), 2u);
  EXPECT_EQ(links->at(linkKey("a", "b", "MPI 1")).bytesPerSecond, 5e9) << "the same in both directions";
  EXPECT_FALSE(links->contains(linkKey("a", "b", "MPI 2")));
}

TEST_F(LinkFile, ForgetsWhatIsOld) {
  ASSERT_TRUE(addLinks(file, {{linkKey("a", "b", "MPI"), {1e-6, 5e9, now}}}, now));
  EXPECT_EQ(readLinks(file, now + linkLifeSeconds - 1)->size(), 1u);
  EXPECT_EQ(readLinks(file, now + linkLifeSeconds)->size(), 0u);
}

TEST_F(LinkFile, OfAnotherVersionIsNotRead) {
  write("streamap-links 2\na\tb\tMPI\t1e-6\t5e9\t1800000000\n");
  EXPECT_EQ(readLinks(file, now)->size(), 0u);
  ASSERT_TRUE(addLinks(file, {{linkKey("a", "c", "MPI"), {1e-6, 5e9, now}}}, now));
  std::string line;
  std::getline(std::ifstream(file), line);
  EXPECT_EQ(line, "streamap-links 2") << "a later version's file is left alone";
}

TEST_F(LinkFile, OfSomethingElseIsAnError) {
  write("#!/bin/sh\n");
  EXPECT_FALSE(readLinks(file, now));
  EXPECT_FALSE(addLinks(file, {{linkKey("a", "c", "MPI"), {1e-6, 5e9, now}}}, now)) << "and is not overwritten";
}

TEST_F(LinkFile, BrokenLinesAreLeftOut) {
  write("streamap-links 1\na\tb\tMPI\t1e-6\t5e9\t1800000000\na\tc\tMPI\t1e-6\nnonsense\na\td\tMPI\t-1\t5e9\t1800000000\n");
  EXPECT_EQ(readLinks(file, now)->size(), 1u);
}

TEST_F(LinkFile, ManyWritersLoseNothing) {
  constexpr int writers = 8, each = 20;
  std::vector<pid_t> children;
  for (int writer = 0; writer < writers; ++writer)
    if (const pid_t child = fork(); child == 0) {
      for (int k = 0; k < each; ++k)
        if (!addLinks(file, {{linkKey("host" + std::to_string(writer), std::to_string(k), "MPI"), {1e-6, 5e9, now}}}, now))
          _exit(1);
      _exit(0);
    } else {
      children.push_back(child);
    }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(readLinks(file, now)->size(), static_cast<std::size_t>(writers * each));
}

TEST(LinksFrom, MedianForAllAndAnEntryForWhatDiffers) {
  const std::vector<NodeId> nodes{NodeId{0}, NodeId{0}, NodeId{1}, NodeId{2}};
  const Link inside{8e9, 5e-7}, usual{1e9, 2e-5}, slow{1e8, 2e-5};
  const std::vector<LinkSample> samples{
      {Rank{0}, Rank{1}, inside}, {Rank{0}, Rank{2}, usual}, {Rank{0}, Rank{3}, slow}, {Rank{2}, Rank{3}, usual}};
  const Links links = linksFrom(samples, nodes);
  EXPECT_EQ(links.between(Rank{0}, Rank{1}, true).bytesPerSecond, 8e9);
  EXPECT_EQ(links.between(Rank{1}, Rank{2}, false).bytesPerSecond, 1e9);
  EXPECT_EQ(links.between(Rank{3}, Rank{1}, false).bytesPerSecond, 1e8) << "rank 0 stands for all of its machine";
}

TEST(LinksFrom, NothingMeasuredLeavesWhatIsTakenForGranted) {
  const Links links = linksFrom({}, std::vector<NodeId>(2));
  EXPECT_EQ(links.withinNode.bytesPerSecond, Links{}.withinNode.bytesPerSecond);
}

} // namespace
} // namespace streamap
