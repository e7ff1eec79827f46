// StreamMAP runtime: which memory holds which version of which bytes.
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data/directory.h"

#include <algorithm>

namespace streamap {
namespace {

/// Old copies of one piece worth remembering; the oldest go first.
constexpr std::uint32_t mostCopies = 32;

} // namespace

void Directory::overwrite(Piece &piece, Place place, Version version, EventId writer) {
  const Rank rank = place.rank;
  // The copies that this write makes old are worth keeping in mind only if home has had the same version: it alone hashes.
  bool knownAtHome = rank == headRank || piece.validAt(headRank) != nullptr;
  for (std::uint32_t k = piece.copies.size(); k-- > 0;) {
    const Copy &copy = piece.copies[k];
    if (copy.rank == rank || copy.rank == headRank || (piece.isValid(copy) && !knownAtHome))
      piece.copies.eraseUnordered(k);
  }
  if (piece.copies.size() >= mostCopies) {
    auto newer = [](const Copy &a, const Copy &b) { return a.version > b.version; };
    std::sort(piece.copies.begin(), piece.copies.end(), newer);
    piece.copies.truncate(mostCopies - 1);
  }
  piece.copies.push_back({rank, 0, version, writer, place.memory});
  piece.version = version;
  // One order for one content, so that neighbours compare equal.
  std::sort(piece.copies.begin(), piece.copies.end(), [](const Copy &a, const Copy &b) { return a.rank < b.rank; });
}

} // namespace streamap
