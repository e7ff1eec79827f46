//===- DirectiveParser.h - The grammar, one function a rule -----*- C++ -*-===//
//
// Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recursive-descent parser over tokens whose brackets have been matched
// beforehand. So a rule knows where its part ends whatever is wrong inside, an
// error never swallows what follows, and each is reported once.
//
//===----------------------------------------------------------------------===//

#ifndef STREAMAP_DIRECTIVE_DIRECTIVEPARSER_H
#define STREAMAP_DIRECTIVE_DIRECTIVEPARSER_H

#include "directive/Diagnostics.h"
#include "directive/Directive.h"
#include "directive/Words.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace streamap {

class DirectiveParser {
public:
  explicit DirectiveParser(const std::vector<PragmaToken> &Tokens) : Tokens(Tokens), End(static_cast<unsigned>(Tokens.size())) {}

  ParsedDirective parse();

private:
  using Kind = PragmaToken::Kind;

  // Directive.cpp: tokens, brackets, errors, and the directives themselves.
  bool at(unsigned I, llvm::StringRef Text) const { return I < End && Tokens[I].Text == Text; }
  bool isKind(unsigned I, Kind K) const { return I < End && Tokens[I].TokenKind == K; }
  bool isOpen(unsigned I) const { return at(I, "(") || at(I, "[") || at(I, "{"); }
  /// The text of token \p I as an error would quote it.
  std::string quoted(unsigned I) const;
  std::string text(Fragment Range) const;
  /// The token behind \p I at the same depth.
  unsigned next(unsigned I) const { return isOpen(I) ? Match[I] + 1 : I + 1; }
  /// The first token in \p Range, outside brackets, that is \p Text; Range.End
  /// if there is none.
  unsigned find(Fragment Range, llvm::StringRef Text) const;

  DirectiveError &error(Diag Id, unsigned Token, std::vector<std::string> Arguments = {});
  static void replace(DirectiveError &Error, Fragment Range, std::string Text);
  static void insertBefore(DirectiveError &Error, unsigned Token, std::string Text);
  static void insertBehind(DirectiveError &Error, unsigned Token, std::string Text);

  bool matchBrackets();
  void reportNeverClosed(unsigned Open);
  void dropSemicolon();
  void parseResource(Directive &Result);
  void parseWait(Directive &Result);
  void parseListDirective(Directive &Result, llvm::StringRef Name, llvm::StringRef Example);
  void expectEnd(llvm::StringRef Name);

  // ResourceList.cpp
  bool startsItem(unsigned I) const;
  unsigned findColon(unsigned From) const;
  void parseItem(Directive &Result);
  bool parseCount(ResourceItem &Item, unsigned Begin, unsigned Colon);
  bool parseLiteralCount(ResourceItem &Item, unsigned Token);
  bool parseNumbered(ResourceItem &Item, unsigned Open);
  bool readTaskNumber(Fragment Number, unsigned Caret, std::optional<int64_t> &Value);
  bool parseItemResource(ResourceItem &Item, Fragment Count);
  void reportNoColon(unsigned Begin);
  void skipItem();
  void checkList(const Directive &Result);

  // Clauses.cpp
  bool startsClause(unsigned I) const;
  void parseClause(Directive &Result);
  void skipToClause();
  void reportUnknownClause();
  void parseArguments(Clause &Into, Fragment Arguments);
  void parseSectionClause(Clause &Into, Fragment Arguments);
  bool parseReductionOperator(Clause &Into, Fragment &Arguments);
  void parseExpressionClause(Clause &Into, Fragment Arguments);
  void parseNameClause(Clause &Into, Fragment Arguments);
  void checkExtents(const Directive &Result);

  // Sections.cpp
  /// Calls \p Entry for each part between the commas of \p List.
  void forEachEntry(Fragment List, llvm::StringRef What, llvm::function_ref<void(Fragment)> Entry);
  std::vector<SectionExpr> parseSections(Fragment List);
  bool parseSection(Fragment Range, SectionExpr &Section);
  bool parseAxis(unsigned Open, SectionExpr &Section);
  /// Reports an expression that stops in the middle. The C parser finds the
  /// other mistakes.
  bool checkExpression(Fragment Range);

  // Requirements.cpp
  void parseRequirements(Clause &Into, Fragment Arguments);
  void parseRequirement(Clause &Into, Fragment Range);
  bool parseRelation(const RequireWord &Word, Fragment &Range, RequireExpr &Into);
  void parseComputeCapability(const RequireWord &Word, Fragment Value, RequireExpr &Into);
  void parseDeviceMemory(const RequireWord &Word, Fragment Value, RequireExpr &Into);
  void parseNamed(const RequireWord &Word, Fragment Range, RequireExpr &Into);

  const std::vector<PragmaToken> &Tokens;
  std::vector<unsigned> Match; ///< the partner of each bracket
  unsigned End;                ///< tokens that count
  unsigned Pos = 0;
  std::vector<DirectiveError> Errors;
};

} // namespace streamap

#endif
