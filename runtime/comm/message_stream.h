// StreamMAP runtime: messages in a stream of bytes that arrives in frames.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "comm/messages.h"

namespace streamap {

/// What precedes a message in the stream.
struct MessageHeader {
  std::uint64_t bytes : 56; ///< of the body
  std::uint64_t kind : 8;   ///< MessageKind
};
static_assert(sizeof(MessageHeader) == 8);

/// Appends a message to a stream.
inline void appendMessage(std::vector<std::byte> &stream, MessageKind kind, std::span<const std::byte> body) {
  const MessageHeader header{body.size(), static_cast<std::uint8_t>(kind)};
  const auto *const begin = reinterpret_cast<const std::byte *>(&header);
  stream.insert(stream.end(), begin, begin + sizeof header);
  stream.insert(stream.end(), body.begin(), body.end());
}

/// Finds the messages again, wherever the frames were cut.
class MessageReader {
public:
  /// Calls handle(kind, body) for each message that ends in this frame. The body is valid during the call.
  template <class Handle> void take(std::span<const std::byte> frame, Handle &&handle) {
    if (!pending_.empty()) {
      pending_.insert(pending_.end(), frame.begin(), frame.end());
      const std::size_t used = parse(pending_, handle);
      pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(used));
      return;
    }
    const std::size_t used = parse(frame, handle);
    pending_.assign(frame.begin() + static_cast<std::ptrdiff_t>(used), frame.end());
  }

private:
  template <class Handle> static std::size_t parse(std::span<const std::byte> bytes, Handle &handle) {
    std::size_t at = 0;
    MessageHeader header{};
    while (bytes.size() - at >= sizeof header) {
      std::memcpy(&header, bytes.data() + at, sizeof header);
      if (bytes.size() - at - sizeof header < header.bytes)
        break;
      handle(static_cast<MessageKind>(header.kind), bytes.subspan(at + sizeof header, header.bytes));
      at += sizeof header + header.bytes;
    }
    return at;
  }

  std::vector<std::byte> pending_; ///< the beginning of a message whose end has not come
};

} // namespace streamap
