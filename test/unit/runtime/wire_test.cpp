// StreamMAP tests: what ranks say to each other arrives as it was said.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "comm/wire.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "comm/message_stream.h"
#include "comm/messages.h"
#include "comm/pieces.h"

namespace streamap {
namespace {

std::vector<ByteRun> randomRuns(std::mt19937_64 &random) {
  std::vector<ByteRun> runs;
  HomeAddress at = random() % (std::uint64_t{1} << 47);
  while (random() % 5) {
    const std::uint64_t length = 1 + random() % (random() % 2 ? 64 : 10'000'000), gap = random() % 100, count = 1 + random() % 40;
    for (std::uint64_t i = 0; i < count; ++i) {
      runs.push_back({at, at + length});
      at += length + gap;
    }
  }
  return runs;
}

TEST(Wire, PackedNumbers) {
  WireWriter out;
  const std::vector<std::uint64_t> numbers{0, 1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_MAX};
  for (const auto number : numbers)
    out.putPacked(number);
  WireReader in(out.bytes());
  for (const auto number : numbers)
    EXPECT_EQ(in.getPacked(), number);
  EXPECT_TRUE(in.ok());
  EXPECT_TRUE(in.rest().empty());
}

TEST(Wire, Runs) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937_64 random(seed);
    const auto runs = randomRuns(random);
    WireWriter out;
    out.putRuns(runs);
    WireReader in(out.bytes());
    EXPECT_EQ(in.getRuns(), runs) << "seed " << seed;
    EXPECT_TRUE(in.ok());
  }
}

TEST(Wire, AMillionRunsOfAColumnTakeAFewBytes) {
  std::vector<ByteRun> column;
  for (HomeAddress row = 0; row < 1'000'000; ++row)
    column.push_back({0x7f0000000000 + row * 8192, 0x7f0000000000 + row * 8192 + 8});
  WireWriter out;
  out.putRuns(column);
  EXPECT_LT(out.bytes().size(), 32u);
}

TEST(Wire, WhatIsMissingIsNotOk) {
  WireWriter out;
  out.putText("hello");
  out.putAll(std::vector<std::uint64_t>{1, 2, 3});
  for (std::size_t size = 0; size < out.bytes().size(); ++size) {
    WireReader in(out.bytes().first(size));
    in.getText();
    in.getAll<std::uint64_t>();
    EXPECT_FALSE(in.ok()) << size;
  }
}

RunOrder sampleRun() {
  auto pack = std::make_shared<LaunchPack>();
  pack->key = {77, 3};
  pack->launch = 12;
  pack->floatMode = 0x1f80;
  pack->bytes.assign(40, std::byte{9});
  RunOrder order;
  order.task = EventId{100};
  order.pack = pack;
  order.shape = {2, 8, -5, 17, 4, 6};
  order.priority = -3;
  order.cores = 2;
  order.after = {EventId{5}, EventId{99}};
  order.reductions = {{1, STREAMAP_OP_ADD, STREAMAP_F64, 3, 24, 0x1000, -8}};
  order.bytesMoved = 12345;
  order.notify = {Rank{2}, Rank{1}};
  return order;
}

TEST(Messages, RunOrders) {
  const RunOrder order = sampleRun();
  WireWriter out;
  encodeRun(out, order, false);
  encodeRun(out, order, true);
  WireReader in(out.bytes());
  std::shared_ptr<LaunchPack> pack;
  const RunOrder first = decodeRun(in, pack), second = decodeRun(in, pack);
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(first.pack, second.pack) << "one pack a launch";
  EXPECT_EQ(first.pack->key, order.pack->key);
  EXPECT_EQ(first.pack->bytes, order.pack->bytes);
  EXPECT_EQ(first.pack->launch, order.pack->launch);
  EXPECT_EQ(first.pack->floatMode, order.pack->floatMode);
  EXPECT_EQ(second.task, order.task);
  EXPECT_EQ(second.shape.lo, -5);
  EXPECT_EQ(second.shape.hi, 17);
  EXPECT_EQ(second.shape.blockLength, 6);
  EXPECT_EQ(second.priority, -3);
  EXPECT_EQ(second.cores, 2);
  EXPECT_EQ(second.after, order.after);
  EXPECT_EQ(second.notify, order.notify);
  EXPECT_EQ(second.bytesMoved, order.bytesMoved);
  ASSERT_EQ(second.reductions.size(), 1u);
  EXPECT_EQ(second.reductions[0].offset, -8);
}

TEST(Messages, TheOthers) {
  SendOrder send;
  send.transfer = EventId{8};
  send.to = {Rank{3}, hostMemory};
  send.version = Version{5};
  send.receiverHas = Version{4};
  send.after = {EventId{7}};
  send.runs = {{1, 5}, {9, 13}, {100, 200}};
  WireWriter out;
  encodeSend(out, send);
  encodeDiscard(out, {EventId{11}, {{0, 4096}}});
  encodePiece(out, {EventId{8}, Version{5}, true, 17, {{1, 5}}});
  encodeFailure(out, {EventId{3}, Rank{1}, "signal SIGSEGV at address 0x10"});
  Farewell farewell;
  farewell.counters[2] = 42;
  farewell.trace.resize(2);
  farewell.trace[1].index = 6;
  encodeFarewell(out, farewell);
  WireReader in(out.bytes());
  const SendOrder sent = decodeSend(in);
  EXPECT_EQ(sent.runs, send.runs);
  EXPECT_EQ(sent.to, send.to);
  EXPECT_EQ(sent.receiverHas, send.receiverHas);
  EXPECT_EQ(sent.after, send.after);
  EXPECT_EQ(decodeDiscard(in).runs, (std::vector<ByteRun>{{0, 4096}}));
  const PieceHeader piece = decodePiece(in);
  EXPECT_TRUE(piece.last);
  EXPECT_EQ(piece.tag, 17u);
  EXPECT_EQ(decodeFailure(in).what, "signal SIGSEGV at address 0x10");
  const Farewell left = decodeFarewell(in);
  EXPECT_EQ(left.counters, farewell.counters);
  EXPECT_EQ(left.trace[1].index, 6);
  EXPECT_TRUE(in.ok());
  EXPECT_TRUE(in.rest().empty());
}

TEST(MessageStream, FramesMayBeCutAnywhere) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::byte> stream;
    std::vector<std::size_t> sizes;
    for (int i = 0; i < 50; ++i) {
      sizes.push_back(random() % (i % 10 == 0 ? 5000 : 40));
      appendMessage(stream, MessageKind::Run, std::vector<std::byte>(sizes.back(), static_cast<std::byte>(i)));
    }
    MessageReader reader;
    std::size_t next = 0;
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t size = std::min<std::size_t>(1 + random() % 100, stream.size() - at);
      reader.take(std::span<const std::byte>(stream).subspan(at, size), [&](MessageKind kind, std::span<const std::byte> body) {
        EXPECT_EQ(kind, MessageKind::Run);
        ASSERT_LT(next, sizes.size());
        EXPECT_EQ(body.size(), sizes[next]) << "seed " << seed;
        for (const std::byte byte : body)
          ASSERT_EQ(byte, static_cast<std::byte>(next));
        ++next;
      });
      at += size;
    }
    EXPECT_EQ(next, sizes.size()) << "seed " << seed;
  }
}

TEST(PieceCutter, CoversEachByteOnceInOrder) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    const auto runs = randomRuns(random);
    std::vector<ByteRun> together;
    PieceCutter cutter(runs);
    while (!cutter.done()) {
      const auto piece = cutter.cut();
      ASSERT_FALSE(piece.empty());
      std::uint64_t bytes = 0;
      for (const ByteRun run : piece) {
        ASSERT_GT(run.bytes(), 0u);
        bytes += run.bytes();
        if (!together.empty() && together.back().hi == run.lo && run.lo % chunkBytes == 0)
          together.back().hi = run.hi; // cut at a multiple of chunkBytes
        else
          together.push_back(run);
      }
      EXPECT_LE(bytes, chunkBytes) << "seed " << seed;
      EXPECT_TRUE(piece.size() == 1 || bytes < chunkBytes + directRun);
    }
    std::vector<ByteRun> expected;
    for (const ByteRun run : runs)
      if (!expected.empty() && expected.back().hi == run.lo && run.lo % chunkBytes == 0)
        expected.back().hi = run.hi;
      else
        expected.push_back(run);
    EXPECT_EQ(together, expected) << "seed " << seed;
  }
}

} // namespace
} // namespace streamap
