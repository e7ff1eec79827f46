//===- Words.cpp - The words of the grammar -------------------------------===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "directive/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cassert>

using llvm::StringRef;

namespace streamap {

namespace {

constexpr ClauseWord ClauseWords[] = {
    {"in", ClauseKind::In, false, "in(x[0:n])"},
    {"out", ClauseKind::Out, false, "out(y[0:n])"},
    {"inout", ClauseKind::InOut, false, "inout(y[0:n])"},
    {"reduction", ClauseKind::Reduction, false, "reduction(+: s[0])"},
    {"extent", ClauseKind::Extent, false, "extent(x[0:n])"},
    {"split", ClauseKind::Split, true, "split(i)"},
    {"priority", ClauseKind::Priority, true, "priority(1)"},
    {"cores", ClauseKind::Cores, true, "cores(4)"},
    {"memory", ClauseKind::Memory, true, "memory(8 * n)"},
    {"share", ClauseKind::Share, true, "share(50)"},
    {"require", ClauseKind::Require, false, "require(cc>=8.0)"},
    {"cost", ClauseKind::Cost, true, "cost(2 * n)"},
    {"implements", ClauseKind::Implements, true, "implements(f)"},
    {"once", ClauseKind::Once, true, "once"},
    {"private", ClauseKind::Private, false, "private(t)"},
};

constexpr RequireWord RequireWords[] = {
    {"cc", RequireExpr::Key::CC, "cc>=8.0"},
    {"tensorcore", RequireExpr::Key::TensorCore, "tensorcore"},
    {"memory", RequireExpr::Key::Memory, "memory>=40GiB"},
    {"vendor", RequireExpr::Key::Vendor, "vendor(nvidia)"},
    {"name", RequireExpr::Key::Name, "name(\"A100\")"},
    {"uuid", RequireExpr::Key::UUID, "uuid(\"GPU-1a2b\")"},
    {"label", RequireExpr::Key::Label, "label(fast)"},
};

constexpr StringRef DirectiveWords[] = {"resource", "wait", "discard", "callable"};
constexpr StringRef VendorWords[] = {"nvidia", "amd", "intel"};

template <class Range> StringRef nearest(StringRef Word, const Range &Candidates) {
  StringRef Best;
  unsigned BestDistance = 0;
  for (StringRef Candidate : Candidates) {
    // A third of the letters may be wrong, but never all of them.
    unsigned Limit = std::max<unsigned>(1, static_cast<unsigned>(std::min(Word.size(), Candidate.size())) / 3);
    unsigned Distance = Word.equals_insensitive(Candidate) ? 0 : Word.edit_distance_insensitive(Candidate, true, Limit);
    if (Distance > Limit || Distance >= Candidate.size())
      continue;
    if (Best.empty() || Distance < BestDistance) {
      Best = Candidate;
      BestDistance = Distance;
    }
  }
  return Best;
}

template <class Table> llvm::SmallVector<StringRef, 16> wordsOf(const Table &Words) {
  llvm::SmallVector<StringRef, 16> Result;
  for (const auto &Entry : Words)
    Result.push_back(Entry.Word);
  return Result;
}

} // namespace

const ClauseWord *findClauseWord(StringRef Word) {
  const auto *It = llvm::find_if(ClauseWords, [&](const ClauseWord &Entry) { return Entry.Word == Word; });
  return It == std::end(ClauseWords) ? nullptr : It;
}

const ClauseWord &wordOf(ClauseKind Kind) {
  const auto *It = llvm::find_if(ClauseWords, [&](const ClauseWord &Entry) { return Entry.Kind == Kind; });
  assert(It != std::end(ClauseWords) && "every clause has a word");
  return *It;
}

const RequireWord *findRequireWord(StringRef Word) {
  const auto *It = llvm::find_if(RequireWords, [&](const RequireWord &Entry) { return Entry.Word == Word; });
  return It == std::end(RequireWords) ? nullptr : It;
}

std::optional<ResourceKind> findResource(StringRef Word) {
  if (Word == "C" || Word == "c")
    return ResourceKind::C;
  if (Word == "G" || Word == "g")
    return ResourceKind::G;
  return std::nullopt;
}

StringRef nearestDirective(StringRef Word) {
  // "on" is a word of its own, easily joined to the one before.
  if (StringRef Near = nearest(Word, llvm::ArrayRef<StringRef>({"wait_on", "waiton"})); !Near.empty() && Word.size() > 5)
    return "wait on";
  return nearest(Word, DirectiveWords);
}

StringRef nearestClause(StringRef Word) {
  return nearest(Word, wordsOf(ClauseWords));
}
StringRef nearestRequirement(StringRef Word) {
  return nearest(Word, wordsOf(RequireWords));
}
StringRef nearestVendor(StringRef Word) {
  return nearest(Word, VendorWords);
}

bool isDirectiveKeyword(const std::string &Text, const std::string &Previous, unsigned Depth, const std::string &Clause) {
  if (Depth == 0) {
    if (Previous == ":" || Previous == "::")
      return findResource(Text).has_value();
    return findClauseWord(Text) || llvm::is_contained(DirectiveWords, StringRef(Text)) || (Previous == "wait" && Text == "on");
  }
  bool First = Previous == "(";
  if (Clause == "require") {
    if (Depth == 2)
      return llvm::is_contained(VendorWords, StringRef(Text));
    return (First || Previous == ",") && findRequireWord(Text);
  }
  if (Clause == "out")
    return Depth == 1 && First && Text == "assume";
  if (Clause == "reduction")
    return Depth == 1 && First && (Text == "min" || Text == "max");
  return false;
}

} // namespace streamap
