//===- Directive.h - What a streamap pragma says ----------------*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The grammar's result: one directive, with expressions left as ranges of the
// pragma's own tokens. Nothing here knows Clang; the front end hands tokens in
// (macros in expressions already expanded, keywords of the grammar never), and
// takes fragments to type-check and to print.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DIRECTIVE_DIRECTIVE_H
#define STREAMAP_DIRECTIVE_DIRECTIVE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace streamap {

/// One preprocessing token of a pragma.
struct PragmaToken {
  enum class Kind : uint8_t { Identifier, Number, String, Char, Punctuator, Unknown };
  Kind TokenKind = Kind::Unknown;
  std::string Text;
  bool SpaceBefore = false;
};

/// Tokens [Begin, End) of the pragma, counted from the word behind `streamap`.
struct Fragment {
  unsigned Begin = 0;
  unsigned End = 0;
  bool empty() const { return Begin == End; }
};

enum class ResourceKind : uint8_t { Any, C, G };

/// `2:G`, `(n / 4096):C`, `*:C`, `[0-3]:G`, `[4]:C`.
struct ResourceItem {
  enum class Form : uint8_t { Constant, Expression, All, Numbered };
  ResourceKind Kind = ResourceKind::C;
  Form ItemForm = Form::Constant;
  Fragment Count;       ///< Constant and Expression: the count, without parentheses
  Fragment First, Last; ///< Numbered; equal for `[k]`
  Fragment Whole;
  /// Values, where they are known: the count, or the first and last number.
  /// The parser fills in literals; the front end what it has evaluated.
  std::optional<int64_t> FirstValue, LastValue;
};

/// The tasks that one launch may have.
inline constexpr int64_t MaxTasks = INT32_MAX;

/// One `[...]` of a section.
struct SectionAxis {
  Fragment Lower;  ///< empty: 0
  Fragment Length; ///< empty with HasColon: up to the extent; without HasColon: one element
  bool HasColon = false;
  Fragment Whole;
};

/// `x`, `x[i]`, `A[r0:nr][c0:nc]`, `s->p[0:n]`.
struct SectionExpr {
  Fragment Base;
  std::vector<SectionAxis> Axes;
  bool Assume = false; ///< out(assume: ...)
  Fragment Whole;
};

enum class ClauseKind : uint8_t {
  In,
  Out,
  InOut,
  Reduction,
  Extent,
  Split,
  Priority,
  Cores,
  Memory,
  Share,
  Require,
  Cost,
  Implements,
  Once,
  Private
};

/// One entry of `require(...)`.
struct RequireExpr {
  enum class Key : uint8_t { CC, TensorCore, Memory, Vendor, Name, UUID, Label };
  enum class Relation : uint8_t { EQ, GE, GT, LE, LT };
  Key RequireKey = Key::CC;
  Relation Rel = Relation::GE;
  int64_t Number = 0; ///< CC: major * 10 + minor; Memory: bytes
  std::string Text;
  Fragment Whole;
};

struct Clause {
  ClauseKind Kind = ClauseKind::In;
  unsigned NameToken = 0;
  Fragment Whole;
  std::vector<SectionExpr> Sections; ///< In, Out, InOut, Reduction, Extent, Private
  std::string Operator;              ///< Reduction: "+", "*", "min", "max", "&", "|", "^", "&&", "||"
  Fragment Expression;               ///< Priority, Cores, Memory, Share, Cost
  std::string Name;                  ///< Split: the variable; Implements: the task
  std::vector<RequireExpr> Requirements;
};

enum class DirectiveKind : uint8_t { Resource, Wait, WaitOn, Discard, Callable };

struct Directive {
  DirectiveKind Kind = DirectiveKind::Resource;
  std::vector<ResourceItem> Items;   ///< Resource
  bool HasItems = false;             ///< false: the list is empty
  std::vector<Clause> Clauses;       ///< Resource
  std::vector<SectionExpr> Sections; ///< WaitOn, Discard
};

/// A diagnostic of the grammar: number (Diagnostics.def), where, and the words
/// that fill its text. Token == number of tokens means the end of the pragma.
struct DirectiveError {
  unsigned Number = 0;
  unsigned Token = 0;
  unsigned Offset = 0; ///< characters into that token
  std::vector<std::string> Arguments;
  struct Edit {
    Fragment Range;
    std::string Text;
    bool AfterPrevious = false; ///< an insertion joins the token before Range.Begin
  };
  std::optional<Edit> FixIt; ///< replaces Range (empty: inserts before Range.Begin)
};

struct ParsedDirective {
  std::optional<Directive> Result; ///< empty when Errors is not
  std::vector<DirectiveError> Errors;
};

/// Parses what follows `#pragma streamap`. Pure; reports every independent
/// error once, in order of position.
ParsedDirective parseDirective(const std::vector<PragmaToken> &Tokens);

/// What is wrong with a resource list as far as its values are known: no or too
/// many tasks, ranges that run backwards, and, once all are known, tasks named
/// twice or not at all. The parser has done this for literals; call it again
/// when the constant expressions have been evaluated.
std::vector<DirectiveError> checkTaskList(const std::vector<ResourceItem> &Items);

/// Whether \p Text, the next token of the pragma, is a word of the grammar
/// there, which user macros must not replace: a resource letter behind ':', the
/// name of a directive or a clause at parenthesis depth 0, a word that \p Clause
/// (the depth-0 word before the open parenthesis, empty at depth 0) knows.
/// \p Previous is the text of the token before it.
bool isDirectiveKeyword(const std::string &Text, const std::string &Previous, unsigned Depth, const std::string &Clause = {});

} // namespace streamap

#endif
