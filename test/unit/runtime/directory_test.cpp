// StreamMAP tests: who holds what.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/directory.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace streamap {
namespace {

class DirectoryTest : public testing::Test {
protected:
  /// "lo-hi v<version> rank:version ..." of all pieces in a run.
  std::string show(ByteRun run) const {
    std::string text;
    directory.look(run, [&](ByteRun part, const Piece &piece) {
      text += (text.empty() ? "" : "; ") + std::to_string(part.lo) + "-" + std::to_string(part.hi) + " v" +
              std::to_string(piece.version.value);
      for (const Copy &copy : piece.copies)
        text += " " + std::to_string(copy.rank.value) + ":" + std::to_string(copy.version.value);
    });
    return text;
  }
  void copyTo(ByteRun run, int rank, std::uint64_t event) {
    directory.edit(run, done,
                   [&](ByteRun, Piece &piece) { piece.copies.push_back({Rank{rank}, 1, piece.version, EventId{event}}); });
  }
  std::uint64_t doneBelow = 1;
  std::function<bool(EventId)> done = [this](EventId event) { return event.value < doneBelow; };
  Directory directory;
};

TEST_F(DirectoryTest, UntouchedBytesAreAtHome) {
  EXPECT_EQ(show({0, 10}), "0-10 v1 0:1");
  EXPECT_EQ(directory.size(), 0u);
}

TEST_F(DirectoryTest, AWriteLeavesOneValidCopyAndNotesOfWhatHomeHadToo) {
  copyTo({0, 10}, 2, 5);
  directory.wrote({4, 20}, Place{Rank{1}, hostMemory}, Version{7}, EventId{6}, done);
  EXPECT_EQ(show({0, 20}), "0-4 v1 0:1 2:1; 4-10 v7 1:7 2:1; 10-20 v7 1:7");
  directory.wrote({4, 20}, Place{Rank{2}, hostMemory}, Version{8}, EventId{7}, done);
  EXPECT_EQ(show({4, 20}), "4-20 v8 2:8"); // home never had version 7: a note of it would be of no use
  directory.returned({0, 20}, Version{9}, done);
  EXPECT_EQ(show({0, 20}), "0-4 v9 0:9 2:1; 4-20 v9 0:9 2:8");
}

TEST_F(DirectoryTest, EqualNeighboursJoinOnceTheirEventsAreDone) {
  directory.wrote({0, 10}, Place{Rank{1}, hostMemory}, Version{7}, EventId{6}, done);
  directory.wrote({10, 20}, Place{Rank{1}, hostMemory}, Version{7}, EventId{8}, done);
  EXPECT_EQ(directory.size(), 2u);
  doneBelow = 9;
  directory.edit({0, 20}, done, [](ByteRun, Piece &) {});
  EXPECT_EQ(show({0, 20}), "0-20 v7 1:7");
  EXPECT_EQ(directory.size(), 1u);
}

TEST_F(DirectoryTest, PruneKeepsWhatIsElsewhere) {
  directory.wrote({0, 10}, Place{Rank{1}, hostMemory}, Version{7}, EventId{6}, done);
  directory.returned({20, 30}, Version{9}, done);
  copyTo({40, 50}, 2, 5);
  directory.prune(done);
  EXPECT_EQ(directory.size(), 2u);
  EXPECT_EQ(show({20, 30}), "20-30 v1 0:1");
}

TEST_F(DirectoryTest, LeftReadersAreFoundUntilTheyAreDone) {
  directory.leaveReader({0, 10}, Rank{1}, EventId{5});
  directory.leaveReader({5, 20}, Rank{2}, EventId{6});
  auto find = [&](ByteRun run, int rank) {
    std::string text;
    directory.forEachLeftReader(run, Rank{rank}, done, [&](EventId event) { text += std::to_string(event.value) + " "; });
    return text;
  };
  EXPECT_EQ(find({0, 20}, 1), "5 5 ");
  EXPECT_EQ(find({0, 20}, 2), "6 6 ");
  EXPECT_EQ(find({0, 5}, 2), "");
  doneBelow = 6;
  EXPECT_EQ(find({0, 20}, 1), "");
  EXPECT_EQ(find({6, 7}, 2), "6 ");
}

} // namespace
} // namespace streamap
